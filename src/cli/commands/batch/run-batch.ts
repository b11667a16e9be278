import { type ErrorCode, ServiceError } from "../../../contract/errors.ts";
import { tryParseJson } from "../../../contract/parse-json.ts";
import { type Failure, failureOf, UsageError } from "../../errors/cli-errors.ts";
import { formatFor } from "../../file-io/file-format.ts";
import type { SourceRow } from "../../file-io/file-rows.ts";
import { openSource, type Source } from "../../file-io/open-source.ts";
import { importProgress } from "../../file-io/show-progress.ts";
import { type CommandSpec, type Context, isGroup, isOperation } from "../../kit/command-spec.ts";
import { mutates } from "../../kit/field-flags.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { expandAlias, findCommand } from "../../kit/router.ts";
import { createOutput } from "../../output/create-output.ts";
import type { Page } from "../../output/item.ts";
import { readConfig } from "../../session/config.ts";
import { type Connection, shareConnection } from "../../session/connection.ts";
import { shownAddress } from "../../session/target.ts";
import { captureTerminal } from "../../terminal/captured-terminal.ts";
import { lineOf } from "../../terminal/shell-words.ts";
import { letInterrupt } from "../../terminal/signals.ts";
import { noPaint } from "../../terminal/terminal.ts";
import { type BatchResult, openResultLog, type ResultLog } from "./batch-results.ts";
import { batchRows } from "./batch-rows.ts";
import { columnsIn, type FilledTemplate, fillTemplate } from "./fill-template.ts";

interface Batch {
  readonly context: Context;
  readonly words: readonly string[];
  readonly source: Source;
  readonly connection: Connection;
  readonly log: ResultLog | undefined;
  readonly signal: AbortSignal;
}

export async function runBatch(context: Context): Promise<void> {
  const { terminal, args, flags } = context;
  const words = await checkCommand(context);
  const concurrency = concurrencyOf(flags.concurrency);
  const file = String(args.file);
  const format = formatFor(file, flags.format);
  const columns = ["line", "result", "exit", "error"];
  const output = createOutput<BatchResult>({ columns, items: "rows", endless: true, sample: sampleResult }, context);
  const signal = context.stopOnInterrupt();
  await using source = await openSource(file, terminal, { again: false, signal });
  const connection = await context.connect();
  using log =
    flags.results === undefined
      ? undefined
      : await openResultLog(String(flags.results), shownAddress(connection.target), flags.dryRun === true);
  const counts = { done: 0, failed: 0, skipped: 0 };
  try {
    const batch: Batch = { context, words, source, connection: shareConnection(connection, signal), log, signal };
    const rows = batchRows(source, format, columnsIn(words));
    const results = countedBy(counts, resultsOf(batch, rows, concurrency));
    await output.list(results);
  } catch (error) {
    if (counts.done + counts.failed > 0) terminal.note(`${summary(counts)}; the other rows did not run`);
    throw error;
  }
  terminal.note(summary(counts));
  if (flags.dryRun) terminal.note(dryRunNote);
  if (counts.failed > 0)
    throw new ServiceError(
      "validation_failed",
      `${counts.failed} of ${counts.done + counts.failed + counts.skipped} rows failed.`,
    );
}

const sampleResult: BatchResult = { line: 1, command: "", result: "done", exit: 0, output: null, error: null };

const summary = ({ done, failed, skipped }: Counts) => `done ${done}, failed ${failed}, skipped ${skipped}`;

type Counts = Record<"done" | "failed" | "skipped", number>;

/** Commands that find their database or instance themselves. */
const ownTarget = ["init", "demo", "serve", "db", "doctor", "batch", "webhooks deliver"];

/** Returns the words of the command. Throws a `UsageError` for one that does not exist or chooses a target. */
async function checkCommand({ args, flags, program, terminal }: Context): Promise<string[]> {
  const aliases = async () => readConfig(terminal.env).aliases ?? {};
  const words = await expandAlias(program.registry, args.command as string[], aliases);
  const { entry, path } = await findCommand(program.registry, words);
  if (entry === undefined || isGroup(entry)) {
    throw new UsageError(`'${words.join(" ")}' is not a command`, { hint: "write the command after --, without wcs" });
  }
  const name = ownTarget.find((each) => `${path.join(" ")} `.startsWith(`${each} `));
  if (name !== undefined)
    throw new UsageError(`wcs ${name} cannot run in a batch`, {
      hint: "it does not use the connection of the batch; run it in a loop of your shell",
    });
  if (flags.dryRun && !hasDryRun(entry))
    throw new UsageError(`wcs ${path.join(" ")} has no --dry-run`, { hint: "without -n, the batch runs it" });
  const confirms = words.some((word) => /^(--yes|--dry-run|--help|-[a-z]*[ynh])$/.test(word));
  if (isOperation(entry) && entry.confirm && !flags.dryRun && !confirms)
    throw new UsageError(`wcs ${path.join(" ")} needs a confirmation`, {
      hint: "add --yes to confirm it for each row",
    });
  const target = words.find((word) => /^--(profile|db|url|as|timeout|ca-file)(=|$)/.test(word));
  if (target !== undefined)
    throw new UsageError(`${target} belongs before --`, { hint: "all rows use one connection" });
  const isFormatted = words.some((word) =>
    /^(-o.*|--output(=.*)?|--json|--raw|--query(=.*)?|-t.*|--template(=.*)?)$/.test(word),
  );
  return [...(isFormatted ? [] : ["--json"]), ...words];
}

