import { widthOf } from "./width.ts";

/** The lines of a text, broken so that none takes more than `width` columns of a terminal: between words where it can. */
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
      // The space that the break stands for.
      if (piece.trim() === "") continue;
    }
    last += piece;
    used += wide;
  }
  if (last !== "") lines.push(withoutSpaces(last));
  return lines;
}

/** Other blanks than spaces are part of the text. */
const withoutSpaces = (line: string) => line.replace(/ +$/, "");

/** Words and the spaces between them; words wider than a line as their characters. */
function* piecesOf(line: string, width: number): Generator<string> {
  for (const [piece] of line.matchAll(/ +|[^ ]+/g)) {
    if (widthOf(piece) <= width) yield piece;
    else for (const { segment } of new Intl.Segmenter().segment(piece)) yield segment;
  }
}
