import type { DatabaseSync } from "node:sqlite";
import type { Caller } from "../../../../contract/operation.ts";
import { units } from "../../../../contract/units.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { suggestName } from "../../../errors/nearest-name.ts";
import { walkItems } from "../../../kit/walk-list.ts";
import type { PlannedChange } from "../../print-changes.ts";
import type { FileIssues } from "../file/file-issues.ts";
import type { Organisation } from "../file/organisation-entries.ts";
import { labelEntry, type OrganisationEntry, type OrganisationSection } from "../file/organisation-schema.ts";
import { kinds, listFieldChanges, overlay, type Task } from "./change.ts";

export interface Planning {
  readonly caller: Caller;
  readonly organisation: Organisation;
  readonly issues: FileIssues;
  readonly snapshot: OrganisationSnapshot;
  /** Holds data that may not fit into memory. */
  readonly scratch: DatabaseSync;
  /** Delete items that are not in the file. */
  readonly prune: boolean;
  /** IDs of deactivated users whose entries lack `active`. */
  readonly deactivated: Set<number>;
  /** Reports how many users have been compared. */
  readonly watch: (users: number) => void;
}

/** Wraps a caller so that it makes no call after an interruption. A running call completes, so that no change is half done. */
export const untilAborted = (caller: Caller, signal: AbortSignal): Caller => ({
  async call(op, input, options) {
    signal.throwIfAborted();
    return caller.call(op, input, options);
  },
  close: () => caller.close(),
});

export function onlyOnce(section: OrganisationSection, issues: FileIssues) {
  const places = new Map<string, number>();
  return (key: string, at: number, field: string) => {
    const first = places.get(key);
    if (first === undefined) places.set(key, at);
    else issues.add([section, at, field], `is already used by ${section}[${first}]`);
    return first === undefined;
  };
}

/** Returns the task for the entry at an index of the file; undefined when nothing differs. */
export function compareEntry<S extends OrganisationSection>(
  section: S,
  entry: OrganisationEntry<S>,
  existing: { readonly id: number; readonly entry: OrganisationEntry<S> } | undefined,
  at: number,
): Task<S> | undefined {
  const after = overlay(existing?.entry, entry);
  const changes = listFieldChanges(existing?.entry as Record<string, unknown> | undefined, existing ? after : entry);
  if (existing && changes.length === 0) return undefined;
  const moves = section === "units" && changes.some(({ field }) => field === "parent");
  const change: PlannedChange = {
    action: existing === undefined ? "create" : moves ? "move" : "update",
    kind: kinds[section],
    name: labelEntry(section, after as Record<string, string>),
    changes,
  };
  return { change, id: existing?.id, before: existing?.entry, after, path: [section, at] };
}

/** Returns the task that removes an item that is not in the file. */
export function removal<S extends OrganisationSection>(section: S, id: number, entry: OrganisationEntry<S>): Task<S> {
  const action = section === "users" ? "deactivate" : "delete";
  const name = labelEntry(section, entry as Record<string, string>);
  return { change: { action, kind: kinds[section], name, changes: [] }, id, before: entry, after: entry, path: [] };
}

export function noSuch(what: string, name: string, known: Iterable<string>): string {
  const meant = suggestName(name, known);
  return `is not an existing ${what}: ${name}${meant ? ` (did you mean ${meant}?)` : ""}`;
}

/** The items of an instance that others refer to. */
export type OrganisationSnapshot = Awaited<ReturnType<typeof loadSnapshot>>;

export async function loadSnapshot(caller: Caller) {
  const userTypes = await Array.fromAsync(walkItems(caller, usertypes.list, {}));
  // Drops fields that are not used here, to save memory.
  const found = await Array.fromAsync(walkItems(caller, units.list, {}), (unit) => ({
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
