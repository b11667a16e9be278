import { ServiceError } from "../../../contract/errors.ts";
import { recordsOf } from "../../file-io/csv-records.ts";
import type { FileFormat } from "../../file-io/file-format.ts";
import type { Source } from "../../file-io/open-source.ts";
import { rowOf } from "../../file-io/read-csv.ts";
import { linesOf } from "../../file-io/read-lines.ts";
import { readNdjson } from "../../file-io/read-ndjson.ts";
import type { SourceRow } from "../../file-io/source-row.ts";

/** Yields the rows of a file with any columns. Throws `validation_failed` when a CSV file lacks a needed column. */
export async function* batchRows(
  source: Source,
  format: FileFormat,
  needed: readonly string[],
): AsyncGenerator<SourceRow> {
  const lines = linesOf(source.read(), source.label);
  if (format === "ndjson") {
    for await (const rows of readNdjson(lines)) yield* rows;
    return;
  }
  let columns: readonly string[] | undefined;
  for await (const records of recordsOf(lines)) {
    if (columns === undefined) {
      const header = records.shift();
      if (header === undefined) continue;
      columns = "problem" in header.cells ? [] : header.cells.map((cell) => cell.trim());
      checkColumns(columns, needed, source.label);
    }
    const names = columns;
    yield* records.map((record) => rowOf(record, names));
  }
  if (columns === undefined)
    throw new ServiceError("validation_failed", `${source.label} is empty: its first line must name the columns.`);
}

function checkColumns(columns: readonly string[], needed: readonly string[], label: string): void {
  const missing = needed.filter((name) => !columns.includes(name));
  const double = columns.find((name, at) => columns.indexOf(name) !== at);
  if (double !== undefined) throw new ServiceError("validation_failed", `${label}: duplicate column ${double}.`);
  if (missing.length === 0) return;
  throw new ServiceError(
    "validation_failed",
    `${label}: missing ${missing.length > 1 ? "columns" : "column"} ${missing.join(", ")}.`,
    { hint: `The columns are ${columns.join(", ")}.` },
  );
}
