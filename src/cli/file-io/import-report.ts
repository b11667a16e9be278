import { pluralize } from "../../contract/count-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { writeErrorLines } from "../terminal/write-error-lines.ts";
import type { Outcome } from "./file-rows.ts";
import type { ResultFile } from "./result-file.ts";

export type Report = ReturnType<typeof createReport>;

interface ReportedRow {
  readonly line: number;
  readonly outcome: Outcome;
}

const maxShown = 100;

/** Counts the outcomes of rows and prints the issues. With `sort`, sorts rows by line before it reports them. */
export function createReport(terminal: Terminal, results: ResultFile | undefined, sort = false) {
  const counts = { created: 0, changed: 0, unchanged: 0, skipped: 0 };
  const issues = collectIssues(terminal, results && (results.path ?? "the output"));
  let rows: ReportedRow[] = [];
  const codes = new Set<string>();
  const deactivated = new Set<number>();
  return {
    add(line: number, outcome: Outcome): void {
      if (outcome.deactivated && outcome.id !== null) deactivated.add(outcome.id);
      counts[outcome.action] += 1;
      for (const { code } of outcome.issues ?? []) codes.add(code);
      rows.push({ line, outcome });
    },
    /** Writes the results since the last call. Must be called with `true` at the end, which prints the issues. */
    async flush(end?: true): Promise<void> {
      if (sort && !end) return;
      if (sort) rows.sort((a, b) => a.line - b.line);
      const ready = rows;
      rows = [];
      for (const row of ready) issues.add(row);
      if (end) issues.print();
      await results?.add(ready);
    },
    counts: counts as Readonly<typeof counts>,
    /** IDs of the users in the rows who are deactivated. */
    deactivated: deactivated as ReadonlySet<number>,
    codes: codes as ReadonlySet<string>,
    get rows(): number {
      return Object.values(counts).reduce((sum, count) => sum + count);
    },
    /** Returns `created 1, changed 0, unchanged 0, skipped 2`. */
    summary: () =>
      Object.entries(counts)
        .map(([action, count]) => `${action} ${count}`)
        .join(", "),
  };
}

interface FoldedIssue {
  readonly text: string;
  /** First and last lines of runs of further rows. */
  readonly runs: [number, number][];
  /** Number of rows that are not in the runs. */
  more: number;
}

const maxRuns = 5;

/** Collects issues and prints equal ones together. Beyond `maxShown` issues it counts rows, and says that `results` has them. */
function collectIssues(terminal: Terminal, results: string | undefined) {
  const issues = new Map<string, FoldedIssue>();
  let hidden = 0;
  return {
    /** Adds the issues of a row; lines must ascend. */
    add({ line, outcome }: ReportedRow): void {
      let isHidden = false;
      for (const [name, reasons] of Object.entries(outcome.fields ?? {})) {
        const text = `${name === "row" ? "" : `, ${name}:`} ${reasons.join(" and ")}`;
        const issue = issues.get(text);
        if (issue) addLine(issue, line);
        else if (issues.size < maxShown) issues.set(text, { text: `line ${line}${text}`, runs: [], more: 0 });
        else isHidden = true;
      }
      if (isHidden) hidden += 1;
    },
    print(): void {
      const lines = [...issues.values()].map(({ text, runs, more }) => `${text}${formatRuns(runs, more)}`);
      if (hidden > 0) {
        const rows = `issues of ${pluralize(hidden, "more row")}`;
        const place = results === undefined ? "not shown; --results FILE writes all" : `in ${results}`;
        lines.push(`${rows} are ${place}`);
      }
      if (lines.length === 0) return;
      writeErrorLines(lines, terminal);
      issues.clear();
      hidden = 0;
    },
  };
}

function addLine(issue: FoldedIssue, line: number): void {
  const last = issue.runs.at(-1);
  if (last?.[1] === line - 1 && issue.more === 0) last[1] = line;
  else if (issue.runs.length < maxRuns) issue.runs.push([line, line]);
  else issue.more += 1;
}

/** Formats further lines: ` (also lines 3-7, 9 and 20 more)`. */
function formatRuns(runs: FoldedIssue["runs"], more: number): string {
  const [first, ...others] = runs;
  if (first === undefined) return "";
  const lines = runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
  const noun = others.length === 0 && first[0] === first[1] ? "line" : "lines";
  return ` (also ${noun} ${lines}${more > 0 ? ` and ${more} more` : ""})`;
}
