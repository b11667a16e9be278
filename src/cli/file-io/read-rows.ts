import type { ColumnMapping } from "./column-mapping.ts";
import type { FileFormat } from "./file-format.ts";
import type { SourceRow, Table } from "./file-rows.ts";
import type { Source } from "./open-source.ts";
import { readCsv } from "./read-csv.ts";
import { linesOf } from "./read-lines.ts";
import { readNdjson } from "./read-ndjson.ts";

/** Yields the rows of a file in batches. Throws `validation_failed` for unknown columns in a CSV header. */
export function readRows(source: Source, format: FileFormat, table: Table, mapping?: ColumnMapping) {
  const lines = linesOf(source.read(), source.label);
  const rows = format === "csv" ? readCsv(lines, table, source.label, mapping) : readNdjson(lines);
  return mapping ? mapRows(rows, format, mapping) : rows;
}

/** Maps the objects of JSON; rows of CSV have their fields already. Counts the values of the mapping in the sizes. */
async function* mapRows(rows: AsyncIterable<SourceRow[]>, format: FileFormat, mapping: ColumnMapping) {
  const more = JSON.stringify(mapping.values).length;
  for await (const some of rows) {
    yield some.map((each) => {
      if (!("row" in each)) return each;
      const { line, size, row } = each;
      return { line, size: size + more, ...(format === "csv" ? { row } : mapping.rowOf(row)) };
    });
  }
}

/** In JSON a character takes up to six bytes, and a body is limited to 4 MiB. */
const maxBodyLength = 655_360;

/** Regroups rows into batches of at most `max` rows that fit into one request. */
export async function* batchesOf<R extends Pick<SourceRow, "size">>(
  rows: AsyncIterable<readonly R[]> | Iterable<readonly R[]>,
  max: number,
  maxLength = maxBodyLength,
): AsyncGenerator<R[]> {
  let batch: R[] = [];
  let size = 0;
  for await (const some of rows) {
    for (const row of some) {
      if (batch.length === max || (batch.length > 0 && size + row.size > maxLength)) {
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
