import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { OutputEnvironment } from "../output/create-output.ts";
import { escapeCell } from "../output/spreadsheet-cells.ts";
import { sanitizeText } from "../terminal/sanitize.ts";
import { letInterrupt } from "../terminal/signals.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { writeErrorLines } from "../terminal/write-error-lines.ts";
import { csvLine } from "./csv-line.ts";
import { formatFor } from "./file-format.ts";
import type { FileRow, Table } from "./file-rows.ts";
import { openDestination } from "./open-destination.ts";

interface ExportCommand extends Required<OutputEnvironment> {
  readonly args: Readonly<Record<string, string | string[] | undefined>>;
  connect(): Promise<{ readonly caller: Caller }>;
  stopOnInterrupt(): AbortSignal;
}

export interface Export<T> {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  write(items: readonly T[]): Promise<void>;
  /** Reports an item that cannot be exported. `what` is a sentence with the reason. */
  skip(what: string): void;
}

export interface ExportSpec<T> {
  /** Plural noun of the items in messages. */
  readonly name: string;
  /** A file, or - for stdout. */
  readonly path: string;
  /** Text before the first item. */
  readonly head: string;
  text(items: readonly T[]): string | Promise<string>;
  /** Text after the last item. Read after the last item is written. */
  readonly tail?: string;
}

export async function writeExportFile(
  table: Table,
  context: ExportCommand,
  work: (to: Export<FileRow>) => Promise<void>,
): Promise<void> {
  const { globals, flags, args } = context;
  const path = (args.file as string | undefined) ?? "-";
  if (/\.(xlsx?|ods)$/i.test(path))
    throw new UsageError(`${path} would not be a workbook`, { hint: "name it .csv; spreadsheet programs open that" });
  const csv = formatFor(path, flags.format, globals) === "csv";
  const asCsv = (row: FileRow) => csvLine(table.columns.map((name) => escapeCell((row[name] as string | null) ?? "")));
  const spec: ExportSpec<FileRow> = {
    name: table.name,
    path,
    head: csv ? csvLine(table.columns) : "",
    text: (some) => some.map(csv ? asCsv : (row) => `${JSON.stringify(row)}\n`).join(""),
  };
  await exportItems(spec, context, work);
}

/** Runs `work` and moves the complete file to its path. Throws `validation_failed` at the end if items were omitted. */
export async function exportItems<T>(
  spec: ExportSpec<T>,
  context: ExportCommand,
  work: (to: Export<T>) => Promise<void>,
): Promise<void> {
  const { name, path, head, text } = spec;
  const { terminal } = context;
  // Stdout needs no cleanup, so the default handler of Ctrl-C stays.
  const signal = path === "-" ? new AbortController().signal : context.stopOnInterrupt();
  await using file = path === "-" ? stdout(terminal) : await openDestination(path);
  let [written, left] = [0, 0];
  const skip = (what: string): void => {
    left += 1;
    writeErrorLines([what], terminal);
  };
  let isBegun = false;
  // Nothing is written when the first items cannot be read.
  const begin = async () => {
    if (!isBegun) await file.write(head);
    isBegun = true;
  };
  const write = async (items: readonly T[]) => {
    await letInterrupt(signal);
    const next = await text(items);
    await begin();
    await file.write(next);
    written += items.length;
    if (path !== "-") terminal.progress(`exporting ${name}  ${written.toLocaleString("en")}`);
  };
  const { caller } = await context.connect();
  await work({ caller, signal, write, skip });
  await begin();
  if (spec.tail !== undefined) await file.write(spec.tail);
  await file.keep();
  if (path !== "-") terminal.note(`Exported ${written} ${written === 1 ? name.replace(/s$/, "") : name} to ${path}`);
  if (left > 0) throw new ServiceError("validation_failed", `${left} of ${left + written} ${name} were not exported.`);
}

function stdout(terminal: Terminal) {
  return {
    // A terminal needs no CR.
    write: (text: string) =>
      terminal.write(terminal.stdoutIsTerminal ? sanitizeText(text.replaceAll("\r\n", "\n")) : text),
    keep: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
