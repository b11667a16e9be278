import type { Caller } from "../../../../contract/operation.ts";
import { batchesOf } from "../../../file-io/read-rows.ts";
import type { FileRow } from "../../../file-io/source-row.ts";
import type { Path } from "../file/file-issues.ts";
import type { OrganisationSection } from "../file/organisation-schema.ts";
import type { PlannedChange, Task } from "../plan/change.ts";
import type { OrganisationPlan } from "../plan/make-plan.ts";
import type { OrganisationSnapshot } from "../plan/snapshot.ts";
import type { Directory } from "./id-directory.ts";

/** A completed change. */
export interface Done extends PlannedChange {
  /** The secret of a created webhook. It is shown only here. */
  readonly secret?: string;
}

/** The context of the functions that apply a plan. */
export interface ApplyContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly plan: OrganisationPlan;
  readonly held: OrganisationSnapshot;
  readonly directory: Directory;
  /** Reports that the service rejected an entry. */
  readonly refused: (path: Path, reasons: readonly string[]) => void;
}

/** Tasks with their import rows. */
export interface Batch<S extends OrganisationSection> {
  readonly tasks: readonly Task<S>[];
  readonly rows: readonly FileRow[];
}

/** Splits tasks into batches of the size of one request. */
export async function* inBatches<S extends OrganisationSection>(
  tasks: Iterable<Task<S>>,
  rowOf: (task: Task<S>) => FileRow,
  most: number,
): AsyncGenerator<Batch<S>> {
  async function* sized() {
    for (const task of tasks) {
      const row = rowOf(task);
      yield [{ task, row, size: JSON.stringify(row).length }];
    }
  }
  for await (const batch of batchesOf(sized(), most)) {
    yield { tasks: batch.map(({ task }) => task), rows: batch.map(({ row }) => row) };
  }
}

/** Formats the messages about a row as sentences. */
export const reasonsOf = (fields: Readonly<Record<string, readonly string[]>> = {}): string[] =>
  Object.entries(fields).map(([name, reasons]) => `${name} ${reasons.join(" and ")}`);
