import { ServiceError } from "../../../contract/errors.ts";
import type { CsvRecord } from "../../file-io/csv-records.ts";
import { type FileFormat, hintOfJson } from "../../file-io/file-format.ts";
import type { Source } from "../../file-io/open-source.ts";
import { csvRows } from "../../file-io/read-csv.ts";
import { linesOf } from "../../file-io/read-lines.ts";
import { readNdjson } from "../../file-io/read-ndjson.ts";

/** Yields the rows of a file with any columns. Throws `validation_failed` when a CSV file lacks a needed column. */
export async function* batchRows(source: Source, format: FileFormat, needed: readonly string[]) {
  const lines = linesOf(source.read(), source.label);
  const rows =
    format === "ndjson" ? readNdjson(lines) : csvRows(lines, (header) => columnsOf(header, needed, source.label));
  for await (const some of rows) yield* some;
}

/** Returns the names of the columns. Throws `validation_failed` when the header lacks a needed one. */
function columnsOf(header: CsvRecord["cells"] | undefined, needed: readonly string[], label: string): string[] {
  const refused = (message: string, hint?: string) =>
    new ServiceError("validation_failed", `${label}${message}.`, { hint });
  if (header === undefined) throw refused(" is empty: its first line must name the columns");
  if ("issue" in header) throw refused(`: the header line ${header.issue}`);
  const columns = header.map((cell) => cell.trim());
  const double = columns.find((name, at) => columns.indexOf(name) !== at);
  if (double !== undefined) throw refused(`: duplicate column ${double}`);
  const missing = needed.filter((name) => !columns.includes(name));
  if (missing.length === 0) return columns;
  const hint = hintOfJson(columns) ?? `The columns are ${columns.join(", ")}.`;
  throw refused(`: missing ${missing.length > 1 ? "columns" : "column"} ${missing.join(", ")}`, hint);
}
