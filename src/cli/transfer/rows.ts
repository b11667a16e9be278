import type { FieldErrors } from "../../contract/errors.ts";
import { readCsv } from "./csv.ts";
import type { Format } from "./format.ts";
import { linesOf } from "./lines.ts";
import { readNdjson } from "./ndjson.ts";
import type { Source } from "./source.ts";
import type { Table } from "./table.ts";

/** Values by column. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of a file, or what is wrong with it; under `row` where that is about the whole of it. */
export type SourceRow = { readonly line: number; readonly size: number } & (
  | { readonly row: Row }
  | { readonly fields: FieldErrors }
);

/** The rows of a file from its beginning, some at a time. Columns that the table does not have are an error. */
export function readRows(source: Source, format: Format, table: Table): AsyncIterable<SourceRow[]> {
  const lines = linesOf(source.read(), source.label);
  return format === "csv" ? readCsv(lines, table, source.label) : readNdjson(lines);
}

/** Puts rows together: at most `most` of them, and no more text than one request takes. */
export async function* batchesOf(rows: AsyncIterable<SourceRow[]>, most: number): AsyncGenerator<SourceRow[]> {
  // As JSON a character may take six bytes, and a body may have 4 MiB.
  const largest = 655_360;
  let batch: SourceRow[] = [];
  let size = 0;
  for await (const some of rows) {
    for (const row of some) {
      if (batch.length === most || (batch.length > 0 && size + row.size > largest)) {
        yield batch;
        batch = [];
        size = 0;
      }
      batch.push(row);
      size += row.size;
    }
  }
  if (batch.length > 0) yield batch;
}
