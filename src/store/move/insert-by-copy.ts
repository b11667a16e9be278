import { CompiledQuery } from "kysely";
import type { Tx } from "../database.ts";
import { hexadecimal, type StoredRow, type StoredValue } from "./row-batches.ts";
import type { CatalogueTable } from "./table-catalogue.ts";

/** Inserts rows into a table of PostgreSQL with COPY, which takes a quarter of the time of an INSERT. */
export async function insertByCopy(
  tx: Tx,
  table: Pick<CatalogueTable, "name" | "columns">,
  rows: readonly StoredRow[],
) {
  const { name, columns } = table;
  let lines = "";
  for (const row of rows) {
    let separator = "";
    for (const column of columns) {
      lines += separator + cellOf(row[column] ?? null);
      separator = "\t";
    }
    lines += "\n";
  }
  const quoted = columns.map((column) => `"${column}"`).join(", ");
  await tx.executeQuery(CompiledQuery.raw(`copy "${name}" (${quoted}) from stdin`, [Buffer.from(lines)]));
}

/** Returns a value in the text format of COPY. */
function cellOf(value: StoredValue): string {
  if (value === null) return "\\N";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, escaped) : value;
  return `\\\\x${hexadecimal(value)}`;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escaped = (character: string) => escapes[character] ?? character;
