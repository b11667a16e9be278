import { ServiceError } from "../../contract/errors.ts";
import { events, furthestEvent } from "../../contract/events.ts";
import type { ArgumentsOf, Caller, OutputOf } from "../../contract/operation.ts";
import { clockOf } from "../clock.ts";
import { walk } from "../paging.ts";

export type Event = OutputOf<typeof events.get>;
type Filter = Pick<ArgumentsOf<typeof events.list>, "type" | "start" | "end">;

const everything = { all: true, limit: undefined } as const;

/** All events that fit, page by page, each once, however many: a list itself ends after the first ten thousand. */
export async function* walkEvents(
  caller: Caller,
  filter: Filter,
  furthest = furthestEvent,
): AsyncGenerator<readonly Event[]> {
  const { start } = filter;
  let from = start;
  // Of those that occur at `from`, the ones that were given before the list ended there.
  let given: ReadonlySet<number> = new Set();
  for (;;) {
    const edge = { time: undefined as number | undefined, ids: new Set<number>() };
    let count = 0;
    const rest = from === undefined ? filter : { ...filter, start: from };
    for await (const { items } of walk(caller, events.list, rest, everything)) {
      const page = items as unknown as readonly Event[];
      const isNew = (event: Event) => !given.has(event.id) && (from === start || firstOf(event, start) >= from!);
      yield page.filter(isNew);
      count += page.length;
      for (const event of page) {
        const time = firstOf(event, from);
        if (time !== edge.time) edge.ids.clear();
        edge.time = time;
        edge.ids.add(event.id);
      }
    }
    if (count < furthest) return;
    if (edge.time === from) {
      throw new ServiceError("validation_failed", `More than ${furthest} events begin at the same time.`);
    }
    from = edge.time;
    given = edge.ids;
  }
}

/** When an event occurs first, from a time on, in Unix seconds. */
function firstOf({ dates, days, timezone }: Event, from = Number.NEGATIVE_INFINITY): number {
  const clock = clockOf(timezone);
  const earliest = from === Number.NEGATIVE_INFINITY ? "" : clock.day(from);
  const day = days.find((day) => day >= earliest && clock.startOf(day) >= from);
  return day === undefined ? (dates.find(({ start }) => start >= from)?.start ?? from) : clock.startOf(day);
}
