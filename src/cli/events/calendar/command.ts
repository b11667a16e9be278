import { eventTypes } from "../../../contract/event-forms.ts";
import { clockOf } from "../../clock.ts";
import { UsageError } from "../../failure.ts";
import { checkZone, createOutput } from "../../output.ts";
import type { Item } from "../../paging.ts";
import { readScalar } from "../../scalars.ts";
import { readDay } from "../../times.ts";
import type { Context } from "../../tree.ts";
import { addDays, daysBetween, firstOfMonth, lastOfMonth, mondayOf } from "./days.ts";
import { type Occurrence, occurrencesIn, type Span } from "./occurrences.ts";

type Type = (typeof eventTypes)[number];

const longest = 366;
const columns = ["day", "start", "end", "title", "location", "id"];

/** `wcs events calendar`: what takes place in a month, a week or between two days. */
export async function calendar(context: Context): Promise<void> {
  const { flags, globals, terminal } = context;
  const zone = globals.tz;
  const type = flags.type === undefined ? undefined : (readScalar(typeField, String(flags.type), "--type") as Type);
  const today = clockOf(checkZone(zone)).day(Math.floor(Date.now() / 1000));
  const span = await spanOf(flags, today, zone);
  const draw = async () => {
    const { drawCalendar } = await import("./drawing.ts");
    return (items: readonly Item[]) =>
      drawCalendar(items as unknown as readonly Occurrence[], { span, zone, today }, terminal);
  };
  const output = createOutput({ columns, items: "events", draw }, globals, terminal);
  const { caller } = await context.connect();
  try {
    const found = await terminal.spin("reading the calendar", occurrencesIn(caller, span, zone, type));
    await output.list([{ items: found as unknown as readonly Item[], more: false, response: found }]);
  } finally {
    await caller.close();
  }
}

const typeField = { kind: "string", values: eventTypes } as const;

/** The days that the flags name; without any, this month. */
async function spanOf(flags: Context["flags"], today: string, zone: string | undefined): Promise<Span> {
  const { month, week, from, to } = flags as { month?: string; week?: true; from?: string; to?: string };
  if (month !== undefined && (week || from !== undefined || to !== undefined))
    throw new UsageError("--month excludes --week, --from and --to");
  if (week && to !== undefined) throw new UsageError("--week and --to exclude each other");
  const first = from === undefined ? today : await readDay(from, "--from", zone);
  if (week) return { first: mondayOf(first), last: addDays(mondayOf(first), 6) };
  if (from === undefined && to === undefined) {
    const day = month === undefined ? today : await readMonth(month, zone);
    return { first: firstOfMonth(day), last: lastOfMonth(day) };
  }
  const last = to === undefined ? addDays(first, 27) : await readDay(to, "--to", zone);
  if (last < first) throw new UsageError(`--to ${last} is before --from ${first}`);
  if (daysBetween(first, last) >= longest) throw new UsageError(`a calendar has at most ${longest} days`);
  return { first, last };
}

/** A day of the month: `2026-12`, `december`, `next month`. */
async function readMonth(text: string, zone: string | undefined): Promise<string> {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text.trim())) return `${text.trim()}-01`;
  try {
    return await readDay(text, "--month", zone);
  } catch {
    throw new UsageError(`--month must be a month like 2026-12 or december, not '${text}'`);
  }
}
