import type { Paint } from "../../../terminal/colors.ts";
import { wrapText } from "../../../terminal/wrap-text.ts";
import type { CalendarEntry } from "./calendar-entries.ts";
import type { CellLine } from "./calendar-grid.ts";

/** Columns; cells that are narrower show times without zeros, for example 9 for 09:00. */
const roomy = 14;
const mostTitleLines = 4;

/** Returns one line per entry, at most `most` lines; with more entries the last line counts the rest. */
export function shortLines(entries: readonly CalendarEntry[], width: number, most: number, paint: Paint): CellLine[] {
  const shown = entries.length > most ? entries.slice(0, most - 1) : entries;
  const lines = shown.map((entry) => shortLine(entry, width, paint));
  const left = entries.length - shown.length;
  return left > 0 ? [...lines, { text: `+${left} more`, look: paint.dim }] : lines;
}

function shortLine({ title, from, goesOn }: CalendarEntry, width: number, paint: Paint): CellLine {
  if (goesOn) return { text: `› ${title}`, look: paint.dim };
  if (from === "") return { text: title, look: paint.success };
  const time = width < roomy ? from.replace(/^0/, "").replace(/(?<=..|[1-9]):00/, "") : from;
  return { text: `${time} ${title}`, look: (text) => paint.key(text.slice(0, time.length)) + text.slice(time.length) };
}

/** Returns all lines of the entries of a day in a week view, with an empty line between two entries. */
export function longLines(entries: readonly CalendarEntry[], width: number, paint: Paint): CellLine[] {
  return entries.flatMap((entry, at) => [...(at > 0 ? [blank] : []), ...linesOf(entry, width, paint)]);
}

const same = (text: string) => text;
const blank: CellLine = { text: "", look: same };

function linesOf({ title, location, from, to, goesOn }: CalendarEntry, width: number, paint: Paint): CellLine[] {
  const isWhole = from === "" && !goesOn;
  const time = [goesOn ? "›" : from, to].filter(Boolean);
  const range = time.join("–").length <= width ? time.join("–") : (time[0] ?? "");
  const titles = wrapText(title, width);
  const look = isWhole ? paint.success : same;
  return [
    ...(range ? [{ text: range, look: paint.key }] : []),
    ...titles.slice(0, mostTitleLines).map((text) => ({ text, look })),
    ...(location ? [{ text: location, look: paint.dim }] : []),
  ];
}
