import { realpath } from "node:fs/promises";
import { ServiceError } from "../../../contract/errors.ts";
import { Interrupted, UsageError } from "../../errors/cli-errors.ts";
import { formatFor } from "../../file-io/file-format.ts";
import { createReport, type Report } from "../../file-io/import-report.ts";
import { openSource } from "../../file-io/open-source.ts";
import { openResultFile, type PrintTime, printResults, type ResultFile } from "../../file-io/result-file.ts";
import { type Outcome, skippedRow } from "../../file-io/row-outcome.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput, formatOf } from "../../output/create-output.ts";
import type { ImportKind } from "./import-kinds.ts";
import { type Job, sendRows } from "./send-rows.ts";

/** Imports a file and reports the outcome of each row. */
export async function importFile(kind: ImportKind, context: Context): Promise<void> {
  const { terminal, globals, flags } = context;
  const file = String(context.args.file);
  const format = formatFor(file, flags.format);
  if (flags.results !== undefined && globals.output === "ndjson")
    throw new UsageError("--results and -o ndjson cannot be used together");
  const stop = new AbortController();
  const { signal } = stop;
  terminal.onInterrupt(() => stop.abort(new Interrupted()));
  if (flags.results !== undefined && (await isSame(String(flags.results), file))) {
    throw new UsageError("--results would overwrite the imported file");
  }
  const source = await openSource(file, terminal, { again: kind.parentsFirst || flags.strict === true, signal });
  try {
    const { caller } = await context.connect();
    const options = flags.createUserTypes ? { create_user_types: true } : {};
    const job: Job = { kind, source, format, caller, terminal, signal, options };
    try {
      if (flags.strict) await check(job, context);
      await carryOut(job, context);
    } finally {
      await caller.close();
    }
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  } finally {
    await source.close();
  }
}

/** Checks all rows in a dry run. Throws when a row is invalid. */
async function check(job: Job, context: Context): Promise<void> {
  const { terminal } = context;
  const results = await resultsOf(context, "at the end");
  const report = createReport({ terminal, results, sort: job.kind.parentsFirst });
  let bad = 0;
  const none = {
    add(line: number, outcome: Outcome) {
      if (outcome.fields) bad += 1;
      report.add(line, skippedRow(outcome.fields, outcome.reference, outcome.issues));
    },
    flush: () => report.flush(),
  };
  try {
    await sendRows(job, "checking", true, none);
    if (bad === 0) return;
    await report.flush(true);
    await results?.keep();
  } finally {
    await results?.discard();
  }
  terminal.note(report.summary());
  throw new ServiceError(
    "validation_failed",
    `${bad} of ${report.rows} rows are invalid; nothing was imported (--strict).`,
    {
      hint: hintFor(job, report),
    },
  );
}

async function carryOut(job: Job, context: Context): Promise<void> {
  const { terminal, globals, flags } = context;
  const results = await resultsOf(context, "at once");
  const dryRun = flags.dryRun === true;
  const report = createReport({ terminal, results, sort: job.kind.parentsFirst });
  try {
    await sendRows(job, dryRun ? "checking" : "importing", dryRun, report);
    await report.flush(true);
    await results?.keep();
  } catch (error) {
    await report.flush(true);
    if (report.rows > 0) await results?.keep();
    if (report.rows > 0 && !dryRun) sayHowFar(report, job);
    throw error;
  } finally {
    await results?.discard();
  }
  if (formatOf(globals, terminal) === "json") await createOutput({}, globals, terminal).one({ ...report.counts });
  else terminal.note(report.summary());
  if (dryRun) terminal.note("Dry run: nothing was changed.");
  if (report.skipped === 0) return;
  throw new ServiceError("validation_failed", `${report.skipped} of ${report.rows} rows were not imported.`, {
    hint: hintFor(job, report),
  });
}

function hintFor({ options }: Job, report: Report): string {
  return report.lacksUserTypes && !options.create_user_types
    ? "Pass --create-user-types to create missing user types."
    : "Correct these rows and import the file again; rows that are already imported stay unchanged.";
}

/** Reports the progress of an import that failed or was interrupted. */
function sayHowFar(report: Report, { terminal, source }: Job): void {
  terminal.note(`${report.summary()}; the rest of ${terminal.sanitizeLine(source.label)} was not imported`);
  terminal.note("The imported rows are kept. Run the same command again to import the rest.");
}

/** Opens the destination of the row results: the file of --results, or stdout with -o ndjson. */
async function resultsOf({ terminal, globals, flags }: Context, when: PrintTime): Promise<ResultFile | undefined> {
  const path = flags.results as string | undefined;
  if (path !== undefined) return openResultFile(path, formatFor(path));
  return globals.output === "ndjson" ? printResults(terminal, when) : undefined;
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => undefined)));
  return a !== undefined && a === b;
}
