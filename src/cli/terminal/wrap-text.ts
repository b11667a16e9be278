import { widthOf } from "./text-width.ts";

/** Breaks a text into lines of at most `width` terminal columns, between words where possible. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => (widthOf(line) <= width ? [line] : broken(line, width)));
}

function broken(line: string, width: number): string[] {
  const lines: string[] = [];
  let last = "";
  let used = 0;
  for (const piece of piecesOf(line, width)) {
    const wide = widthOf(piece);
    if (used + wide > width && used > 0) {
      lines.push(withoutSpaces(last));
      last = "";
      used = 0;
      // The line break replaces the space.
      if (piece.trim() === "") continue;
    }
    last += piece;
    used += wide;
  }
  if (last !== "") lines.push(withoutSpaces(last));
  return lines;
}

/** Removes spaces at the end. Other white space is part of the text. */
const withoutSpaces = (line: string) => line.replace(/ +$/, "");

/** Yields words and the spaces between them. Words wider than a line are split into characters. */
function* piecesOf(line: string, width: number): Generator<string> {
  for (const [piece] of line.matchAll(/ +|[^ ]+/g)) {
    if (widthOf(piece) <= width) yield piece;
    else for (const { segment } of new Intl.Segmenter().segment(piece)) yield segment;
  }
}
