import { messageOf } from "../../../../contract/issue-messages.ts";
import { deepestUnit } from "../../../../contract/nesting.ts";
import { describeCircle } from "../../transfer/unit-order.ts";
import type { FileIssues } from "../file/file-issues.ts";
import type { OrganisationEntry } from "../file/organisation-schema.ts";
import type { Task } from "./change.ts";
import { type Names, unitEntry } from "./current-entries.ts";
import { compareEntry, namesNo, type OrganisationSnapshot, onlyOnce, type Planning, removal } from "./plan-context.ts";

type UnitEntry = OrganisationEntry<"units">;

/** The future tree: its units and their levels by reference, and the indexes of the entries of the file. */
interface UnitTree {
  readonly after: ReadonlyMap<string, UnitEntry>;
  readonly levels: ReadonlyMap<string, number>;
  readonly places: ReadonlyMap<string, number>;
}

export type UnitPlan = ReturnType<typeof planUnits>;

/** Returns the tasks for units, and the units that exist afterwards. */
export function planUnits(planning: Planning, names: Names) {
  const { organisation, held, prune } = planning;
  const after = new Map<string, UnitEntry>();
  const tasks: Task<"units">[] = [];
  const once = onlyOnce("units", planning.issues);
  const places = new Map<string, number>();
  for (const [at, entry] of (organisation.units ?? []).entries()) {
    if (entry.reference === undefined || !once(entry.reference, at, "reference")) continue;
    places.set(entry.reference, at);
    const unit = held.unitByReference.get(entry.reference);
    if (unit === undefined) checkNew(entry, at, planning);
    const there = unit && { id: unit.id, entry: unitEntry(unit, names) };
    const task = compareEntry("units", withDepartments(entry, there?.entry, prune), there, at);
    if (task) tasks.push(task);
    // Without a task, the unit exists already.
    after.set(entry.reference, task?.after ?? there!.entry);
  }
  const removals: Task<"units">[] = [];
  for (const [reference, unit] of held.unitByReference) {
    if (after.has(reference)) continue;
    const entry = unitEntry(unit, names);
    // The root always exists.
    if (prune && organisation.units && unit.parent !== null) removals.push(removal("units", unit.id, entry));
    else after.set(reference, entry);
  }
  const levels = levelsOf(after, held);
  checkParents({ after, levels, places }, planning);
  checkDepth({ after, levels, places }, planning);
  const levelOf = (reference: string) => levels.get(reference) ?? held.unitByReference.get(reference)?.level ?? 0;
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
function withDepartments(entry: UnitEntry, there: UnitEntry | undefined, prune: boolean): UnitEntry {
  if (entry.departments === undefined) return entry;
  const all = [...entry.departments, ...(prune ? [] : (there?.departments ?? []))];
  return { ...entry, departments: [...new Set(all)].sort() };
}

function checkNew({ name, parent }: UnitEntry, at: number, { issues, held }: Planning): void {
  if (name === undefined) issues.require(["units", at, "name"], "because there is no such unit yet");
  if (parent !== undefined) return;
  const root = held.units.find((unit) => unit.parent === null);
  const named = root?.reference
    ? `the root is ${root.reference}`
    : `the root has no reference; run wcs units update ${root?.id} --reference root`;
  issues.require(["units", at, "parent"], `because there is no such unit yet; ${named}`);
}

const circle = -1;

/** Returns the future level of each unit; `circle` for units whose ancestors form a cycle. */
function levelsOf(after: UnitTree["after"], held: OrganisationSnapshot): Map<string, number> {
  const levels = new Map<string, number>();
  for (const start of after.keys()) {
    const chain: string[] = [];
    let next: string | undefined = start;
    while (next !== undefined && !levels.has(next)) {
      levels.set(next, circle);
      chain.push(next);
      next = after.get(next)?.parent;
    }
    let level = next === undefined ? topOf(chain.at(-1) ?? "", held) - 1 : (levels.get(next) ?? circle);
    // In a cycle the level of an ancestor is still unknown.
    if (next !== undefined && level === circle) continue;
    for (const reference of chain.reverse()) levels.set(reference, ++level);
  }
  return levels;
}

/** Returns the level of a unit whose parent has no reference. No file can move such a parent. */
const topOf = (reference: string, held: OrganisationSnapshot) => held.unitByReference.get(reference)?.level ?? 1;

function checkParents({ after, levels, places }: UnitTree, { organisation, held, issues }: Planning): void {
  for (const [reference, at] of places) {
    const parent = organisation.units?.[at]?.parent;
    if (parent === undefined) continue;
    const isRoot = held.unitByReference.get(reference)?.parent === null;
    if (isRoot) issues.add(["units", at, "parent"], "must be omitted, because the root unit cannot be moved");
    else if (!after.has(parent)) issues.add(["units", at, "parent"], missing(parent, after, held));
    else if (levels.get(reference) === circle) addCircle(reference, at, after, issues);
  }
}

/** Adds an issue for each entry that would be too deep in the tree, or would move other units too deep. */
function checkDepth({ after, levels, places }: UnitTree, { issues }: Planning): void {
  const found = new Set<number>();
  for (const [reference, level] of levels) {
    if (level <= deepestUnit) continue;
    let moved: string | undefined = reference;
    while (moved !== undefined && !places.has(moved)) moved = after.get(moved)?.parent;
    const at = places.get(moved ?? "");
    if (at !== undefined) found.add(at);
  }
  for (const at of found) issues.add(["units", at, "parent"], messageOf({ code: "too_deep" }));
}

function missing(parent: string, after: UnitTree["after"], held: OrganisationSnapshot): string {
  return held.unitByReference.has(parent)
    ? `is ${parent}, which is not in the file and would be deleted by --prune`
    : namesNo("unit", parent, after.keys());
}

/** Adds an issue for each unit of a cycle, but not for the units below it. */
function addCircle(reference: string, at: number, after: UnitTree["after"], issues: FileIssues): void {
  const way = new Set([reference]);
  let next = after.get(reference)?.parent;
  for (; next !== undefined && !way.has(next); next = after.get(next)?.parent) way.add(next);
  if (next === reference) issues.add(["units", at, "parent"], describeCircle([...way]));
}
