import { ServiceError } from "../../../contract/errors.ts";
import { events, maxListedEvents } from "../../../contract/events.ts";
import type { Caller, InputOf, OutputOf } from "../../../contract/operation.ts";
import { walk } from "../../kit/walk-list.ts";
import { clockOf } from "../../time/zone-clock.ts";

export type ListedEvent = OutputOf<typeof events.get>;
type Filter = Pick<InputOf<typeof events.list>, "type" | "start" | "end">;

/** Yields the events page by page, each once. The operation lists at most `maxListed`, so the walk begins again at the time of the last one. */
export async function* walkEvents(caller: Caller, filter: Filter, maxListed = maxListedEvents) {
  const { start } = filter;
  let from = start;
  // Events at the time `from` that were yielded before the list ended there.
  let yielded: ReadonlySet<number> = new Set();
  for (;;) {
    const edge = { time: undefined as number | undefined, ids: new Set<number>() };
    let count = 0;
    const rest = from === undefined ? filter : { ...filter, start: from };
    for await (const { items: page } of walk(caller, events.list, rest)) {
      const isLate = (event: ListedEvent) => from === undefined || from === start || firstOf(event, start) >= from;
      const isNew = (event: ListedEvent) => !yielded.has(event.id) && isLate(event);
      yield page.filter(isNew);
      count += page.length;
      for (const event of page) {
        const time = firstOf(event, from);
        if (time !== edge.time) edge.ids.clear();
        edge.time = time;
        edge.ids.add(event.id);
      }
    }
    if (count < maxListed) return;
    if (edge.time === from) {
      throw new ServiceError("validation_failed", `More than ${maxListed} events begin at the same time.`);
    }
    from = edge.time;
    yielded = edge.ids;
  }
}

/** Returns when the event first occurs at or after `from`, in Unix seconds. */
function firstOf({ dates, days, timezone }: ListedEvent, from = Number.NEGATIVE_INFINITY): number {
  const clock = clockOf(timezone);
  const earliest = from === Number.NEGATIVE_INFINITY ? "" : clock.day(from);
  const day = days.find((each) => each >= earliest && clock.startOf(each) >= from);
  return day === undefined ? (dates.find(({ start }) => start >= from)?.start ?? from) : clock.startOf(day);
}
