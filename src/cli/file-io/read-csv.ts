import { ServiceError } from "../../contract/errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { unescapeCell } from "../output/spreadsheet-cells.ts";
import { type CsvRecord, recordsOf } from "./csv-records.ts";
import type { Lines } from "./read-lines.ts";
import type { Table } from "./row-columns.ts";
import type { FileRow, SourceRow } from "./source-row.ts";

/** Reads rows from CSV. The first line names the columns in any order. */
export async function* readCsv(blocks: AsyncIterable<Lines>, table: Table, label: string): AsyncGenerator<SourceRow[]> {
  let columns: readonly string[] | undefined;
  for await (const records of recordsOf(blocks)) {
    if (columns === undefined) {
      const header = records.shift();
      if (header === undefined) continue;
      columns = checkHeader(header, table, label);
    }
    const names = columns;
    yield records.map((record) => rowOf(record, names));
  }
  if (columns === undefined) throw refused(`${label} is empty: its first line must name the columns.`, table);
}

/** Returns a record as a row with these columns. */
export function rowOf({ line, size, cells }: CsvRecord, columns: readonly string[]): SourceRow {
  if ("problem" in cells) return { line, size, fields: { row: [cells.problem] } };
  if (cells.length !== columns.length) {
    return { line, size, fields: { row: [`has ${count(cells.length)}, and the header ${columns.length}`] } };
  }
  const row: Record<string, string> = {};
  for (const [at, name] of columns.entries()) row[name] = unescapeCell(cells[at] ?? "");
  return { line, size, row: row as FileRow };
}

const count = (columns: number) => (columns === 1 ? "1 column" : `${columns} columns`);

/** Returns the column names. Throws `validation_failed` when one is unknown, duplicate or missing. */
function checkHeader({ cells }: CsvRecord, table: Table, label: string): readonly string[] {
  if ("problem" in cells) throw refused(`${label}: the header line ${cells.problem}.`, table);
  const names = cells.map((cell) => cell.trim());
  const unknown = names.filter((name) => !table.columns.includes(name));
  if (unknown.length > 0) {
    const [first = ""] = unknown;
    const meant = suggestName(first, table.columns);
    const named = unknown.map((name) => `'${name}'`).join(", ");
    throw refused(
      `${label}: ${table.name} have no column ${named}${meant ? ` (did you mean '${meant}'?)` : ""}.`,
      table,
    );
  }
  const double = names.find((name, at) => names.indexOf(name) !== at);
  if (double !== undefined) throw refused(`${label}: duplicate column ${double}.`, table);
  const missing = table.required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw refused(`${label}: missing ${missing.length > 1 ? "columns" : "column"} ${missing.join(", ")}.`, table);
  }
  return names;
}

const refused = (message: string, { columns, required }: Table) =>
  new ServiceError("validation_failed", message, {
    hint: `Columns are ${columns.map((name) => (required.includes(name) ? `${name}*` : name)).join(", ")} (* required).`,
  });
