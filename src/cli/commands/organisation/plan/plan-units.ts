import { messageOf } from "../../../../contract/issue-messages.ts";
import { maxUnitLevel } from "../../../../contract/nesting.ts";
import { describeCycle } from "../../transfer/unit-order.ts";
import type { OrganisationEntry } from "../file/organisation-schema.ts";
import type { Task } from "./change.ts";
import { completeEntry } from "./complete-entry.ts";
import { type Labels, unitEntry } from "./current-entries.ts";
import { compareEntry, noSuch, type OrganisationSnapshot, onlyOnce, type Planning, removal } from "./plan-context.ts";

type UnitEntry = OrganisationEntry<"units">;
/** The units as they will be, by reference. */
type Units = ReadonlyMap<string, UnitEntry>;
/** Indexes of the entries of the file, by reference. */
type Places = ReadonlyMap<string, number>;

export type UnitPlan = ReturnType<typeof planUnits>;

/** Returns the tasks for units, and the units that exist afterwards. */
export function planUnits(planning: Planning, labels: Labels) {
  const { organisation, snapshot, prune } = planning;
  const after = new Map<string, UnitEntry>();
  const tasks: Task<"units">[] = [];
  const once = onlyOnce("units", planning.issues);
  const places = new Map<string, number>();
  for (const [at, entry] of (organisation.units ?? []).entries()) {
    if (entry.reference === undefined || !once(entry.reference, at, "reference")) continue;
    places.set(entry.reference, at);
    const unit = snapshot.unitByReference.get(entry.reference);
    if (unit === undefined) checkNew(entry, at, planning);
    const existing = unit && { id: unit.id, entry: unitEntry(unit, labels) };
    const whole = organisation.complete && existing ? completeEntry("units", entry, existing.entry) : entry;
    const task = compareEntry("units", withDepartments(whole, existing?.entry, prune), existing, at);
    if (task) tasks.push(task);
    // Without a task, the unit exists already.
    after.set(entry.reference, task?.after ?? existing!.entry);
  }
  const removals: Task<"units">[] = [];
  for (const [reference, unit] of snapshot.unitByReference) {
    if (after.has(reference)) continue;
    const entry = unitEntry(unit, labels);
    // The root always exists.
    if (prune && organisation.units && unit.parent !== null) removals.push(removal("units", unit.id, entry));
    else after.set(reference, entry);
  }
  checkParents(after, places, planning);
  const levels = levelsOf(after, places, planning);
  const levelOf = (reference: string) => levels.get(reference) ?? snapshot.unitByReference.get(reference)?.level ?? 0;
  const byLevel = (a: Task<"units">, b: Task<"units">) => levelOf(a.change.name) - levelOf(b.change.name);
  return {
    /** Parents come before their children. */
    tasks: [...tasks.sort(byLevel), ...removals.sort((a, b) => byLevel(b, a))],
    has: (reference: string) => after.has(reference),
    references: () => after.keys(),
    departmentsOf: (reference: string) => after.get(reference)?.departments ?? [],
    levelOf,
  };
}

/** Keeps departments that are not in the file, unless --prune is set. */
function withDepartments(entry: UnitEntry, existing: UnitEntry | undefined, prune: boolean): UnitEntry {
  if (entry.departments === undefined) return entry;
  const all = [...entry.departments, ...(prune ? [] : (existing?.departments ?? []))];
  return { ...entry, departments: [...new Set(all)].sort() };
}

function checkNew({ name, parent }: UnitEntry, at: number, { issues, snapshot }: Planning): void {
  if (name === undefined) issues.require(["units", at, "name"], "because there is no such unit yet");
  if (parent !== undefined) return;
  const root = snapshot.units.find((unit) => unit.parent === null);
  const named = root?.reference
    ? `the root is ${root.reference}`
    : `the root has no reference; run wcs units update ${root?.id} --reference root`;
  issues.require(["units", at, "parent"], `because there is no such unit yet; ${named}`);
}

/** Returns a unit and those above it, of a cycle each once, and no more than a tree may have. */
function wayUp(reference: string, after: Units): string[] {
  const way = new Set<string>();
  let next: string | undefined = reference;
  for (; next !== undefined && after.has(next) && way.size <= maxUnitLevel; next = after.get(next)?.parent) {
    if (way.has(next)) break;
    way.add(next);
  }
  return [...way];
}

function checkParents(after: Units, places: Places, { organisation, snapshot, issues }: Planning): void {
  for (const [reference, at] of places) {
    const parent = organisation.units?.[at]?.parent;
    if (parent === undefined) continue;
    const add = (what: string) => issues.add(["units", at, "parent"], what);
    const way = wayUp(reference, after);
    const isRoot = snapshot.unitByReference.get(reference)?.parent === null;
    if (isRoot) add("must be omitted, because the root unit cannot be moved");
    else if (!after.has(parent)) add(missing(parent, after, snapshot));
    // Units below a cycle have no issue of their own.
    else if (after.get(way.at(-1) ?? "")?.parent === reference) add(describeCycle(way));
  }
}

/** Returns the future level of each unit. Adds an issue for each entry that would be too deep, or would move other units too deep. */
function levelsOf(after: Units, places: Places, { snapshot, issues }: Planning): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  const tooDeep = new Set<number>();
  for (const reference of after.keys()) {
    const way = wayUp(reference, after);
    // The parent of the topmost one has no reference, and no file can move it.
    const level = (snapshot.unitByReference.get(way.at(-1) ?? "")?.level ?? 1) + way.length - 1;
    levels.set(reference, level);
    const at = level > maxUnitLevel ? places.get(way.find((each) => places.has(each)) ?? "") : undefined;
    if (at !== undefined) tooDeep.add(at);
  }
  for (const at of tooDeep) issues.add(["units", at, "parent"], messageOf({ code: "too_deep" }));
  return levels;
}

function missing(parent: string, after: Units, snapshot: OrganisationSnapshot): string {
  return snapshot.unitByReference.has(parent)
    ? `is ${parent}, which is not in the file and would be deleted by --prune`
    : noSuch("unit", parent, after.keys());
}
