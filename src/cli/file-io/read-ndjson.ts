import { type Lines, longestRow } from "./read-lines.ts";
import type { FileRow, SourceRow } from "./source-row.ts";
import { isTooDeep, tooDeep } from "./too-deep.ts";

/** Reads rows from newline-delimited JSON. Skips empty lines. */
export async function* readNdjson(blocks: AsyncIterable<Lines>): AsyncGenerator<SourceRow[]> {
  for await (const { lines, first, whole } of blocks) {
    const rows: SourceRow[] = [];
    for (const [index, text] of lines.entries()) {
      if (text.trim() !== "") rows.push({ line: first + index, size: text.length, ...rowIn(text, whole) });
    }
    yield rows;
  }
}

function rowIn(text: string, whole: boolean): { row: FileRow } | { fields: { row: string[] } } {
  if (text.length > longestRow) return { fields: { row: ["is too long"] } };
  if (!whole && text.includes("\ufffd")) return { fields: { row: ["contains invalid UTF-8"] } };
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return { fields: { row: ["is not JSON"] } };
  }
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    return { fields: { row: ["is not a JSON object"] } };
  }
  if (isTooDeep(row)) return { fields: { row: [`is ${tooDeep}`] } };
  // Null in JSON corresponds to an empty cell in CSV.
  return { row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ""])) };
}
