import { realpath } from "node:fs/promises";
import { pluralize } from "../../../contract/count-text.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { once } from "../../../contract/once.ts";
import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { ColumnMapping } from "../../file-io/column-mapping.ts";
import { formatFor } from "../../file-io/file-format.ts";
import { type FileRow, type Outcome, skippedRow } from "../../file-io/file-rows.ts";
import { createReport, type Report } from "../../file-io/import-report.ts";
import { noteDeactivated } from "../../file-io/note-deactivated.ts";
import { openSource } from "../../file-io/open-source.ts";
import { openResults } from "../../file-io/result-file.ts";
import type { Context } from "../../kit/command-spec.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { createOutput, formatOf, type Output } from "../../output/create-output.ts";
import type { PlannedChange } from "../print-changes.ts";
import type { ImportKind } from "./import-kinds.ts";
import { type Job, sendRows } from "./send-rows.ts";

export interface FileImport {
  readonly kind: ImportKind;
  /** Further input fields of each call. */
  readonly options: Record<string, unknown>;
  readonly mapping?: ColumnMapping | undefined;
  /** Runs when the file has been read for the first time. */
  afterReading?(): Promise<void>;
  /** Runs before the first row. Returns the last step, which runs when every row is imported. */
  prepare?(caller: Caller): Promise<LastStep | undefined>;
}

/** Completes an import, given the IDs of the items in the file. Returns further facts for --json. */
type LastStep = (present: readonly number[], signal: AbortSignal) => Promise<object | undefined>;

export async function importFile(work: FileImport, context: Context): Promise<void> {
  const { kind, options, mapping } = work;
  const { terminal, globals, flags } = context;
  const file = String(context.args.file);
  const format = formatFor(file, flags.format);
  if (flags.results !== undefined && globals.output === "ndjson")
    throw new UsageError("--results and -o ndjson cannot be used together");
  if ((globals.output === "csv" || globals.output === "yaml") && !flags.dryRun)
    throw new UsageError(`-o ${globals.output} needs --dry-run here`, {
      hint: "for the result of each row, use --results FILE or -o ndjson",
    });
  for (const name of ["query", "fields", "template"] as const)
    if (globals[name] !== undefined && formatOf(context) !== "json")
      throw new UsageError(`--${name} needs --json here`, { hint: "for the result of each row, use -o ndjson and jq" });
  const signal = context.stopOnInterrupt();
  for (const [flag, path] of Object.entries({ "--results": flags.results, "--save-mapping": flags.saveMapping })) {
    if (path !== undefined && (await isSameFile(String(path), file)))
      throw new UsageError(`${flag} would overwrite the imported file`);
  }
  await using source = await openSource(file, terminal, { again: kind.parentsFirst || flags.strict === true, signal });
  const { caller } = await context.connect();
  const job: Job = { kind, source, format, caller, terminal, signal, options, mapping };
  const lastStep = await work.prepare?.(caller);
  const afterReading = once(async () => work.afterReading?.());
  if (flags.strict) await checkRows(job, context, afterReading);
  await carryOut(job, context, afterReading, lastStep);
}

/** Tries all rows, and throws `validation_failed` when one of them is invalid. */
async function checkRows(job: Job, context: Context, afterReading: () => Promise<void>): Promise<void> {
  const { terminal } = context;
  await using results = await openResults(context, "at the end");
  const report = createReport(terminal, results, job.kind.parentsFirst);
  let invalid = 0;
  const sink = {
    add(line: number, outcome: Outcome) {
      if (outcome.fields) invalid += 1;
      report.add(line, skippedRow(outcome.fields, outcome.reference, outcome.issues));
    },
    flush: () => report.flush(),
  };
  await Array.fromAsync(sendRows(job, "checking", true, sink));
  await afterReading();
  if (invalid === 0) return;
  await report.flush(true);
  await results?.keep();
  terminal.note(report.summary());
  throw new ServiceError(
    "validation_failed",
    `${invalid} of ${pluralize(report.rows, "row")} ${invalid === 1 ? "is" : "are"} invalid; nothing was imported (--strict).`,
    { hint: hintFor(job, report, "Correct these rows and import the file again.") },
  );
}

