import type { FieldErrors } from "../../contract/errors.ts";
import { messageOf } from "../../contract/issue-messages.ts";
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
  // Spares flat rows the scan, which is slower than the parsing: as many keys are left as the text has.
  const isSure = text.match(/"\s*:/g)?.length === Object.keys(row).length;
  const repeated = isSure ? undefined : repeatedKey(text);
  if (repeated !== undefined) return { fields: { row: [`has the key '${repeated}' twice`] } };
  // A server refuses a whole request with such a key.
  const unknown = text.includes("__proto__") ? prototypeKey(row) : undefined;
  if (unknown !== undefined) return { fields: { [unknown]: [messageOf({ code: "unknown_field" })] } };
  // Null in JSON corresponds to an empty cell in CSV.
  return { row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ""])) };
}

/** Returns a key that an object in a valid JSON text has twice: `JSON.parse` takes the last one silently. */
function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, key] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (key !== undefined) {
      const name: string = JSON.parse(key);
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

/** Returns the path of a key `__proto__`; undefined when there is none. */
function prototypeKey(value: object): string | undefined {
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") return key;
    const found = typeof inner === "object" && inner !== null ? prototypeKey(inner) : undefined;
    if (found !== undefined) return `${key}.${found}`;
  }
  return undefined;
}
