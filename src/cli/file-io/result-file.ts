import { UsageError } from "../errors/cli-errors.ts";
import type { OutputEnvironment } from "../output/create-output.ts";
import { fieldSentences } from "../output/field-sentences.ts";
import { escapeCell } from "../output/spreadsheet-cells.ts";
import { sanitizeText } from "../terminal/sanitize.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { csvLine } from "./csv-line.ts";
import { type FileFormat, formatFor } from "./file-format.ts";
import type { Outcome } from "./file-rows.ts";
import { openDestination } from "./open-destination.ts";

/** A file with the outcome of each row. Without `keep`, disposing of it removes it. */
export interface ResultFile extends AsyncDisposable {
  /** Undefined for stdout. */
  readonly path: string | undefined;
  add(rows: readonly { readonly line: number; readonly outcome: Outcome }[]): Promise<void>;
  /** Moves the file to its path, with the rows added so far. */
  keep(): Promise<void>;
}

/** Opens the destination of results: the file of --results, or stdout with -o ndjson; undefined without both. */
export async function openResults({ terminal, globals, flags }: Required<OutputEnvironment>, when: PrintTime) {
  const path = flags.results as string | undefined;
  if (path !== undefined) return openResultFile(path, formatFor(path));
  return globals.output === "ndjson" ? printResults(terminal, when) : undefined;
}

async function openResultFile(path: string, format: FileFormat): Promise<ResultFile> {
  if (path === "-")
    throw new UsageError("--results needs a file", { hint: "with -o ndjson, the results are printed on stdout" });
  await using opened = new AsyncDisposableStack();
  const { write, ...file } = opened.use(await openDestination(path));
  const lineOf = format === "csv" ? asCsv : asJson;
  if (format === "csv") await write(csvLine(["line", "reference", "action", "id", "errors"]));
  opened.move();
  return {
    path,
    async add(rows) {
      if (rows.length > 0) await write(rows.map(({ line, outcome }) => lineOf(line, outcome)).join(""));
    },
    ...file,
  };
}

/** When results are printed: with each row, or not before `keep`. */
type PrintTime = "at once" | "at the end";

function printResults(terminal: Terminal, when: PrintTime): ResultFile {
  const held: string[] = [];
  return {
    path: undefined,
    async add(rows) {
      const lines = rows.map(({ line, outcome }) => asJson(line, outcome)).join("");
      const text = terminal.stdoutIsTerminal ? sanitizeText(lines) : lines;
      if (when === "at once") await terminal.write(text);
      else held.push(text);
    },
    keep: () => terminal.write(held.join("")),
    [Symbol.asyncDispose]: async () => {},
  };
}

function asCsv(line: number, { reference, action, id, fields }: Outcome): string {
  return csvLine([
    String(line),
    escapeCell(reference ?? ""),
    action,
    id === null ? "" : String(id),
    escapeCell(fieldSentences(fields).join("; ")),
  ]);
}

function asJson(line: number, { reference, action, id, changes, fields }: Outcome): string {
  return `${JSON.stringify({ line, reference, action, id, changes, errors: fields ?? null })}\n`;
}
