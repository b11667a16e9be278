import { stringify } from "csv-stringify/sync";

/** Cells as a line of comma-separated values (RFC 4180, with "\n"). */
export function csvLine(cells: readonly string[]): string {
  // A return at the end of a line would be taken for a part of the line's end.
  return stringify([[...cells]], { quoted_match: /\r/ });
}
