import type { AnyOperation, Caller } from "../../../../contract/operation.ts";
import { units } from "../../../../contract/units.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { walk } from "../../../kit/walk-list.ts";
import type { CurrentUnit, CurrentUserType } from "./current-entries.ts";

/** The items of an instance that others refer to. */
export interface OrganisationSnapshot {
  readonly userTypes: readonly CurrentUserType[];
  readonly units: readonly CurrentUnit[];
  readonly unitById: ReadonlyMap<number, CurrentUnit>;
  readonly unitByReference: ReadonlyMap<string, CurrentUnit>;
}

/** Loads all user types and units page by page. */
export async function loadHeld(caller: Caller, signal: AbortSignal): Promise<OrganisationSnapshot> {
  const types: CurrentUserType[] = [];
  for await (const type of each<CurrentUserType>(caller, usertypes.list, signal)) types.push(type);
  const found: CurrentUnit[] = [];
  // Drops fields that are not used here, to save memory.
  for await (const unit of each<CurrentUnit>(caller, units.list, signal))
    found.push({ ...unit, features: [], image: null });
  return {
    userTypes: types,
    units: found,
    unitById: new Map(found.map((unit) => [unit.id, unit])),
    unitByReference: new Map(found.flatMap((unit) => (unit.reference === null ? [] : [[unit.reference, unit]]))),
  };
}

/** Returns all items of a list, loaded page by page. */
export async function* each<T>(
  caller: Caller,
  list: AnyOperation,
  signal: AbortSignal,
  filter: Record<string, unknown> = {},
): AsyncGenerator<T> {
  for await (const { items } of walk(caller, list, filter)) {
    signal.throwIfAborted();
    for (const item of items) yield item as T;
  }
}
