import type { Caller } from "../../contract/operation.ts";
import { batchesOf, type Row, type SourceRow } from "../transfer/rows.ts";
import type { Change, Task } from "./change.ts";
import type { Directory } from "./directory.ts";
import type { Section } from "./form.ts";
import type { Held } from "./held.ts";
import type { Path } from "./mistakes.ts";
import type { Plan } from "./plan.ts";

/** A change that was made. */
export interface Done extends Change {
  /** Of a webhook that was created: signs its calls, and is shown nowhere else. */
  readonly secret?: string;
}

/** Makes changes, in the order of the plan. */
export interface Work {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly plan: Plan;
  readonly held: Held;
  readonly directory: Directory;
  /** Tells what the service did not take, with its reasons. */
  readonly refused: (path: Path, reasons: readonly string[]) => void;
}

/** Some tasks with the rows that an import takes for them. */
export interface Batch<S extends Section> {
  readonly tasks: readonly Task<S>[];
  readonly rows: readonly Row[];
}

/** As many tasks at once as one request takes. */
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

/** What is wrong with a row, as sentences. */
export const reasonsOf = (fields: Readonly<Record<string, readonly string[]>> = {}): string[] =>
  Object.entries(fields).map(([name, reasons]) => `${name} ${reasons.join(" and ")}`);
