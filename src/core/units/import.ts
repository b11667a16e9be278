import type { Selectable } from "kysely";
import type { z } from "zod";
import { type FieldErrors, invalid } from "../../contract/errors.ts";
import { type units as contract, unitRow } from "../../contract/units.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Schema } from "../../store/schema.ts";
import type { Ctx, Handlers } from "../context.ts";
import { parseRows, results } from "../import.ts";
import { may, missingAbilities } from "../permissions.ts";
import { fold } from "../text-keys.ts";
import { fits, moveBranch } from "../unit-tree.ts";
import { chainOf, extendedAbilities, type GrantsByUnit, loadGrants } from "./extended-grants.ts";
import { addUnits, type NewUnit } from "./import-writing.ts";

export type Row = z.infer<ReturnType<typeof unitRow>>;
export type Existing = Pick<
  Selectable<Schema["units"]>,
  "id" | "reference" | "name" | "unit_type" | "description" | "parent_id" | "path" | "level"
>;
type Import = Handlers<typeof contract>["import"];

interface Waiting {
  readonly index: number;
  readonly row: Row;
}

/** What an import knows of a unit: where it is; or only that an earlier part of a dry run would have made it. */
type Known = Map<string, Existing | "assumed">;

interface Tree {
  readonly known: Known;
  readonly root: Existing;
  /** The grants in all units that are known, or above one. Loaded when a row moves a unit; no row changes them. */
  grants(): Promise<GrantsByUnit>;
}

/** A row waits until its parent is there, wherever the parent's row stands; new units are written together. */
export const importRows: Import = async (ctx, { rows, assume = [] }) => {
  if (assume.length > 0 && !ctx.dryRun) throw invalid({ assume: ["is for dry runs only"] });
  const report = results(rows);
  const known: Known = new Map(assume.map((reference) => [reference, "assumed"]));
  let waiting: Waiting[] = [];
  for (const each of parseRows(unitRow(), rows)) {
    if ("row" in each) waiting.push(each);
    else report.leaveOut(each.index, each.fields);
  }
  const tree = await loadTree(ctx, known, waiting);
  const announced = Map.groupBy(waiting, ({ row }) => row.reference);
  for (;;) {
    const turns = Map.groupBy(waiting, ({ row }) => !row.parent || known.has(row.parent));
    waiting = turns.get(false) ?? [];
    if (!turns.has(true)) break;
    await putUnits(ctx, tree, turns.get(true)!, report);
  }
  for (const { index, row } of waiting) {
    const parent = row.parent ?? "";
    const reason = announced.has(parent) ? `cannot be reached: ${parent}` : `names no unit: ${parent}`;
    report.leaveOut(index, { parent: [reason] });
  }
  return { results: report.list };
};

/** Puts in units whose parents are there. */
async function putUnits(
  ctx: Ctx,
  tree: Tree,
  rows: readonly Waiting[],
  { leaveOut, done }: ReturnType<typeof results>,
): Promise<void> {
  const { known, root } = tree;
  const making = new Map<string, NewUnit & { index: number }>();
  const flush = async () => {
    for (const unit of await addUnits(ctx, [...making.values()])) {
      const reference = unit.reference ?? "";
      ctx.changed("unit.create", unit.id);
      known.set(reference, unit);
      done(making.get(reference)!.index, "created", unit.id);
    }
    making.clear();
  };
  for (const { index, row } of rows) {
    const problems: FieldErrors = {};
    const parent = row.parent ? known.get(row.parent) : root;
    const isNew = !known.has(row.reference) && !making.has(row.reference);
    if (isNew && parent !== undefined && parent !== "assumed") {
      if (await canTake(ctx, parent, problems)) making.set(row.reference, { index, row, parent });
      else leaveOut(index, problems);
      continue;
    }
    // What changes a unit may move it: those to be made below it have to be there, or come later.
    await flush();
    const result = await putUnit(ctx, tree, row, problems);
    if (result === undefined) leaveOut(index, problems);
    else done(index, result.action, result.id);
  }
  await flush();
}

async function loadTree(ctx: Ctx, known: Known, rows: readonly { row: Row }[]): Promise<Tree> {
  const references = new Set(rows.flatMap(({ row }) => [row.reference, ...(row.parent ? [row.parent] : [])]));
  const found = await loadUnits(ctx)
    .where((eb) => isAmong(ctx.db, eb.ref("reference"), [...references]))
    .execute();
  for (const unit of found) known.set(unit.reference ?? "", unit);
  const root = await loadUnits(ctx).where("parent_id", "is", null).executeTakeFirstOrThrow();
  let grants: Promise<GrantsByUnit> | undefined;
  return {
    known,
    root,
    grants() {
      grants ??= loadGrants(ctx, chainOf(root.path, ...found.map(({ path }) => path)));
      return grants;
    },
  };
}

