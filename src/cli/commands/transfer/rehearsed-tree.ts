import type { Caller } from "../../../contract/operation.ts";
import { units } from "../../../contract/units.ts";
import { walkItems } from "../../kit/walk-list.ts";

/** A unit by its reference, or by its ID without one. */
type UnitKey = string | number;

export type RehearsedTree = ReturnType<typeof createRehearsedTree>;

/** Creates the tree as the rows of a dry run so far would have made it. */
export function createRehearsedTree(caller: Caller, signal: AbortSignal) {
  const parents = new Map<UnitKey, UnitKey | undefined>();
  const ids = new Map<string, number>();
  let isLoaded = false;
  return {
    async load(): Promise<void> {
      if (isLoaded) return;
      isLoaded = true;
      const keys = new Map<number, UnitKey>();
      // Parents come before their children.
      for await (const { id, reference, parent_id } of walkItems(caller, units.tree, {}, signal)) {
        const key = reference ?? id;
        keys.set(id, key);
        if (reference !== null) ids.set(reference, id);
        if (!parents.has(key)) parents.set(key, parent_id === null ? undefined : keys.get(parent_id));
      }
    },
    /** Puts a unit below another one, or below the root without one. */
    move: (reference: string, parent: string | undefined) => void parents.set(reference, parent),
    /** Returns true when the unit `reference` is `parent` or above it, as far as units are known. */
    isWithin(parent: string, reference: string): boolean {
      // The service may have changed meanwhile, so that units could lead back to themselves.
      const seen = new Set<UnitKey>();
      for (let at: UnitKey | undefined = parent; at !== undefined && !seen.has(at); at = parents.get(at)) {
        if (at === reference) return true;
        seen.add(at);
      }
      return false;
    },
    /** Returns the ID of a unit that the service has, once it is loaded. */
    idOf: (reference: string) => ids.get(reference),
  };
}
