import { setImmediate as breathe } from "node:timers/promises";
import { eventTypes } from "../../../contract/event-forms.ts";
import { events } from "../../../contract/events.ts";
import type { Caller } from "../../../contract/operation.ts";
import { clockOf } from "../../clock.ts";
import { Interrupted, UsageError } from "../../failure.ts";
import { checkZone } from "../../output.ts";
import { harmless } from "../../plain.ts";
import { readScalar } from "../../scalars.ts";
import type { Terminal } from "../../terminal.ts";
import { readDay } from "../../times.ts";
import { type Destination, openDestination } from "../../transfer/destination.ts";
import type { Context } from "../../tree.ts";
import { version } from "../../version.ts";
import { addDays } from "../calendar/days.ts";
import { type Event, walkEvents } from "../walking.ts";
import { iCalendar } from "./jcal.ts";
import { isLocal, vevent } from "./vevent.ts";
import { vtimezone } from "./vtimezone.ts";

const begin = ["BEGIN:VCALENDAR", "VERSION:2.0", `PRODID:-//wcs//wcs ${version}//EN`, "CALSCALE:GREGORIAN", ""].join(
  "\r\n",
);
const end = "END:VCALENDAR\r\n";

/** `wcs events export`: events as an iCalendar file (RFC 5545), written as they come in. */
export async function exportEvents(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const path = (flags.output as string | undefined) ?? "-";
  const select = await selectionOf(context);
  const stop = new AbortController();
  const { signal } = stop;
  // On stdout there is nothing to tidy up: there Ctrl-C does what it does everywhere.
  if (path !== "-") terminal.onInterrupt(() => stop.abort(new Interrupted()));
  const file = path === "-" ? toStdout(terminal) : await openDestination(path);
  let count = 0;
  try {
    const { caller } = await context.connect();
    try {
      await file.write(begin);
      const write = componentsTo(file);
      for await (const page of select(caller)) {
        await breathe();
        signal.throwIfAborted();
        await write(page);
        count += page.length;
        if (path !== "-") terminal.progress(`exporting  ${count.toLocaleString("en")} events`);
      }
      await file.write(end);
      await file.keep();
    } finally {
      await caller.close();
    }
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  } finally {
    terminal.progress(undefined);
    await file.discard();
  }
  if (path !== "-") terminal.note(`Exported ${count} ${count === 1 ? "event" : "events"} to ${terminal.plain(path)}.`);
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

/** Writes events, and before the first one of each its time zone. */
function componentsTo(file: Pick<Destination, "write">): (page: readonly Event[]) => Promise<void> {
  const zones = new Set<string>();
  return async (page) => {
    for (const event of page) {
      if (isLocal(event) && !zones.has(event.timezone)) {
        zones.add(event.timezone);
        await file.write(await iCalendar(await vtimezone(event.timezone, Math.floor(Date.now() / 1000))));
      }
      await file.write(await iCalendar(vevent(event)));
    }
  };
}

function toStdout(terminal: Terminal): Destination {
  const show = (text: string) => (terminal.stdoutIsTerminal ? harmless(text.replaceAll("\r\n", "\n")) : text);
  return {
    write: (data) => terminal.write(show(String(data))),
    keep: async () => {},
    discard: async () => {},
  };
}
