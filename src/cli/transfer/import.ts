import { ServiceError } from "../../contract/errors.ts";
import { Interrupted } from "../failure.ts";
import type { Context } from "../tree.ts";
import { type Format, formatFor } from "./format.ts";
import type { Kind } from "./kinds.ts";
import { leftOut } from "./outcome.ts";
import { createReport, type Report } from "./report.ts";
import { openResultFile, type ResultFile } from "./result-file.ts";
import { type Job, send } from "./sending.ts";
import { openSource } from "./source.ts";
import { keepYoungHeapSmall } from "./young-heap.ts";

/** Imports a file of rows as the line says, and reports what became of them. */
export async function importFile(kind: Kind, context: Context): Promise<void> {
  const { terminal, globals, flags } = context;
  const file = String(context.args.file);
  const format = formatFor(file, flags.format, globals);
  keepYoungHeapSmall();
  const stop = new AbortController();
  const { signal } = stop;
  terminal.onInterrupt(() => stop.abort(new Interrupted()));
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

/** Refuses all rows when one is bad. */
async function check(job: Job, { terminal, flags }: Context): Promise<void> {
  const results = await resultFile(flags.results);
  const report = createReport({ terminal, results, sort: true });
  let bad = 0;
  try {
    await send(job, "checking", true, {
      add(line, outcome) {
        if (outcome.fields) bad += 1;
        report.add(line, leftOut(outcome.fields, outcome.reference));
      },
      flush: async () => {},
    });
    if (bad === 0) return;
    await report.flush();
    await results?.keep();
  } finally {
    await results?.discard();
  }
  terminal.note(report.summary());
  throw new ServiceError("validation_failed", `${bad} of ${report.rows} rows cannot go in, so none did (--strict).`);
}

async function carryOut(job: Job, { terminal, flags }: Context): Promise<void> {
  const results = await resultFile(flags.results);
  const dryRun = flags.dryRun === true;
  const report = createReport({ terminal, results, sort: false });
  try {
    await send(job, dryRun ? "checking" : "importing", dryRun, report);
  } catch (error) {
    throw await broken(error, report, job, dryRun);
  } finally {
    await results?.keep();
  }
  terminal.note(report.summary());
  if (dryRun) terminal.note("dry run: nothing was changed");
  if (report.leftOut === 0) return;
  throw new ServiceError("validation_failed", `${report.leftOut} of ${report.rows} rows were left out.`, {
    hint: "mend them and import the file again: what is in stays as it is",
  });
}

/** Says how far it came before it failed. */
async function broken(
  error: unknown,
  report: Report,
  { terminal, source, signal }: Job,
  dryRun: boolean,
): Promise<unknown> {
  await report.flush();
  if (report.rows === 0 || dryRun) return error;
  terminal.note(`${report.summary()}, and not yet the rest of ${terminal.plain(source.label)}`);
  if (signal.aborted) {
    terminal.note("what is in stays; the same command again takes the rest");
    return error;
  }
  if (!(error instanceof ServiceError) || error.hint !== undefined) return error;
  const { code, message, fields, retryAfter } = error;
  return new ServiceError(code, message, {
    hint: "what is in stays; the same command again takes the rest",
    ...(fields && { fields }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

async function resultFile(path: unknown): Promise<ResultFile | undefined> {
  if (path === undefined) return undefined;
  const format: Format = formatFor(String(path), undefined, { header: true, color: true, input: true });
  return openResultFile(String(path), format);
}
