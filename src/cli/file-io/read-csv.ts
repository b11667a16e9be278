import { unescapeCell } from "../output/spreadsheet-cells.ts";
import type { ColumnMapping } from "./column-mapping.ts";
import { readHeader, refusedHeader } from "./csv-header.ts";
import { type CsvRecord, recordsOf } from "./csv-records.ts";
import type { Lines } from "./read-lines.ts";
import type { Table } from "./row-columns.ts";
import type { FileRow, SourceRow } from "./source-row.ts";

/** Reads rows from CSV. The first line names the columns in any order; a mapping gives them other fields. */
export async function* readCsv(
  blocks: AsyncIterable<Lines>,
  table: Table,
  label: string,
  mapping?: ColumnMapping,
): AsyncGenerator<SourceRow[]> {
  let columns: readonly string[] | undefined;
  for await (const records of recordsOf(blocks)) {
    if (columns === undefined) {
      const header = records.shift();
      if (header === undefined) continue;
      if ("problem" in header.cells) throw refusedHeader(`${label}: the header line ${header.cells.problem}.`, table);
      columns = readHeader(header.cells, table, label, mapping);
    }
    const fields = columns;
    yield records.map((record) => rowOf(record, fields, mapping?.values));
  }
  if (columns === undefined) throw refusedHeader(`${label} is empty: its first line must name the columns.`, table);
}

/** Returns a record as a row with these columns, without those that are empty, and with the same `values` in each row. */
export function rowOf(
  { line, size, cells }: CsvRecord,
  columns: readonly string[],
  values: Readonly<Record<string, string>> = {},
): SourceRow {
  if ("problem" in cells) return { line, size, fields: { row: [cells.problem] } };
  if (cells.length !== columns.length) {
    return { line, size, fields: { row: [`has ${count(cells.length)}, and the header ${columns.length}`] } };
  }
  const row: Record<string, string> = { ...values };
  for (const [at, name] of columns.entries()) if (name !== "") row[name] = unescapeCell(cells[at] ?? "");
  return { line, size, row: row as FileRow };
}

const count = (columns: number) => (columns === 1 ? "1 column" : `${columns} columns`);
