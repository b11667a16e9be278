import { eventTypes } from "../../../contract/event-forms.ts";
import { events } from "../../../contract/events.ts";
import type { Caller } from "../../../contract/operation.ts";
import { clockOf } from "../../clock.ts";
import { UsageError } from "../../failure.ts";
import { keepHeapSmall } from "../../heap.ts";
import { checkZone } from "../../output.ts";
import { readScalar } from "../../scalars.ts";
import { readDay } from "../../times.ts";
import { type Exported, exportItems } from "../../transfer/exporting.ts";
import type { Context } from "../../tree.ts";
import { version } from "../../version.ts";
import { addDays } from "../calendar/days.ts";
import { type Event, walkEvents } from "../walking.ts";
import { iCalendar } from "./jcal.ts";
import { isLocal, vevent } from "./vevent.ts";
import { vtimezone } from "./vtimezone.ts";

/** `wcs events export`: events as an iCalendar file (RFC 5545), written as they come in. */
export async function exportEvents(context: Context): Promise<void> {
  const select = await selectionOf(context);
  const path = (context.flags.output as string | undefined) ?? "-";
  await exportItems(calendarTo(path), context, async ({ caller, write }) => {
    for await (const page of select(caller)) {
      keepHeapSmall();
      await write(page);
    }
  });
}

function calendarTo(path: string): Exported<Event> {
  const zones = new Set<string>();
  const now = Math.floor(Date.now() / 1000);
  /** An event, and before the first one of a time zone that zone. */
  const textOf = async (event: Event): Promise<string> => {
    const own = await iCalendar(vevent(event));
    if (!isLocal(event) || zones.has(event.timezone)) return own;
    zones.add(event.timezone);
    return (await iCalendar(await vtimezone(event.timezone, now))) + own;
  };
  return {
    name: "events",
    path,
    head: `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//wcs//wcs ${version}//EN\r\nCALSCALE:GREGORIAN\r\n`,
    async text(page) {
      let text = "";
      for (const event of page) text += await textOf(event);
      return text;
    },
    tail: "END:VCALENDAR\r\n",
  };
}

type Selection = (caller: Caller) => AsyncIterable<readonly Event[]>;

/** The events that the line names: by their IDs, or by when they take place. */
async function selectionOf({ args, flags, globals }: Context): Promise<Selection> {
  const ids = [args.ids ?? []].flat().flatMap((text) => text.split(","));
  const { from, to, type } = flags as { from?: string; to?: string; type?: string };
  if (ids.length > 0) {
    if (from !== undefined || to !== undefined || type !== undefined)
      throw new UsageError("<id> excludes --from, --to and --type");
    const wanted = ids.map((id) => readScalar({ kind: "integer" }, id, "<id>") as number);
    return (caller) => byId(caller, wanted);
  }
  const zone = checkZone(globals.tz);
  const clock = clockOf(zone);
  const filter = {
    ...(type !== undefined && { type: readScalar(typeField, type, "--type") as Event["type"] }),
    ...(from !== undefined && { start: clock.startOf(await readDay(from, "--from", zone)) }),
    ...(to !== undefined && { end: clock.startOf(addDays(await readDay(to, "--to", zone), 1)) - 1 }),
  };
  return (caller) => walkEvents(caller, filter);
}

const typeField = { kind: "string", values: eventTypes } as const;

async function* byId(caller: Caller, ids: readonly number[]): AsyncGenerator<readonly Event[]> {
  for (const id of new Set(ids)) yield [await caller.call(events.get, { id })];
}