async function carryOut(job: Job, context: Context, afterReading: () => Promise<void>, lastStep: LastStep | undefined) {
  const { terminal, flags } = context;
  await using results = await openResults(context, "at once");
  const dryRun = flags.dryRun === true;
  const report = createReport(terminal, results, job.kind.parentsFirst);
  const facts = { ...job.mapping?.report(), ...(lastStep && { active: 0, deactivated: 0, kept: 0, users: null }) };
  const sample = { ...report.counts, ...facts, still_deactivated: null };
  const output = formatOf(context) === "json" ? createOutput<object>({ sample }, context) : undefined;
  const present: number[] = [];
  const changed: PlannedChange[] = [];
  const sink = {
    add(line: number, outcome: Outcome, row?: FileRow) {
      if (lastStep && outcome.id !== null) present.push(outcome.id);
      if (Array.isArray(outcome.changes)) changed.push(changeOf(job, outcome, outcome.changes, row));
      report.add(line, outcome);
    },
    flush: () => report.flush(),
  };
  try {
    const batches = sendRows(job, dryRun ? "checking" : "importing", dryRun, sink);
    await showChanges(batches, changed, context);
    await report.flush(true);
    await afterReading();
    await results?.keep();
  } catch (error) {
    await report.flush(true);
    if (report.rows > 0) await results?.keep();
    if (report.rows > 0 && !dryRun) {
      terminal.note(`${report.summary()}; the rest of ${job.source.label} was not imported`);
      terminal.note("The imported rows are kept. Run the same command again to import the rest.");
    }
    throw error;
  }
  await finish(job, context, { report, output }, async () => lastStep?.(present, job.signal));
  if (report.counts.skipped === 0) return;
  const were = `${report.counts.skipped} of ${pluralize(report.rows, "row")} ${report.counts.skipped === 1 ? "was" : "were"}`;
  throw new ServiceError("validation_failed", `${were} not imported.`, {
    hint: hintFor(
      job,
      report,
      "Correct these rows and import the file again; rows that are already imported stay unchanged.",
    ),
  });
}

const changeOf = ({ kind }: Job, { reference }: Outcome, changes: PlannedChange["changes"], row?: FileRow) => {
  const name = reference ?? String(row?.email);
  return { action: "update", kind: kind.table.name === "users" ? "user" : "unit", name, changes } as const;
};

/** Prints the changes that a dry run collects with each batch. JSON and NDJSON have other output. */
async function showChanges(batches: AsyncIterable<void>, changed: PlannedChange[], context: Context): Promise<void> {
  // stdout may lead to the same terminal through a pipe, so that writing to it does not remove the progress line.
  const clearProgress = () => context.terminal.progress(undefined);
  async function* portions() {
    for await (const _ of batches) {
      if (changed.length === 0) continue;
      clearProgress();
      yield changed.splice(0);
    }
    clearProgress();
  }
  if (!context.flags.dryRun || ["json", "ndjson"].includes(formatOf(context)))
    return void (await Array.fromAsync(portions()));
  const { printChanges } = await import("../print-changes.ts");
  await printChanges(portions(), context, { items: "changed rows" });
}

/** Runs the last step if every row is imported, and prints the numbers of rows, even if that step fails. */
async function finish(
  { mapping }: Job,
  { terminal, flags }: Context,
  { report, output }: { readonly report: Report; readonly output: Output<object> | undefined },
  lastStep: () => Promise<object | undefined>,
): Promise<void> {
  if (!output) terminal.note(report.summary());
  noteDeactivated(report.deactivated, "run wcs users reactivate <id>", terminal);
  let facts: object | undefined;
  try {
    if (report.counts.skipped === 0) facts = await lastStep();
    else if (flags.deactivateMissing === true)
      terminal.note("Nobody was deactivated, because rows were not imported: a missing user may be one of them.");
  } finally {
    const back = report.deactivated.size > 0 && { still_deactivated: [...report.deactivated] };
    await output?.one({ ...report.counts, ...mapping?.report(), ...facts, ...back });
    if (flags.dryRun === true) terminal.note(dryRunNote);
  }
}

function hintFor({ options, kind }: Job, { codes, rows }: Report, otherwise: string): string {
  // Beside other issues, a user type is more likely misspelt than new.
  if (codes.has("no_such_user_type") && codes.size === 1 && !options.create_user_types)
    return "Pass --create-user-types to create missing user types.";
  if (codes.has("no_such_department"))
    return "Add missing departments with wcs units department add <unit> <name>, and import the file again.";
  if (!codes.has("email_taken")) return otherwise;
  // A row can take the address that another row of the same request gives up.
  const first =
    rows > kind.max
      ? "If another row gives up the e-mail address that is taken, move both rows to the beginning of the file."
      : "Correct these rows and import the file again.";
  return `${first} To free the address of a user who has left, run wcs users update <id> --email <address>.`;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => undefined)));
  return a !== undefined && a === b;
}
