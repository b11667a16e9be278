import type { FieldErrors } from "../../contract/errors.ts";
import { isRecord, tryParseJson } from "../../contract/parse-json.ts";
import type { FileRow, SourceRow } from "./file-rows.ts";
import { type Lines, maxRowLength } from "./read-lines.ts";
import { isTooDeep, tooDeep } from "./too-deep.ts";

export async function* readNdjson(blocks: AsyncIterable<Lines>): AsyncGenerator<SourceRow[]> {
  for await (const { lines, first, whole } of blocks) {
    const rows: SourceRow[] = [];
    for (const [index, text] of lines.entries()) {
      if (text.trim() !== "") rows.push({ line: first + index, size: text.length, ...rowIn(text, whole) });
    }
    yield rows;
  }
}

function rowIn(text: string, whole: boolean): { row: FileRow } | { fields: FieldErrors } {
  if (text.length > maxRowLength) return { fields: { row: ["is too long"] } };
  if (!whole && text.includes("\ufffd")) return { fields: { row: ["contains invalid UTF-8"] } };
  const row = tryParseJson(text);
  if (row === undefined) return { fields: { row: ["is not JSON"] } };
  if (!isRecord(row)) return { fields: { row: ["is not a JSON object"] } };
  if (isTooDeep(row)) return { fields: { row: [`is ${tooDeep}`] } };
  // A server refuses a whole request with such a key.
  if (text.includes('"__proto__"')) return { fields: { row: ["has the key '__proto__'"] } };
  // Null in JSON corresponds to an empty cell in CSV.
  return { row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ""])) };
}
