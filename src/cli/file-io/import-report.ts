import type { FieldErrors } from "../../contract/errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ResultFile } from "./result-file.ts";
import type { Outcome } from "./row-outcome.ts";

/** Counts the outcomes of rows and prints the issues of those skipped. */
export interface Report {
  add(line: number, outcome: Outcome): void;
  /** Prints the issues since the last call. Must be called with `true` at the end. */
  flush(end?: true): Promise<void>;
  /** Numbers of rows by outcome. */
  readonly counts: Readonly<Record<Outcome["action"], number>>;
  readonly skipped: number;
  readonly rows: number;
  /** IDs of the users in the rows who are deactivated. */
  readonly deactivated: ReadonlySet<number>;
  /** Codes of the issues. */
  readonly codes: ReadonlySet<string>;
  /** Returns `created 1, changed 0, unchanged 0, skipped 2`. */
  summary(): string;
}

interface ReportedRow {
  readonly line: number;
  readonly outcome: Outcome;
}

interface ReportOptions {
  readonly terminal: Terminal;
  readonly results: ResultFile | undefined;
  /** Sorts the rows by line at the end, because they come in another order than that of the file. */
  readonly sort: boolean;
}

/** Maximum number of rows printed when a result file has all of them. */
const shown = 100;

export function createReport({ terminal, results, sort }: ReportOptions): Report {
  const counts = { created: 0, changed: 0, unchanged: 0, skipped: 0 };
  const complain = complaining(terminal, results?.path);
  let rows: ReportedRow[] = [];
  const codes = new Set<string>();
  const deactivated = new Set<number>();
  return {
    add(line, outcome) {
      if (outcome.deactivated && outcome.id !== null) deactivated.add(outcome.id);
      counts[outcome.action] += 1;
      for (const { code } of outcome.issues ?? []) codes.add(code);
      rows.push({ line, outcome });
    },
    async flush(end) {
      if (sort && !end) return;
      if (sort) rows.sort((a, b) => a.line - b.line);
      const ready = rows;
      rows = [];
      complain(ready);
      await results?.add(ready);
    },
    counts,
    deactivated,
    codes,
    get skipped() {
      return counts.skipped;
    },
    get rows() {
      return Object.values(counts).reduce((sum, count) => sum + count);
    },
    summary() {
      const parts = Object.entries(counts).map(([action, count]) => `${action} ${count}`);
      return parts.join(", ");
    },
  };
}

/** Prints the issues of rows. After `shown` rows it names the result file, if there is one. */
function complaining(terminal: Terminal, rest: string | undefined) {
  let said = 0;
  return (rows: readonly ReportedRow[]): void => {
    const lines: string[] = [];
    for (const { line, outcome } of rows) {
      if (!outcome.fields) continue;
      said += 1;
      if (rest === undefined || said <= shown) lines.push(...sentences(line, outcome.fields));
      else if (said === shown + 1) lines.push(`the other rows that were not imported are in ${rest}`);
    }
    if (lines.length === 0) return;
    terminal.progress(undefined);
    terminal.complain(lines.map((line) => `${terminal.sanitizeLine(line)}\n`).join(""));
  };
}

/** Formats the issues of a row, one line for each column. */
function sentences(line: number, fields: FieldErrors): string[] {
  return Object.entries(fields).map(([name, reasons]) =>
    name === "row" ? `line ${line} ${reasons.join(" and ")}` : `line ${line}, ${name}: ${reasons.join(" and ")}`,
  );
}
