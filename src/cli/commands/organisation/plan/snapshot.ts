import type { Caller } from "../../../../contract/operation.ts";
import { units } from "../../../../contract/units.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { walkItems } from "../../../kit/walk-list.ts";

/** The items of an instance that others refer to. */
export type OrganisationSnapshot = Awaited<ReturnType<typeof loadHeld>>;

export async function loadHeld(caller: Caller, signal: AbortSignal) {
  const userTypes = await Array.fromAsync(walkItems(caller, usertypes.list, {}, signal));
  // Drops fields that are not used here, to save memory.
  const found = await Array.fromAsync(walkItems(caller, units.list, {}, signal), (unit) => ({
    ...unit,
    features: [],
    image: null,
  }));
  return {
    userTypes,
    units: found,
    unitById: new Map(found.map((unit) => [unit.id, unit])),
    unitByReference: new Map(found.flatMap((unit) => (unit.reference === null ? [] : [[unit.reference, unit]]))),
  };
}
