import type { Caller } from "../../../../contract/operation.ts";
import { batchesOf } from "../../../file-io/read-rows.ts";
import type { Row, SourceRow } from "../../../file-io/source-row.ts";
import type { Path } from "../file/file-issues.ts";
import type { Section } from "../file/organisation-schema.ts";
import type { Change, Task } from "../plan/change.ts";
import type { Plan } from "../plan/make-plan.ts";
import type { Held } from "../plan/snapshot.ts";
import type { Directory } from "./id-directory.ts";

/** A completed change. */
export interface Done extends Change {
  /** The secret of a created webhook. It is shown only here. */
  readonly secret?: string;
}

/** The context of the functions that apply a plan. */
export interface Work {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly plan: Plan;
  readonly held: Held;
  readonly directory: Directory;
  /** Reports that the service rejected an entry. */
  readonly refused: (path: Path, reasons: readonly string[]) => void;
}

/** Tasks with their import rows. */
export interface Batch<S extends Section> {
  readonly tasks: readonly Task<S>[];
  readonly rows: readonly Row[];
}

/** Splits tasks into batches of the size of one request. */
export async function* inBatches<S extends Section>(
  tasks: readonly Task<S>[],
  rowOf: (task: Task<S>) => Row,
  most: number,
): AsyncGenerator<Batch<S>> {
  async function* rows(): AsyncGenerator<SourceRow[]> {
    for (const [at, task] of tasks.entries()) {
      const row = rowOf(task);
      yield [{ line: at, size: JSON.stringify(row).length, row }];
    }
  }
  for await (const batch of batchesOf(rows(), most)) {
    yield {
      tasks: batch.map(({ line }) => tasks[line]!),
      rows: batch.flatMap((each) => ("row" in each ? [each.row] : [])),
    };
  }
}

/** Formats the messages about a row as sentences. */
export const reasonsOf = (fields: Readonly<Record<string, readonly string[]>> = {}): string[] =>
  Object.entries(fields).map(([name, reasons]) => `${name} ${reasons.join(" and ")}`);
