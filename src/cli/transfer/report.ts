import type { FieldErrors } from "../../contract/errors.ts";
import type { Terminal } from "../terminal.ts";
import type { Outcome } from "./outcome.ts";
import type { ResultFile } from "./result-file.ts";

/** Counts what became of the rows and says which were left out, and why. */
export interface Report {
  add(line: number, outcome: Outcome): void;
  /** Says what has come up since; to be called now and then, and with `true` at the end. */
  flush(end?: true): Promise<void>;
  readonly leftOut: number;
  readonly rows: number;
  /** Whether rows name user types that are not there. */
  readonly lacksUserTypes: boolean;
  /** `created 1, changed 0, unchanged 0, left out 2`. */
  summary(): string;
}

interface ReportedRow {
  readonly line: number;
  readonly outcome: Outcome;
}

export interface ReportOptions {
  readonly terminal: Terminal;
  readonly results: ResultFile | undefined;
  /** Rows come in another order than that of the file: hold them back until the end. */
  readonly sort: boolean;
}

/** So many are shown where a file has them all. */
const shown = 100;

export function createReport({ terminal, results, sort }: ReportOptions): Report {
  const counts = { created: 0, changed: 0, unchanged: 0, "left out": 0 };
  const complain = complaining(terminal, results?.path);
  let rows: ReportedRow[] = [];
  let lacksUserTypes = false;
  return {
    add(line, outcome) {
      counts[outcome.action] += 1;
      lacksUserTypes ||= outcome.fields?.user_types?.some((reason) => reason.startsWith("names no user type")) ?? false;
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
    get lacksUserTypes() {
      return lacksUserTypes;
    },
    get leftOut() {
      return counts["left out"];
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

/** Says what is wrong with rows; after many of them only where the rest is, if there is such a place. */
function complaining(terminal: Terminal, rest: string | undefined) {
  let said = 0;
  return (rows: readonly ReportedRow[]): void => {
    const lines: string[] = [];
    for (const { line, outcome } of rows) {
      if (!outcome.fields) continue;
      said += 1;
      if (rest === undefined || said <= shown) lines.push(...sentences(line, outcome.fields));
      else if (said === shown + 1) lines.push(`the rest of what was left out is in ${rest}`);
    }
    if (lines.length === 0) return;
    terminal.progress(undefined);
    terminal.complain(lines.map((line) => `${terminal.plain(line)}\n`).join(""));
  };
}

/** What is wrong with a row, one sentence for each column. */
function sentences(line: number, fields: FieldErrors): string[] {
  return Object.entries(fields).map(([name, reasons]) =>
    name === "row" ? `line ${line} ${reasons.join(" and ")}` : `line ${line}, ${name}: ${reasons.join(" and ")}`,
  );
}
