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

/** Where what is exported goes, and what is said about what cannot. */
export interface Export<T> {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  write(items: readonly T[]): Promise<void>;
  /** Leaves something out, with the reason as a sentence. */
  leaveOut(what: string): void;
}

/** What is exported, as text. */
export interface Exported<T> {
  /** What messages call the items. */
  readonly name: string;
  /** A file, or - for stdout. */
  readonly path: string;
  /** What stands above the first item. */
  readonly head: string;
  text(items: readonly T[]): string | Promise<string>;
  /** What stands below the last item; read when that is written. */
  readonly tail?: string;
}

/** Exports rows of a table to the file that the line names, as it says. */
export async function exportFile(
  table: Table,
  context: Context,
  work: (to: Export<Row>) => Promise<void>,
): Promise<void> {
  const { globals, flags, args } = context;
  const path = (args.file as string | undefined) ?? "-";
  const csv = formatFor(path, flags.format, globals) === "csv";
  const rows: Exported<Row> = {
    name: table.name,
    path,
    head: csv ? csvLine(table.columns) : "",
    text: (some) => some.map((row) => (csv ? asCsv(row, table) : `${JSON.stringify(row)}\n`)).join(""),
  };
  await exportItems(rows, context, work);
}

/** Runs `work` and puts the file in its place when all is in it. What was left out makes it fail in the end. */
export async function exportItems<T>(
  exported: Exported<T>,
  context: Context,
  work: (to: Export<T>) => Promise<void>,
): Promise<void> {
  const { path, head, text } = exported;
  const { terminal } = context;
  const stop = new AbortController();
  const { signal } = stop;
  // On stdout there is nothing to tidy up: there Ctrl-C does what it does everywhere.
  if (path !== "-") terminal.onInterrupt(() => stop.abort(new Interrupted()));
  const file = path === "-" ? stdout(terminal) : await openDestination(path);
  const tally = createTally(exported, terminal);
  const write = async (items: readonly T[]) => {
    // Nothing else may give Ctrl-C a turn: a local database answers at once.
    await breathe();
    signal.throwIfAborted();
    await file.write(await text(items));
    tally.written(items.length);
  };
  try {
    const { caller } = await context.connect();
    try {
      await file.write(head);
      await work({ caller, signal, write, leaveOut: tally.leaveOut });
      const { tail } = exported;
      if (tail !== undefined) await file.write(tail);
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
  tally.report();
}

/** Counts what is written and what is left out, and tells of it. */
function createTally({ name, path }: Pick<Exported<unknown>, "name" | "path">, terminal: Terminal) {
  const count = { written: 0, left: 0 };
  return {
    written(more: number): void {
      count.written += more;
      if (path !== "-") terminal.progress(`exporting ${name}  ${count.written.toLocaleString("en")}`);
    },
    leaveOut(what: string): void {
      count.left += 1;
      terminal.progress(undefined);
      terminal.complain(`${terminal.plain(what)}\n`);
    },
    report(): void {
      const { written, left } = count;
      if (path !== "-") terminal.note(`exported ${written} ${name} to ${terminal.plain(path)}`);
      if (left > 0) throw new ServiceError("validation_failed", `${left} of ${left + written} ${name} were left out.`);
    },
  };
}

function asCsv(row: Row, { columns }: Table): string {
  return csvLine(columns.map((name) => escapeCell((row[name] as string | null) ?? "")));
}

function stdout(terminal: Terminal) {
  return {
    // A terminal shows lines, whatever ends them.
    write: (text: string) => terminal.write(terminal.stdoutIsTerminal ? harmless(text.replaceAll("\r\n", "\n")) : text),
    keep: async () => {},
    discard: async () => {},
  };
}
