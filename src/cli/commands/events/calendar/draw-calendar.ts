import type { Paint } from "../../../terminal/colors.ts";
import type { Terminal } from "../../../terminal/terminal.ts";
import { dayOfMonth, daysBetween, monthOf, weekdayOf, weekOf } from "../../../time/days.ts";
import { monthNames } from "../../../time/recurrence/recurrence-words.ts";
import { longLines, shortLines } from "./calendar-cells.ts";
import { type CalendarEntry, entriesByDay } from "./calendar-entries.ts";
import { cellWidth, drawGrid, weekdayHeadings, weeksIn } from "./calendar-grid.ts";
import type { ShownOccurrence, TimeSpan } from "./find-occurrences.ts";

/** The days to draw; a single week shows all details, several weeks as much as there is room for. */
interface Picture {
  readonly span: TimeSpan;
  readonly zone: string | undefined;
  readonly today: string;
}

/** Draws a calendar as wide as the terminal, or a list of days when a week does not fit. */
export function drawCalendar(occurrences: readonly ShownOccurrence[], picture: Picture, terminal: Terminal): string {
  const { span, zone, today } = picture;
  const { paint, width, height } = terminal;
  const entries = entriesByDay(occurrences, span, zone);
  const cell = cellWidth(width);
  if (cell === 0) return `${titleOf(span)}\n\n${drawDays(entries, paint)}`;
  const weeks = weeksIn(span);
  const most = weeks === 1 ? Number.POSITIVE_INFINITY : mostLines(height, weeks);
  const linesOf = (day: string) => {
    const some = entries.get(day) ?? [];
    return weeks === 1 ? longLines(some, cell, paint) : shortLines(some, cell, most, paint);
  };
  return `${centred(titleOf(span), width, paint)}\n${drawGrid({ span, today, cell, linesOf }, paint)}`;
}

/** Returns the number of lines per cell with which all weeks fit on the screen, at least three. */
function mostLines(height: number, weeks: number): number {
  const besides = 4;
  return Math.max(3, Math.floor((height - besides) / weeks) - 2);
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
