import { UsageError } from "../../../errors/cli-errors.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { checkZone, createOutput } from "../../../output/create-output.ts";
import { addDays, daysBetween, firstOfMonth, lastOfMonth, mondayOf } from "../../../time/days.ts";
import { readDay } from "../../../time/parse-time.ts";
import { clockOf } from "../../../time/zone-clock.ts";
import type { ListedEvent } from "../walk-events.ts";
import { occurrencesIn, type ShownOccurrence, type TimeSpan } from "./find-occurrences.ts";

const maxDays = 366;
const columns = ["day", "start", "end", "title", "location", "id"] as const;
const sample = {
  id: 0,
  title: "",
  type: "",
  day: "",
  all_day: false,
  start: 0,
  end: 0,
  location: "",
  link: null,
  url: "",
};

export async function calendar(context: Context): Promise<void> {
  const { flags, globals, terminal } = context;
  const zone = globals.tz;
  const today = clockOf(checkZone(zone)).day(Math.floor(Date.now() / 1000));
  const span = await spanOf(flags, today, zone);
  const draw = async () => {
    const { drawCalendar } = await import("./draw-calendar.ts");
    return (occurrences: readonly ShownOccurrence[]) => drawCalendar(occurrences, { span, zone, today }, terminal);
  };
  const output = createOutput<ShownOccurrence>(
    { columns, sample, formats: { start: "unix-time", end: "unix-time" }, items: "events", draw },
    context,
  );
  const { caller } = await context.connect();
  const found = await terminal.spin(
    "reading the calendar",
    occurrencesIn(caller, span, zone, flags.type as ListedEvent["type"] | undefined),
  );
  await output.all(found);
}

async function spanOf(flags: Context["flags"], today: string, zone: string | undefined): Promise<TimeSpan> {
  const { month, week, from, to } = flags as { month?: string; week?: true; from?: string; to?: string };
  if (month !== undefined && (week || from !== undefined || to !== undefined))
    throw new UsageError("--month cannot be used together with --week, --from or --to");
  if (week && to !== undefined) throw new UsageError("--week and --to cannot be used together");
  const first = from === undefined ? today : await readDay(from, "--from", zone);
  if (week) return { first: mondayOf(first), last: addDays(mondayOf(first), 6) };
  if (from === undefined && to === undefined) {
    const day = month === undefined ? today : await readMonth(month, zone);
    return { first: firstOfMonth(day), last: lastOfMonth(day) };
  }
  const last = to === undefined ? addDays(first, 27) : await readDay(to, "--to", zone);
  if (last < first) throw new UsageError(`--to ${last} is before --from ${first}`);
  if (daysBetween(first, last) >= maxDays) throw new UsageError(`--from and --to can span at most ${maxDays} days`);
  return { first, last };
}

/** Parses a month (`2026-12`, `december`, `next month`) and returns a day in it. */
async function readMonth(text: string, zone: string | undefined): Promise<string> {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text.trim())) return `${text.trim()}-01`;
  try {
    return await readDay(text, "--month", zone);
  } catch {
    throw new UsageError(`--month must be a month like 2026-12 or december, not '${text}'`);
  }
}
