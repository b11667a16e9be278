import { pluralize } from "../../contract/count-text.ts";
import { unescapeCell } from "../output/spreadsheet-cells.ts";
import type { ColumnMapping } from "./column-mapping.ts";
import { readHeader, refusedHeader } from "./csv-header.ts";
import { type CsvRecord, recordsOf } from "./csv-records.ts";
import type { SourceRow, Table } from "./file-rows.ts";
import type { Lines } from "./read-lines.ts";

/**
 * Reads rows from CSV. The first line names the columns in any order; a mapping gives them other fields. Line breaks in
 * cells, which spreadsheets make to fit a text into a column, become spaces where the field has one line.
 */
export async function* readCsv(blocks: AsyncIterable<Lines>, table: Table, label: string, mapping?: ColumnMapping) {
  const columnsOf = (header: CsvRecord["cells"] | undefined) => {
    if (header === undefined) throw refusedHeader(`${label} is empty: its first line must name the columns.`, table);
    if ("issue" in header) throw refusedHeader(`${label}: the header line ${header.issue}.`, table);
    return readHeader(header, table, label, mapping);
  };
  for await (const rows of csvRows(blocks, columnsOf, mapping?.values)) {
    for (const each of rows) if ("row" in each) joinLines(each.row, table);
    yield rows;
  }
}

function joinLines(row: Record<string, unknown>, table: Table): void {
  for (const name in row) {
    const cell = row[name];
    if (typeof cell !== "string" || !/[\r\n]/.test(cell) || table.multiline.includes(name)) continue;
    // Tries a run of spaces once: from each space, the time would grow with the square of its length.
    row[name] = cell.trim().replace(/(?<!\s)\s*[\r\n]\s*/g, " ");
  }
}

/** Yields rows with the columns that `columnsOf` returns for the first line, which is undefined in an empty file. */
export async function* csvRows(
  blocks: AsyncIterable<Lines>,
  columnsOf: (header: CsvRecord["cells"] | undefined) => readonly string[],
  values?: Readonly<Record<string, string>>,
): AsyncGenerator<SourceRow[]> {
  let columns: readonly string[] | undefined;
  let width = 0;
  for await (const records of recordsOf(blocks)) {
    const header = columns ? undefined : records.shift();
    if (header) {
      columns = columnsOf(named(header.cells));
      width = "issue" in header.cells ? 0 : header.cells.length;
    }
    const names = columns;
    if (names) yield records.map((record) => rowOf(record, names, width, values));
  }
  if (columns === undefined) columnsOf(undefined);
}

/** Returns the cells of a header without the empty ones at its end, which spreadsheets write for columns that were used before. */
function named(cells: CsvRecord["cells"]): CsvRecord["cells"] {
  return "issue" in cells ? cells : cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1);
}

/** Returns a record as a row, without unnamed columns and with the constant values. */
function rowOf(
  { line, size, cells }: CsvRecord,
  names: readonly string[],
  width: number,
  values?: Readonly<Record<string, string>>,
): SourceRow {
  const refused = (issue: string): SourceRow => ({ line, size, fields: { row: [issue] } });
  if ("issue" in cells) return refused(cells.issue);
  if (cells.length !== width) return refused(`has ${pluralize(cells.length, "column")}, and the header ${width}`);
  const surplus = cells.findIndex((cell, at) => at >= names.length && cell.trim() !== "");
  if (surplus >= 0) return refused(`has a value in column ${surplus + 1}, which has no name`);
  const row: Record<string, string> = { ...values };
  names.forEach((name, at) => {
    if (name !== "") row[name] = unescapeCell(cells[at] ?? "");
  });
  return { line, size, row };
}
