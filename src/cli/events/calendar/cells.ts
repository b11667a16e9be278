import { wrap } from "../../output/wrap.ts";
import type { Paint } from "../../paint.ts";
import type { Entry } from "./entries.ts";
import type { CellLine } from "./grid.ts";

/** Narrower cells have times without their zeros. */
const roomy = 14;
const mostTitleLines = 4;

/** A line for each entry, `most` at most: then the last one says how many more there are. */
export function shortLines(entries: readonly Entry[], width: number, most: number, paint: Paint): CellLine[] {
  const shown = entries.length > most ? entries.slice(0, most - 1) : entries;
  const lines = shown.map((entry) => shortLine(entry, width, paint));
  const left = entries.length - shown.length;
  return left > 0 ? [...lines, { text: `+${left} more`, look: paint.dim }] : lines;
}

function shortLine({ title, from, goesOn }: Entry, width: number, paint: Paint): CellLine {
  if (goesOn) return { text: `› ${title}`, look: paint.dim };
  if (from === "") return { text: title, look: paint.success };
  const time = width < roomy ? from.replace(/^0/, "").replace(/(?<=..|[1-9]):00/, "") : from;
  return { text: `${time} ${title}`, look: (text) => paint.key(text.slice(0, time.length)) + text.slice(time.length) };
}

/** All that a week has to say of each entry, with a line between two. */
export function longLines(entries: readonly Entry[], width: number, paint: Paint): CellLine[] {
  return entries.flatMap((entry, at) => [...(at > 0 ? [blank] : []), ...linesOf(entry, width, paint)]);
}

const same = (text: string) => text;
const blank: CellLine = { text: "", look: same };

function linesOf({ title, location, from, to, goesOn }: Entry, width: number, paint: Paint): CellLine[] {
  const isWhole = from === "" && !goesOn;
  const time = [goesOn ? "›" : from, to].filter(Boolean);
  const range = time.join("–").length <= width ? time.join("–") : (time[0] ?? "");
  const titles = wrap(title, width);
  const look = isWhole ? paint.success : same;
  return [
    ...(range ? [{ text: range, look: paint.key }] : []),
    ...titles.slice(0, mostTitleLines).map((text) => ({ text, look })),
    ...(location ? [{ text: location, look: paint.dim }] : []),
  ];
}
