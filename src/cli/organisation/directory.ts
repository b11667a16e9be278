import type { Held } from "./held.ts";
import type { Plan } from "./plan.ts";

/** IDs by what a file calls things; what is made is put in. */
export interface Directory {
  readonly units: Map<string, number>;
  readonly userTypes: Map<string, number>;
  /** Departments by the name of the unit and their own. */
  readonly departments: Map<string, number>;
}

export const departmentKey = (unit: string, department: string): string => JSON.stringify([unit, department]);

export function createDirectory({ unitByReference, userTypes }: Held, plan: Plan): Directory {
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

/** The ID of what the plan has made sure to be there. */
export function idOf(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`${name} is not there any more`);
  return id;
}
