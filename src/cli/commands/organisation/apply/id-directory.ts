import type { OrganisationPlan } from "../plan/make-plan.ts";
import type { OrganisationSnapshot } from "../plan/snapshot.ts";

/** IDs by label. Created items are added. */
export interface Directory {
  readonly units: Map<string, number>;
  readonly userTypes: Map<string, number>;
  /** IDs of departments by the label of the unit and the name of the department. */
  readonly departments: Map<string, number>;
}

export const departmentKey = (unit: string, department: string): string => JSON.stringify([unit, department]);

export function createDirectory(
  { unitByReference, userTypes }: OrganisationSnapshot,
  plan: OrganisationPlan,
): Directory {
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

/** Returns the ID of an item that the plan guarantees to exist. */
export function idOfReference(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`${name} is not there any more`);
  return id;
}
