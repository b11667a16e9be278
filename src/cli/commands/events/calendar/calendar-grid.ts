import type { Paint } from "../../../terminal/colors.ts";
import { cut, widthOf } from "../../../terminal/text-width.ts";
import { addDays, dayOfMonth, daysBetween, mondayOf, monthOf, weekOf } from "../../../time/days.ts";
import { monthNames } from "../../../time/recurrence/recurrence-words.ts";
import type { TimeSpan } from "./find-occurrences.ts";

export interface CellLine {
  readonly text: string;
  readonly look?: (text: string) => string;
}

interface Grid {
  readonly span: TimeSpan;
  readonly today: string;
  /** Width of a cell, in terminal columns. */
  readonly cell: number;
  readonly linesOf: (day: string) => readonly CellLine[];
}

export const weekdayHeadings = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Columns from which a cell has room for a blank on its left and for whole times. */
export const roomyCell = 14;

/** Returns the width of a cell for a terminal of that width; 0 when a week does not fit. */
export function cellWidth(width: number): number {
  const cell = Math.floor((width - 8) / 7);
  return cell < 8 ? 0 : Math.min(cell, 31);
}

/** Returns the width of the text in a cell. */
export const textWidth = (cell: number): number => (cell < roomyCell ? cell : cell - 1);

export const weeksIn = ({ first, last }: TimeSpan): number => daysBetween(mondayOf(first), mondayOf(last)) / 7 + 1;

/** Draws weeks below each other, with a column per day from Monday on and the week's number in the line above it. */
export function drawGrid(grid: Grid, paint: Paint): string {
  const { span, cell } = grid;
  const text = textWidth(cell);
  const pad = " ".repeat(cell - text);
  const rule = (left: string, middle: string, right: string, label = "") =>
    paint.dim(left + label + "─".repeat(cell - label.length) + `${middle}${"─".repeat(cell)}`.repeat(6) + right);
  const row = (cells: readonly CellLine[]) =>
    paint.dim("│") + cells.map((line) => pad + fitted(line, text) + paint.dim("│")).join("");
  const lines = [` ${weekdayHeadings.map((name) => (pad + name).padEnd(cell)).join(" ")}`.trimEnd()];
  for (let week = 0; week < weeksIn(span); week++) {
    const monday = addDays(mondayOf(span.first), week * 7);
    const label = `─ ${weekOf(monday)} `;
    lines.push(week === 0 ? rule("┌", "┬", "┐", label) : rule("├", "┼", "┤", label));
    const days = Array.from({ length: 7 }, (_, at) => addDays(monday, at));
    // Days outside the span stay empty: a number without events would suggest that nothing takes place.
    const columns = days.map((day) => (isIn(day, span) ? [numberOf(day, grid, paint), ...grid.linesOf(day)] : []));
    const height = Math.max(2, ...columns.map((column) => column.length));
    for (let at = 0; at < height; at++) lines.push(row(columns.map((column) => column[at] ?? { text: "" })));
  }
  lines.push(rule("└", "┴", "┘"));
  return lines.map((line) => `${line}\n`).join("");
}

const isIn = (day: string, { first, last }: TimeSpan) => day >= first && day <= last;

function numberOf(day: string, { span, today }: Grid, paint: Paint): CellLine {
  const isFirst = dayOfMonth(day) === 1 || day === span.first;
  const name =
    isFirst && span.first.slice(0, 7) !== span.last.slice(0, 7) ? ` ${monthNames[monthOf(day)]?.slice(0, 3)}` : "";
  const number = String(dayOfMonth(day)).padStart(2) + name;
  if (day === today) return { text: `${number} today`, look: paint.success };
  return { text: number, look: paint.strong };
}

function fitted({ text, look }: CellLine, width: number): string {
  const short = cut(text, width);
  return (look?.(short) ?? short) + " ".repeat(Math.max(0, width - widthOf(short)));
}
