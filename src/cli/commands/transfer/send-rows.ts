import type { Caller } from "../../../contract/operation.ts";
import type { ColumnMapping } from "../../file-io/column-mapping.ts";
import type { FileFormat } from "../../file-io/file-format.ts";
import { type FileRow, type Outcome, type SourceRow, skippedRow } from "../../file-io/file-rows.ts";
import { limitHeap } from "../../file-io/heap-limit.ts";
import type { Report } from "../../file-io/import-report.ts";
import type { Source } from "../../file-io/open-source.ts";
import { batchesOf, readRows } from "../../file-io/read-rows.ts";
import { requireOutcomes } from "../../file-io/require-outcomes.ts";
import { importProgress, type Progress } from "../../file-io/show-progress.ts";
import { letInterrupt } from "../../terminal/signals.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ImportKind } from "./import-kinds.ts";
import { withoutNewIds } from "./rehearse-import.ts";
import { type Order, orderOf } from "./unit-order.ts";

export interface Job {
  readonly kind: ImportKind;
  readonly source: Source;
  readonly format: FileFormat;
  readonly caller: Caller;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly mapping: ColumnMapping | undefined;
  /** Further input fields of each call. */
  readonly options: Record<string, unknown>;
}

interface Results extends Pick<Report, "flush"> {
  add(line: number, outcome: Outcome, row?: FileRow): void;
}

/** Sends all rows of a file in batches, parents before their children. Yields after each batch. */
export async function* sendRows(job: Job, what: string, dryRun: boolean, results: Results): AsyncGenerator<void> {
  const { kind, source, signal } = job;
  const rehearsal = dryRun ? kind.rehearse(job.caller, signal) : undefined;
  const progress = importProgress(job.terminal, source);
  let batchNumber = 0;
  let done = 0;
  for await (const batch of batchesOf(rowsInOrder(job, progress), kind.max)) {
    await letInterrupt(signal);
    limitHeap();
    const good = batch.flatMap((each) => ("row" in each ? [each] : []));
    const rows = good.map(({ row }) => row);
    const send = async (some: readonly FileRow[]) => {
      if (some.length === 0) return [];
      const input = { rows: some, ...job.options, ...rehearsal?.inputFor?.(some) };
      const response = await job.caller.call(kind.op, input, { dryRun, signal });
      return requireOutcomes((response as { results: readonly Outcome[] }).results, some, dryRun);
    };
    let answers = await send(rows);
    // The service does not know what earlier batches gave up, so rows that take it are sent with other values.
    const replace = (some: readonly FileRow[]) => rehearsal?.replaceFreed?.(some, answers);
    for (let some = replace(rows); some; some = replace(some)) answers = await send(some);
    await rehearsal?.prepare?.(answers, batchNumber);
    const outcomes = dryRun ? withoutNewIds(answers, good) : answers;
    let next = 0;
    for (const each of batch) {
      if ("fields" in each) results.add(each.line, skippedRow(each.fields));
      else {
        // There is an outcome for each row.
        const outcome = outcomes[next++]!;
        results.add(each.line, rehearsal?.judge(each.line, each.row, outcome, batchNumber) ?? outcome, each.row);
      }
    }
    batchNumber += 1;
    done += batch.length;
    await results.flush();
    progress(`${what} ${kind.table.name}`, done);
    yield;
  }
}

async function* rowsInOrder({ kind, source, format, mapping }: Job, progress: Progress): AsyncGenerator<SourceRow[]> {
  const read = () => readRows(source, format, kind.table, mapping);
  if (!kind.parentsFirst) return yield* read();
  const order = await orderOf(withProgress(read(), progress));
  for (let pass = 0; pass < order.passes; pass++) yield* rowsOfPass(read(), order, pass);
}

async function* withProgress(rows: AsyncIterable<SourceRow[]>, progress: Progress): AsyncGenerator<SourceRow[]> {
  let done = 0;
  for await (const some of rows) {
    done += some.length;
    progress("reading", done);
    yield some;
  }
}

async function* rowsOfPass(rows: AsyncIterable<SourceRow[]>, { passOf, cycles }: Order, pass: number) {
  let place = 0;
  for await (const some of rows) {
    const now: SourceRow[] = [];
    for (const each of some) {
      const fields = cycles.get(place);
      if (passOf[place] === pass) now.push(fields ? { line: each.line, size: 0, fields } : each);
      place += 1;
    }
    yield now;
  }
}
