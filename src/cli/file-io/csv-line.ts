import { stringify } from "csv-stringify/sync";

/** Formats cells as a CSV line (RFC 4180, ending in "\n"). */
export function csvLine(cells: readonly string[]): string {
  // An unquoted carriage return at the end would be read as part of the line ending.
  return stringify([[...cells]], { quoted_match: /\r/ });
}
