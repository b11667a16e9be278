import { timesIn } from "../../../output/format-value.ts";
import type { Paint } from "../../../terminal/colors.ts";
import { sanitizeLine } from "../../../terminal/sanitize.ts";
import type { Terminal } from "../../../terminal/terminal.ts";
import { wrapText } from "../../../terminal/wrap-text.ts";
import { addDays, dayOfMonth, daysBetween, monthOf, weekdayOf, weekOf } from "../../../time/days.ts";
import { monthNames } from "../../../time/recurrence/recurrence-words.ts";
import { clockOf } from "../../../time/zone-clock.ts";
import { type CellLine, cellWidth, drawGrid, roomyCell, textWidth, weekdayHeadings, weeksIn } from "./calendar-grid.ts";
import type { ShownOccurrence, TimeSpan } from "./find-occurrences.ts";

interface Picture {
  readonly span: TimeSpan;
  readonly zone: string | undefined;
  readonly today: string;
}

/**
 * Draws a calendar as wide as the terminal, or a list of days when a week does not fit. A single week shows all details, several
 * weeks as much as there is room for.
 */
export function drawCalendar(occurrences: readonly ShownOccurrence[], picture: Picture, terminal: Terminal): string {
  const { span, zone, today } = picture;
  const { paint, width, height } = terminal;
  const entries = entriesByDay(occurrences, span, zone);
  const cell = cellWidth(width);
  if (cell === 0) return `${titleOf(span)}\n\n${drawDays(entries, paint)}`;
  const weeks = weeksIn(span);
  // All weeks fit on the screen, below the title, if three lines per cell do.
  const max = Math.max(3, Math.floor((height - 4) / weeks) - 2);
  const linesOf = (day: string) => {
    const some = entries.get(day) ?? [];
    return weeks === 1 ? longLines(some, textWidth(cell), paint) : shortLines(some, cell, max, paint);
  };
  return `${centred(titleOf(span), width, paint)}\n${drawGrid({ span, today, cell, linesOf }, paint)}`;
}

/** Returns `December 2026`, `Week 52, 21–27 December 2026`, or the first and the last day. */
function titleOf({ first, last }: TimeSpan): string {
  const partsOf = (day: string) => ({ day: dayOfMonth(day), month: monthNames[monthOf(day)], year: day.slice(0, 4) });
  const [from, to] = [partsOf(first), partsOf(last)];
  const end = `${to.day} ${to.month} ${to.year}`;
  const isMonth = from.day === 1 && first.slice(0, 7) === last.slice(0, 7) && daysBetween(first, last) > 26;
  if (isMonth) return `${from.month} ${from.year}`;
  const begin =
    from.year !== to.year
      ? `${from.day} ${from.month} ${from.year} – `
      : from.month !== to.month
        ? `${from.day} ${from.month} – `
        : `${from.day}–`;
  const days = first === last ? end : begin + end;
  return weekdayOf(first) === 0 && daysBetween(first, last) === 6 ? `Week ${weekOf(first)}, ${days}` : days;
}

const centred = (text: string, width: number, paint: Paint) =>
  " ".repeat(Math.max(0, Math.floor((width - text.length) / 2))) + paint.strong(text);

function drawDays(entries: ReadonlyMap<string, readonly CalendarEntry[]>, paint: Paint): string {
  if (entries.size === 0) return "There are no events.\n";
  const blocks = [...entries]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([day, some]) => {
      const head = `${weekdayHeadings[weekdayOf(day)]} ${dayOfMonth(day)} ${monthNames[monthOf(day)]}`;
      const lines = some.map(({ title, from, to, goesOn, location }) => {
        const time = goesOn ? `› ${to}`.trim() : [from, to].filter(Boolean).join("–") || "all day";
        return `  ${paint.key(time.padEnd(11))}  ${title}${location && paint.dim(`  ${location}`)}\n`;
      });
      return `${paint.strong(head)}\n${lines.join("")}`;
    });
  return blocks.join("\n");
}

const maxTitleLines = 4;

/** Returns one line per entry, at most `max` lines; with more entries the last line counts the rest. */
function shortLines(entries: readonly CalendarEntry[], cell: number, max: number, paint: Paint): CellLine[] {
  const shown = entries.length > max ? entries.slice(0, max - 1) : entries;
  const lines = shown.map((entry) => shortLine(entry, cell, paint));
  const left = entries.length - shown.length;
  return left > 0 ? [...lines, { text: `+${left} more`, look: paint.dim }] : lines;
}

function shortLine({ title, from, goesOn }: CalendarEntry, cell: number, paint: Paint): CellLine {
  if (goesOn) return { text: `› ${title}`, look: paint.dim };
  if (from === "") return { text: title, look: paint.success };
  // Narrow cells show 9 for 09:00.
  const time = cell < roomyCell ? from.replace(/^0/, "").replace(/(?<=..|[1-9]):00/, "") : from;
  return { text: `${time} ${title}`, look: (text) => paint.key(text.slice(0, time.length)) + text.slice(time.length) };
}

/** Returns all lines of the entries of a day in a week view, with an empty line between two entries. */
function longLines(entries: readonly CalendarEntry[], width: number, paint: Paint): CellLine[] {
  return entries.flatMap((entry, at) => [...(at > 0 ? [{ text: "" }] : []), ...entryLines(entry, width, paint)]);
}

function entryLines({ title, location, from, to, goesOn }: CalendarEntry, width: number, paint: Paint): CellLine[] {
  const isWhole = from === "" && !goesOn;
  const time = [goesOn ? "›" : from, to].filter(Boolean);
  const range = time.join("–").length <= width ? time.join("–") : (time[0] ?? "");
  const titles = wrapText(title, width);
  return [
    ...(range ? [{ text: range, look: paint.key }] : []),
    ...titles.slice(0, maxTitleLines).map((text) => (isWhole ? { text, look: paint.success } : { text })),
    ...(location ? [{ text: location, look: paint.dim }] : []),
  ];
}

interface CalendarEntry {
  readonly title: string;
  readonly location: string;
  /** Start time, for example `14:00`; empty for whole days and when the event began on an earlier day. */
  readonly from: string;
  /** End time, for example `15:00`; empty when it equals `from` or is on a later day. */
  readonly to: string;
  /** The event began on an earlier day. */
  readonly goesOn: boolean;
}

/** Groups occurrences by the days of the span, in their order. An event over several days has an entry on each. */
function entriesByDay(occurrences: readonly ShownOccurrence[], span: TimeSpan, zone: string | undefined) {
  const clock = clockOf(zone);
  const time = (instant: number) => timesIn(zone).short(instant).slice(11);
  const entries = new Map<string, CalendarEntry[]>();
  for (const { title, location, day, start, end } of occurrences) {
    const texts = { title: sanitizeLine(title), location: sanitizeLine(location ?? "") };
    // An event that ends at midnight has no entry on the day that then begins.
    const last = start === null || end === null ? day : clock.day(Math.max(start, end - 1));
    for (let at = day < span.first ? span.first : day; at <= last && at <= span.last; at = addDays(at, 1)) {
      const from = start === null || at !== day ? "" : time(start);
      const to = end === null || at !== last || end === start ? "" : time(end);
      const more = entries.get(at) ?? [];
      more.push({ ...texts, from, to, goesOn: at !== day });
      entries.set(at, more);
    }
  }
  return entries;
}
