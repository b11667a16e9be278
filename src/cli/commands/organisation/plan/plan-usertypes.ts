import { fold } from "../../../../contract/fold-text.ts";
import type { OrganisationEntry } from "../file/organisation-schema.ts";
import { isRemoval, type Task } from "./change.ts";
import { type CurrentUserType, userTypeEntry, userTypeLabel } from "./current-entries.ts";
import { compareEntry, onlyOnce, type Planning, removal } from "./plan-context.ts";

export type UserTypePlan = ReturnType<typeof planUserTypes>;

/** Returns the tasks for user types, and the labels that these have afterwards. */
export function planUserTypes(planning: Planning) {
  const { organisation, snapshot, prune } = planning;
  const entries = organisation.usertypes;
  const matched = matchAll(entries ?? [], planning);
  const tasks: Task<"usertypes">[] = [];
  /** The future entries, by the ID of the type, or by the entry of the file for a new type. */
  const after = new Map<number | OrganisationEntry<"usertypes">, OrganisationEntry<"usertypes">>();
  for (const { entry, at, type } of matched) {
    const existing = type && { id: type.id, entry: userTypeEntry(type) };
    const sorted = { ...entry, ...(entry.abilities && { abilities: [...new Set(entry.abilities)].sort() }) };
    const task = compareEntry("usertypes", sorted, existing, at);
    if (task) tasks.push(task);
    after.set(type?.id ?? entry, task?.after ?? existing?.entry ?? sorted);
  }
  for (const type of snapshot.userTypes) {
    if (after.has(type.id)) continue;
    const entry = userTypeEntry(type);
    if (prune && entries) tasks.push(removal("usertypes", type.id, entry));
    else after.set(type.id, entry);
  }
  checkNames(matched, after, planning);
  return {
    tasks,
    ...directory(after, snapshot.userTypes),
    pruned: new Set(tasks.filter(isRemoval).map(({ change }) => change.name)),
  };
}

/** Finds types by their labels in files: references take precedence over names. */
function directory(after: ReadonlyMap<unknown, OrganisationEntry<"usertypes">>, types: readonly CurrentUserType[]) {
  const byReference = new Set([...after.values()].flatMap(({ reference }) => reference ?? []));
  // A type whose name is the reference of another type has no unambiguous label.
  const labelFor = ({ reference, name = "" }: OrganisationEntry<"usertypes">) =>
    reference ?? (byReference.has(name) ? `${name} (without a reference)` : name);
  const byName = new Map<string, string>();
  const names = new Map<string, string>();
  for (const entry of after.values()) {
    byName.set(fold(entry.name ?? ""), labelFor(entry));
    names.set(labelFor(entry), entry.name ?? "");
  }
  const byId = new Map(
    types.map((type) => [type.id, labelFor(after.get(type.id) ?? { reference: userTypeLabel(type) })]),
  );
  return {
    labelOf: (id: number) => byId.get(id) ?? "",
    /** Returns the label of a type by its reference or name in the file; undefined when it will not exist. */
    find: (label: string) => (byReference.has(label) ? label : byName.get(fold(label))),
    labels: () => [...byReference, ...byName.values()],
    nameOf: (label: string) => names.get(label) ?? label,
  };
}

/** Matches entries with existing types: by reference, or by name when there is no reference. */
function matchAll(entries: readonly OrganisationEntry<"usertypes">[], { snapshot, issues }: Planning) {
  const byReference = new Map(snapshot.userTypes.map((type) => [type.reference, type]));
  const byName = new Map(snapshot.userTypes.map((type) => [fold(type.name), type]));
  const once = onlyOnce("usertypes", issues);
  const inFile = new Set<string | null | undefined>(entries.map((entry) => entry.reference));
  return entries.flatMap((entry, at) => {
    const { reference, name } = entry;
    const named = name === undefined ? undefined : byName.get(fold(name));
    // A type without a reference gets the reference of the file. One with a reference belongs to the entry with it.
    const fits = named?.reference === null || (reference === undefined && !inFile.has(named?.reference));
    const type = (reference !== undefined && byReference.get(reference)) || (fits ? named : undefined);
    if (reference === undefined && name === undefined) return [];
    if (reference !== undefined && !once(`reference ${reference}`, at, "reference")) return [];
    if (name !== undefined) once(`name ${fold(name)}`, at, "name");
    if (reference === undefined && name !== undefined && (byReference.has(name) || inFile.has(name))) {
      issues.add(["usertypes", at, "name"], "is the reference of another user type; add a reference");
    }
    if (type === undefined && name === undefined) {
      issues.require(["usertypes", at, "name"], "because the user type does not exist yet");
    }
    return [{ entry, at, type }];
  });
}

/** Adds an issue for each name in the file that another type keeps, because no entry names that type. */
function checkNames(
  matched: ReturnType<typeof matchAll>,
  after: ReadonlyMap<unknown, OrganisationEntry<"usertypes">>,
  { snapshot, issues }: Planning,
): void {
  const renamed = new Set(matched.flatMap(({ entry, type }) => (entry.name === undefined ? [] : type?.id)));
  const keepers = snapshot.userTypes.filter(({ id }) => after.has(id) && !renamed.has(id));
  const kept = new Map(keepers.map((type) => [fold(type.name), type]));
  for (const { entry, at } of matched) {
    const type = entry.name === undefined ? undefined : kept.get(fold(entry.name));
    if (type) issues.add(["usertypes", at, "name"], `is taken by user type ${type.id} (${type.name})`);
  }
}
