import type { FileRow } from "../../../file-io/file-rows.ts";
import { batchesOf } from "../../../file-io/read-rows.ts";
import type { FileIssue } from "../file/file-issues.ts";
import type { OrganisationSection } from "../file/organisation-schema.ts";
import type { Task } from "../plan/change.ts";
import type { OrganisationPlan } from "../plan/make-plan.ts";
import type { OrganisationSnapshot, Planning } from "../plan/plan-context.ts";

export interface ApplyContext extends Planning {
  readonly plan: OrganisationPlan;
  readonly directory: ReturnType<typeof createDirectory>;
  /** Entries that the service rejected, and the reasons. */
  readonly refusals: FileIssue[];
}

/** Returns the IDs of existing items by label. Created items are added later. */
export function createDirectory({ unitByReference, userTypes }: OrganisationSnapshot, plan: OrganisationPlan) {
  /** By the label of the unit and the name of the department. */
  const departments = new Map<string, number>();
  for (const [reference, unit] of unitByReference) {
    for (const { id, name } of unit.departments) departments.set(departmentKey(reference, name), id);
  }
  return {
    units: new Map([...unitByReference].map(([reference, { id }]) => [reference, id])),
    userTypes: new Map(userTypes.map(({ id }) => [plan.userTypes.labelOf(id), id])),
    departments,
  };
}

export const departmentKey = (unit: string, department: string): string => JSON.stringify([unit, department]);

/** Returns the ID of an item that the plan guarantees to exist. */
export function idOfReference(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`${name} is not there any more`);
  return id;
}

export async function* inBatches<S extends OrganisationSection>(
  tasks: Iterable<Task<S>>,
  rowOf: (task: Task<S>) => FileRow,
  max: number,
) {
  function* sized() {
    for (const task of tasks) {
      const row = rowOf(task);
      yield [{ task, row, size: JSON.stringify(row).length }];
    }
  }
  for await (const batch of batchesOf(sized(), max)) {
    yield { tasks: batch.map(({ task }) => task), rows: batch.map(({ row }) => row) };
  }
}
