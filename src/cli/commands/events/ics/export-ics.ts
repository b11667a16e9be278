import { events } from "../../../../contract/events.ts";
import type { Caller } from "../../../../contract/operation.ts";
import { UsageError } from "../../../errors/cli-errors.ts";
import { type ExportSpec, exportItems } from "../../../file-io/export-file.ts";
import { limitHeap } from "../../../file-io/heap-limit.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { findSeveral } from "../../../kit/find-by-name.ts";
import { splitList } from "../../../kit/parse-value.ts";
import { checkZone } from "../../../output/create-output.ts";
import { version } from "../../../session/version.ts";
import { addDays } from "../../../time/days.ts";
import { readDay } from "../../../time/parse-time.ts";
import { clockOf } from "../../../time/zone-clock.ts";
import { type ListedEvent, walkEvents } from "../walk-events.ts";
import { formatComponent } from "./jcal.ts";
import { isLocal, vevent } from "./write-vevent.ts";
import { vtimezone } from "./write-vtimezone.ts";

export async function exportEvents(context: Context): Promise<void> {
  const select = await selectionOf(context);
  const path = (context.flags.output as string | undefined) ?? "-";
  await exportItems(calendarTo(path), context, async ({ caller, write }) => {
    for await (const page of select(caller)) {
      limitHeap();
      await write(page);
    }
  });
}

function calendarTo(path: string): ExportSpec<ListedEvent> {
  const zones = new Set<string>();
  const now = Math.floor(Date.now() / 1000);
  /** Returns an event, preceded by its time zone when it is the first event in that zone. */
  const textOf = async (event: ListedEvent): Promise<string> => {
    const own = await formatComponent(vevent(event));
    if (!isLocal(event) || zones.has(event.timezone)) return own;
    zones.add(event.timezone);
    return (await formatComponent(await vtimezone(event.timezone, now))) + own;
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

type Selection = (caller: Caller) => AsyncIterable<readonly ListedEvent[]>;

async function selectionOf({ args, flags, globals, terminal }: Context): Promise<Selection> {
  const ids = splitList(args.ids);
  const { from, to, type } = flags as { from?: string; to?: string; type?: ListedEvent["type"] };
  if (ids.length > 0) {
    const file = ids.find((text) => /\.ics$/i.test(text));
    if (file !== undefined)
      throw new UsageError(`<ids>: ${file} is the name of a file`, { hint: `write to it with -o ${file}` });
    if (from !== undefined || to !== undefined || type !== undefined)
      throw new UsageError("<ids> cannot be used together with --from, --to or --type");
    return async function* (caller) {
      for (const id of await findSeveral("events", "<ids>", ids, { caller, terminal }))
        yield [await caller.call(events.get, { id })];
    };
  }
  const zone = checkZone(globals.tz);
  const clock = clockOf(zone);
  const filter = {
    ...(type !== undefined && { type }),
    ...(from !== undefined && { start: clock.startOf(await readDay(from, "--from", zone)) }),
    ...(to !== undefined && { end: clock.startOf(addDays(await readDay(to, "--to", zone), 1)) - 1 }),
  };
  return (caller) => walkEvents(caller, filter);
}
