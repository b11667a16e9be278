import { escapeCell } from "../spreadsheet.ts";
import { csvLine } from "./csv-line.ts";
import { openDestination } from "./destination.ts";
import type { Format } from "./format.ts";
import type { Outcome } from "./outcome.ts";

/** A file with what became of each row. */
export interface ResultFile {
  readonly path: string;
  add(rows: readonly { readonly line: number; readonly outcome: Outcome }[]): Promise<void>;
  /** Puts the file in its place, with as many rows as there are. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** Begins a file of results, as CSV or as JSON lines. */
export async function openResultFile(path: string, format: Format): Promise<ResultFile> {
  const { write, keep, discard } = await openDestination(path);
  const lineOf = format === "csv" ? asCsv : asJson;
  if (format === "csv") await write(csvLine(["line", "reference", "action", "id", "errors"]));
  return {
    path,
    async add(rows) {
      if (rows.length > 0) await write(rows.map(({ line, outcome }) => lineOf(line, outcome)).join(""));
    },
    keep,
    discard,
  };
}

function asCsv(line: number, { reference, action, id, fields = {} }: Outcome): string {
  const errors = Object.entries(fields).map(([name, reasons]) => `${name} ${reasons.join(" and ")}`);
  return csvLine([
    String(line),
    escapeCell(reference ?? ""),
    action,
    id === null ? "" : String(id),
    escapeCell(errors.join("; ")),
  ]);
}

function asJson(line: number, { reference, action, id, fields }: Outcome): string {
  return `${JSON.stringify({ line, reference, action, id, errors: fields ?? null })}\n`;
}
