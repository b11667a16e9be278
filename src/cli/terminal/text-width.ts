import stringWidth from "string-width";

/** Latin-1 characters that take one column each; excludes the soft hyphen. */
const latin = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u00ff]*$/;

/** Returns the number of terminal columns of a text. */
export const widthOf = (text: string): number => (latin.test(text) ? text.length : stringWidth(text));

/** Cuts a text to a number of terminal columns; … marks what is cut off. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const narrowest = 8;

/** Computes the column widths of a table: as wide as their content, with the widest columns narrowed to fit. */
export function columnWidths(rows: readonly (readonly string[])[], width: number, gap: number): number[] {
  const [first = []] = rows;
  const wanted = first.map((_, at) => rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), 1));
  let room = width - gap * (wanted.length - 1);
  const widths = [...wanted];
  const byWidth = [...wanted.entries()].sort(([, a], [, b]) => a - b);
  for (const [done, [at, wide]] of byWidth.entries()) {
    // Each remaining column may take an equal part of the remaining width.
    const part = Math.floor(room / (byWidth.length - done));
    widths[at] = Math.min(wide, Math.max(part, Math.min(narrowest, wide)));
    room -= widths[at];
  }
  return widths;
}