function loadUnits(ctx: Ctx) {
  return ctx.db
    .selectFrom("units")
    .select(["id", "reference", "name", "unit_type", "description", "parent_id", "path", "level"]);
}

const tooDeep = "is too deep in the tree";

type Done = { action: "created" | "changed" | "unchanged"; id: number | null };

/** Whether the actor may put new units below a parent, and there is room for them. */
async function canTake(ctx: Ctx, parent: Existing, problems: FieldErrors): Promise<boolean> {
  if (!mayChange(ctx, parent, "parent", problems)) return false;
  if (await fits(ctx.db, parent)) return true;
  problems.parent = [tooDeep];
  return false;
}

/** Does what a row says about a unit that is there, or of which a dry run assumes so much. */
async function putUnit(ctx: Ctx, tree: Tree, row: Row, problems: FieldErrors): Promise<Done | undefined> {
  const { known, root } = tree;
  const existing = known.get(row.reference);
  const parent = row.parent ? known.get(row.parent) : root;
  if (existing === "assumed") return { action: "unchanged", id: null };
  if (existing === undefined) {
    known.set(row.reference, "assumed");
    return { action: "created", id: null };
  }
  return changeUnit(ctx, tree, existing, { row, parent: row.parent === undefined ? undefined : parent }, problems);
}

async function changeUnit(
  ctx: Ctx,
  tree: Tree,
  existing: Existing,
  { row, parent }: { row: Row; parent: Existing | "assumed" | undefined },
  problems: FieldErrors,
): Promise<Done | undefined> {
  const { id } = existing;
  const { name, unit_type = existing.unit_type, description = existing.description } = row;
  const isRoot = existing.parent_id === null;
  const moves = parent !== undefined && !isRoot && (parent === "assumed" || parent.id !== existing.parent_id);
  if (isRoot && row.parent) problems.parent = ["must be empty: the root stays where it is"];
  const differs = name !== existing.name || unit_type !== existing.unit_type || description !== existing.description;
  if (!moves && !differs && !problems.parent) return { action: "unchanged", id };
  mayChange(ctx, existing, "reference", problems);
  if (moves && parent !== "assumed") {
    mayChange(ctx, parent, "parent", problems);
    if (Object.keys(problems).length === 0) await requireMove(ctx, tree, existing, parent, problems);
    if (parent.path.startsWith(existing.path)) problems.parent = ["must not be the unit itself or one below it"];
    else if (!(await fits(ctx.db, parent, existing))) problems.parent = [tooDeep];
  }
  if (Object.keys(problems).length > 0) return undefined;
  if (moves && parent !== "assumed") await moveBranch(ctx.db, existing, parent);
  await ctx.db
    .updateTable("units")
    .set({ name, name_key: fold(name), unit_type, description, updated_at: ctx.now })
    .where("id", "=", id)
    .execute();
  ctx.changed("unit.update", id);
  // A move changes the paths of all that is below.
  if (moves) await refresh(ctx, tree.known);
  else await remember(ctx, tree.known, id);
  return { action: "changed", id };
}

/** Adds a problem when the actor lacks an ability that the move extends, as units.move refuses it. */
async function requireMove({ actor }: Ctx, tree: Tree, unit: Existing, parent: Existing, problems: FieldErrors) {
  if (actor.admin) return;
  const abilities = extendedAbilities(await tree.grants(), unit, parent);
  const missing = missingAbilities(actor, [{ path: unit.path, abilities }]);
  if (missing.length > 0) problems.parent = [`extends abilities that you may not change: ${missing.join(", ")}`];
}

function mayChange(ctx: Ctx, { path }: Existing, field: string, problems: FieldErrors): boolean {
  const allowed = may(ctx.actor, "units", path);
  if (!allowed) problems[field] = ["is outside of what you may administer"];
  return allowed;
}

async function remember(ctx: Ctx, known: Known, id: number): Promise<void> {
  const unit = await loadUnits(ctx).where("id", "=", id).executeTakeFirstOrThrow();
  known.set(unit.reference ?? "", unit);
}

async function refresh(ctx: Ctx, known: Known): Promise<void> {
  const ids = [...known.values()].flatMap((unit) => (unit === "assumed" ? [] : [unit.id]));
  const units = await loadUnits(ctx)
    .where((eb) => isAmong(ctx.db, eb.ref("id"), ids))
    .execute();
  for (const unit of units) known.set(unit.reference ?? "", unit);
}
