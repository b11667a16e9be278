import stringWidth from "string-width";

/** Characters of one column each. string-width, which knows all others, takes as long to load as Node itself. */
const narrow =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u21ff\u2500-\u257f]*$/;

export const widthOf = (text: string): number => (narrow.test(text) ? text.length : stringWidth(text));

/** Cuts a text to a number of terminal columns, ending in … if it was cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (narrow.test(text)) return `${text.slice(0, Math.max(width - 1, 0))}…`;
  let kept = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const minColumnWidth = 8;
/** Number of spaces between columns. */
const gap = 2;

/** Computes column widths: those of the contents, but the widest columns are narrowed to fit, except in `uncut`. */
export function columnWidths(
  rows: readonly (readonly string[])[],
  width: number,
  uncut: ReadonlySet<number> = new Set(),
): number[] {
  const wanted = wantedWidths(rows);
  let room = width - gap * (wanted.length - 1);
  for (const at of uncut) room -= wanted[at] ?? 0;
  const widths = [...wanted];
  const byWidth = wanted.flatMap((wide, at) => (uncut.has(at) ? [] : [{ at, wide }])).sort((a, b) => a.wide - b.wide);
  for (const [done, { at, wide }] of byWidth.entries()) {
    // Each remaining column may take an equal part of the remaining width.
    const part = Math.floor(room / (byWidth.length - done));
    const given = Math.min(wide, Math.max(part, Math.min(minColumnWidth, wide)));
    widths[at] = given;
    room -= given;
  }
  return widths;
}

/** Returns the number of columns, from the left, that a table of this width can show. */
export function columnsThatFit(
  rows: readonly (readonly string[])[],
  width: number,
  uncut: ReadonlySet<number>,
): number {
  const needed = wantedWidths(rows).map((wide, at) => (uncut.has(at) ? wide : Math.min(wide, minColumnWidth)));
  let used = -gap;
  const fitting = needed.findIndex((wide) => {
    used += gap + wide;
    return used > width;
  });
  return fitting === -1 ? needed.length : Math.max(fitting, 1);
}

const wantedWidths = (rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, at) => rows.reduce((max, row) => Math.max(max, widthOf(row[at] ?? "")), 1));
