import { widthOf } from "./text-width.ts";

/** A line of a text: the indexes of its first character and of the character after it. */
type Line = readonly [from: number, to: number];

export const wrapText = (text: string, width: number): string[] =>
  linesIn(text, width).map(([from, to]) => text.slice(from, to));

/** Does not use wrap-ansi, which replaces characters by their normal form and so changes names in some scripts. */
export function linesIn(text: string, width: number): Line[] {
  let start = 0;
  return text.split("\n").flatMap((line) => {
    const from = start;
    start += line.length + 1;
    const lines: readonly Line[] = widthOf(line) <= width ? [[0, line.length]] : [...broken(line, width)];
    return lines.map(([first, end]): Line => [from + first, from + end]);
  });
}

/** Yields the lines without spaces at their ends. Other white space is part of the text. */
function* broken(line: string, width: number): Generator<Line> {
  let [from, end, at, used] = [0, 0, 0, 0];
  for (const piece of piecesOf(line, width)) {
    const wide = widthOf(piece);
    const isSpace = piece.startsWith(" ");
    used += wide;
    if (used > width && used > wide) {
      yield [from, Math.max(from, end)];
      // The line break replaces the space.
      from = isSpace ? at + piece.length : at;
      used = isSpace ? 0 : wide;
    }
    at += piece.length;
    if (!isSpace) end = at;
  }
  if (at > from) yield [from, Math.max(from, end)];
}

/** Yields words and the spaces between them. Words wider than a line are split into characters. */
function* piecesOf(line: string, width: number): Generator<string> {
  for (const [piece] of line.matchAll(/ +|[^ ]+/g)) {
    if (widthOf(piece) <= width) yield piece;
    else for (const { segment } of new Intl.Segmenter().segment(piece)) yield segment;
  }
}