const hasDryRun = (entry: CommandSpec): boolean =>
  isOperation(entry) ? mutates(entry.op) : entry.flags?.some(({ flags }) => flags.includes("--dry-run")) === true;

function concurrencyOf(flag: unknown): number {
  const given = flag === undefined ? 1 : parseInteger(flag, "--concurrency");
  if (given >= 1 && given <= 16) return given;
  throw new UsageError("--concurrency must be between 1 and 16");
}

async function* countedBy(counts: Counts, results: AsyncIterable<BatchResult>): AsyncGenerator<Page<BatchResult>> {
  for await (const result of results) {
    counts[result.result] += 1;
    yield { items: [result], more: false, response: result };
  }
}

async function* resultsOf(batch: Batch, rows: AsyncIterable<SourceRow>, concurrency: number) {
  const { signal, context, source } = batch;
  const progress = context.terminal.stdoutIsTerminal ? undefined : importProgress(context.terminal, source);
  const running = new Map<number, Promise<RowRun & { readonly number: number }>>();
  let begun = 0;
  const next = async () => {
    const { number, result, failure } = await Promise.race(running.values());
    running.delete(number);
    signal.throwIfAborted();
    const fatal = failure && fatalCodes[failure.code];
    if (fatal) {
      // The hint of another code may name a flag that only the command of the row has.
      const hint = fatal === failure.code ? failure.hint : undefined;
      throw new ServiceError(fatal, `Stopped at line ${result.line}: ${failure.message}`, { hint });
    }
    progress?.("running", begun);
    return result;
  };
  try {
    for await (const row of rows) {
      await letInterrupt(signal);
      const number = begun++;
      running.set(
        number,
        runOne(batch, row).then((run) => ({ number, ...run })),
      );
      if (running.size >= concurrency) yield await next();
    }
    while (running.size > 0) yield await next();
  } finally {
    // The results of rows that have begun belong in the file, also when the batch stops early.
    await Promise.allSettled(running.values());
  }
}

/** Failures that other rows would have, too, with the code by which they end the batch. */
const fatalCodes: { readonly [C in Failure["code"]]?: ErrorCode } = {
  unauthenticated: "unauthenticated",
  // The hint of this code names a flag that only auth login has.
  otp_required: "unauthenticated",
  too_many_requests: "too_many_requests",
  unavailable: "unavailable",
};

interface RowRun {
  readonly result: BatchResult;
  readonly failure?: Failure | undefined;
}

async function runOne({ context, words, connection, log, signal }: Batch, source: SourceRow): Promise<RowRun> {
  const { line } = source;
  const failed = (exit: number, error: string): RowRun => ({
    result: { line, command: "", result: "failed", exit, output: null, error },
  });
  if ("fields" in source) return failed(3, `The row ${Object.values(source.fields).flat().join("; ")}.`);
  let filled: FilledTemplate;
  try {
    filled = fillTemplate(words, source.row);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return failed(2, [error.message, error.hint].filter(Boolean).join("; "));
  }
  const command = lineOf(filled.words);
  if (log?.takeDone(command))
    return { result: { line, command, result: "skipped", exit: 0, output: null, error: null } };
  const key = log?.begin(line, command);
  const { failure, ...run } = await runRow(
    filled,
    context,
    key === undefined ? connection : repeatable(connection, key),
  );
  const result: BatchResult = { line, command, result: run.exit === 0 ? "done" : "failed", ...run };
  // A row that the interrupt ended has not failed: the next run does it.
  if (key !== undefined && (run.exit === 0 || !signal.aborted)) log?.end(result, key);
  return { result, failure };
}

/** Gives each POST of a row a key that is the same when the row runs again, so that the service executes it once. */
function repeatable({ caller, raw, ...rest }: Connection, key: string): Connection {
  let posts = 0;
  const next = (method: string) => (method.toUpperCase() === "POST" ? `${key}-${posts++}` : undefined);
  return {
    ...rest,
    caller: {
      call: (op, input, options) => caller.call(op, input, { idempotencyKey: next(op.method), ...options }),
      close: caller.close,
    },
    raw:
      raw &&
      ((method, path, options) => {
        const own = next(method);
        const headers = { ...(own && { "idempotency-key": own }), ...options?.headers };
        return raw(method, path, { ...options, headers });
      }),
  };
}

/**
 * Runs the command of a row on the connection of the batch, as a dry run when the batch is one. Keeps its output and failure,
 * and drops its messages.
 */
async function runRow(
  { words, fileValues }: FilledTemplate,
  { terminal, program, flags }: Context,
  connection: Connection,
) {
  const written: string[] = [];
  let failure: Failure | undefined;
  try {
    const captor = captureTerminal(terminal, (text) => written.push(text));
    const line = flags.dryRun ? ["--dry-run", ...words] : words;
    await program.run(line, { ...captor, stdoutIsTerminal: false, paint: noPaint, fileValues }, connection);
  } catch (error) {
    failure = failureOf(error);
  }
  const error = failure && [failure.message, failure.hint].filter(Boolean).join(" ");
  return { exit: failure?.exit ?? 0, output: outputOf(written.join("")), error: error ?? null, failure };
}

function outputOf(text: string): unknown {
  if (text === "") return null;
  const value = tryParseJson(text);
  return value === undefined ? text : value;
}
