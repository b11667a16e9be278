import { setImmediate as breathe } from "node:timers/promises";
import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import { Interrupted } from "../failure.ts";
import { harmless } from "../plain.ts";
import { escapeCell } from "../spreadsheet.ts";
import type { Terminal } from "../terminal.ts";
import type { Context } from "../tree.ts";
import { csvLine } from "./csv-line.ts";
import { openDestination } from "./destination.ts";
import { formatFor } from "./format.ts";
import type { Row } from "./rows.ts";
import type { Table } from "./table.ts";

/** Where exported rows go, and what is said about those that cannot. */
export interface Export {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  write(rows: readonly Row[]): Promise<void>;
  /** Leaves something out, with the reason as a sentence. */
  leaveOut(what: string): void;
}

/** Runs `work` and puts the file in its place when all is in it. What was left out makes it fail in the end. */
export async function exportFile(table: Table, context: Context, work: (to: Export) => Promise<void>): Promise<void> {
  const { terminal, globals, flags, args } = context;
  const path = (args.file as string | undefined) ?? "-";
  const format = formatFor(path, flags.format, globals);
  const stop = new AbortController();
  const { signal } = stop;
  // On stdout there is nothing to tidy up: there Ctrl-C does what it does everywhere.
  if (path !== "-") terminal.onInterrupt(() => stop.abort(new Interrupted()));
  const file = path === "-" ? stdout(terminal) : await openDestination(path);
  const count = { written: 0, left: 0 };
  const write = async (rows: readonly Row[]) => {
    // Nothing else may give Ctrl-C a turn: a local database answers at once.
    await breathe();
    signal.throwIfAborted();
    await file.write(rows.map((row) => (format === "csv" ? asCsv(row, table) : `${JSON.stringify(row)}\n`)).join(""));
    count.written += rows.length;
    if (path !== "-") terminal.progress(`exporting ${table.name}  ${count.written.toLocaleString("en")} rows`);
  };
  const leaveOut = (what: string) => {
    count.left += 1;
    terminal.progress(undefined);
    terminal.complain(`${terminal.plain(what)}\n`);
  };
  try {
    const { caller } = await context.connect();
    try {
      if (format === "csv") await file.write(csvLine(table.columns));
      await work({ caller, signal, write, leaveOut });
      await file.keep();
    } finally {
      await caller.close();
    }
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  } finally {
    terminal.progress(undefined);
    await file.discard();
  }
  report(count, table, path, terminal);
}

function report(count: { written: number; left: number }, { name }: Table, path: string, terminal: Terminal): void {
  const { written, left } = count;
  if (path !== "-") terminal.note(`exported ${written} ${name} to ${terminal.plain(path)}`);
  if (left > 0) throw new ServiceError("validation_failed", `${left} of ${left + written} ${name} were left out.`);
}

function asCsv(row: Row, { columns }: Table): string {
  return csvLine(columns.map((name) => escapeCell((row[name] as string | null) ?? "")));
}

function stdout(terminal: Terminal) {
  return {
    write: (text: string) => terminal.write(terminal.stdoutIsTerminal ? harmless(text) : text),
    keep: async () => {},
    discard: async () => {},
  };
}
