import type { FileFormat } from "./file-format.ts";
import type { Source } from "./open-source.ts";
import { readCsv } from "./read-csv.ts";
import { linesOf } from "./read-lines.ts";
import { readNdjson } from "./read-ndjson.ts";
import type { Table } from "./row-columns.ts";
import type { SourceRow } from "./source-row.ts";

/** Yields the rows of a file in batches. Throws `validation_failed` for unknown columns in a CSV header. */
export function readRows(source: Source, format: FileFormat, table: Table): AsyncIterable<SourceRow[]> {
  const lines = linesOf(source.read(), source.label);
  return format === "csv" ? readCsv(lines, table, source.label) : readNdjson(lines);
}

/** Regroups rows into batches of at most `most` rows that fit into one request. */
export async function* batchesOf(rows: AsyncIterable<SourceRow[]>, most: number): AsyncGenerator<SourceRow[]> {
  // In JSON a character takes up to six bytes, and a body is limited to 4 MiB.
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
