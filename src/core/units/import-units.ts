import { sql } from "kysely";
import { type FieldIssues, invalid } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import { once } from "../../contract/once.ts";
import { allows } from "../../contract/token-scopes.ts";
import { unitRow } from "../../contract/unit-schemas.ts";
import { units as contract } from "../../contract/units.ts";
import { updateRow } from "../../store/bulk.ts";
import { canContain, moveBranch } from "../directory/unit-tree.ts";
import { may } from "../pipeline/actor.ts";
import { recordForEach } from "../pipeline/audit-log.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { hasIssues } from "../pipeline/field-issues.ts";
import { collectResults, type FieldChange, type ParsedRow, parseRows } from "../pipeline/import-rows.ts";
import { missingAbilities } from "../pipeline/permissions.ts";
import { idsInPath } from "../pipeline/unit-path.ts";
import { extendedAbilities, type GrantsByUnit, loadGrants, movesItself } from "./extended-grants.ts";
import { addUnits, type ExistingUnit, type NewUnit, type UnitImportRow, unitLabel } from "./unit-import-writes.ts";

type Waiting = ParsedRow<UnitImportRow>;

/** Units by reference: the existing unit, or "assumed" when an earlier part of a dry run would have created it. */
type Known = Map<string, ExistingUnit | "assumed">;

interface Tree {
  readonly known: Known;
  readonly root: ExistingUnit;
  /** The grants in all known units and above. Loaded when the first row moves a unit; rows do not change them. */
  grants(): Promise<GrantsByUnit>;
}

/** Processes a row as soon as its parent exists, regardless of the order of the rows; inserts new units together. */
export const importUnitRows: Handlers<typeof contract>["import"] = async (ctx, { rows, assume = [] }) => {
  if (assume.length > 0 && !ctx.dryRun) throw invalid({ assume: ["is for dry runs only"] });
  const report = collectResults(rows);
  const known: Known = new Map(assume.map((reference) => [reference, "assumed"]));
  let waiting = await parseRows(unitRow(), rows, { reference: "", name: "" });
  const tree = await loadTree(ctx, known, waiting);
  const announced = new Set(rows.map(({ reference }) => reference));
  for (;;) {
    const turns = Map.groupBy(waiting, ({ row }) => !row.parent || known.has(row.parent));
    const ready = turns.get(true);
    waiting = turns.get(false) ?? [];
    if (!ready) break;
    await putUnits(ctx, tree, ready, report);
  }
  for (const { index, row, wrong } of waiting) {
    const parent = row.parent ?? "";
    const code = announced.has(parent) ? "unreachable_unit" : "no_such_unit";
    report.skip(index, { parent: [{ code, params: { reference: parent } }] }, wrong);
  }
  const paths = report.changed().map((id) => `/units/${id}`);
  await recordForEach(ctx, contract.import, [...new Set(paths)]);
  return { results: report.list };
};

async function putUnits(
  ctx: Ctx,
  tree: Tree,
  rows: readonly Waiting[],
  { skip, done }: ReturnType<typeof collectResults>,
): Promise<void> {
  const { known, root } = tree;
  const pending = new Map<string, NewUnit & { index: number }>();
  const flush = async () => {
    for (const unit of await addUnits(ctx, [...pending.values()])) {
      const reference = unit.reference ?? "";
      ctx.changed("unit.create", unit.id);
      known.set(reference, unit);
      // addUnits returns the units that are given to it.
      done(pending.get(reference)!.index, "created", unit.id);
    }
    pending.clear();
  };
  for (const { index, row, wrong } of rows) {
    // Nothing is written for a row with issues.
    const issues: FieldIssues = { ...wrong?.fields };
    const parent = row.parent ? known.get(row.parent) : root;
    const isNew = !known.has(row.reference) && !pending.has(row.reference);
    if (isNew && parent !== undefined && parent !== "assumed") {
      await checkParent(ctx, parent, issues);
      if (hasIssues(issues)) skip(index, issues, wrong);
      else pending.set(row.reference, { index, row, parent });
      continue;
    }
    // A change may move a unit, so pending units below it must be inserted before.
    await flush();
    const result = await putUnit(ctx, tree, row, issues);
    // A move may take 20 ms, when no other request can run on SQLite.
    await takeTurn();
    if (result === undefined || wrong) skip(index, issues, wrong);
    else done(index, result.action, result.id, result.changes);
  }
  await flush();
}

async function loadTree(ctx: Ctx, known: Known, rows: readonly { row: UnitImportRow }[]): Promise<Tree> {
  const references = new Set(rows.flatMap(({ row }) => [row.reference, ...(row.parent ? [row.parent] : [])]));
  const found = await loadUnits(ctx)
    .where("reference", "in", [...references])
    .execute();
  for (const unit of found) known.set(unit.reference ?? "", unit);
  const root = await loadUnits(ctx).where("parent_id", "is", null).executeTakeFirstOrThrow();
  const grants = once(() => loadGrants(ctx, [...new Set([root, ...found].flatMap(({ path }) => idsInPath(path)))]));
  return { known, root, grants };
}

function loadUnits(ctx: Ctx) {
  return ctx.db
    .selectFrom("units")
    .select(["id", "reference", "name", "unit_type", "description", "parent_id", "path", "level"])
    .select(
      sql<string | null>`(select coalesce(p.reference, p.name) from units p where p.id = units.parent_id)`.as(
        "parent_label",
      ),
    );
}

const tooDeep = { code: "too_deep" } as const;

type Done = { action: "created" | "changed" | "unchanged"; id: number | null; changes?: readonly FieldChange[] };

/** Adds an issue when the actor may not add units below the parent or the tree would become too deep. */
async function checkParent(ctx: Ctx, parent: ExistingUnit, issues: FieldIssues): Promise<void> {
  if (mayChange(ctx, parent, "parent", issues) && !(await canContain(ctx.db, parent))) issues.parent = [tooDeep];
}

/** Updates the unit of a row. Assumes a new unit below an assumed parent; a unit that is assumed itself stays unchanged. */
async function putUnit(ctx: Ctx, tree: Tree, row: UnitImportRow, issues: FieldIssues): Promise<Done | undefined> {
  const existing = tree.known.get(row.reference);
  if (existing === "assumed") return { action: "unchanged", id: null };
  if (existing !== undefined) return changeUnit(ctx, tree, existing, row, issues);
  if (hasIssues(issues)) return undefined;
  tree.known.set(row.reference, "assumed");
  return { action: "created", id: null };
}

async function changeUnit(
  ctx: Ctx,
  tree: Tree,
  existing: ExistingUnit,
  row: UnitImportRow,
  issues: FieldIssues,
): Promise<Done | undefined> {
  const { id } = existing;
  const { name, unit_type = existing.unit_type, description = existing.description } = row;
  const isRoot = existing.parent_id === null;
  const parent = row.parent === undefined ? undefined : row.parent ? tree.known.get(row.parent) : tree.root;
  const moves = parent !== undefined && !isRoot && (parent === "assumed" || parent.id !== existing.parent_id);
  if (isRoot && row.parent) issues.parent = [{ code: "root_parent" }];
  const differs = name !== existing.name || unit_type !== existing.unit_type || description !== existing.description;
  if (!moves && !differs && issues.parent === undefined) return { action: "unchanged", id };
  const allowed = mayChange(ctx, existing, "reference", issues);
  if (moves && parent !== "assumed") {
    if (mayChange(ctx, parent, "parent", issues) && allowed) await checkMove(ctx, tree, existing, parent, issues);
    if (parent.path.startsWith(existing.path)) issues.parent = [{ code: "circular_parent" }];
    else if (!(await canContain(ctx.db, parent, existing))) issues.parent = [tooDeep];
  }
  if (hasIssues(issues)) return undefined;
  if (moves && parent !== "assumed") {
    await moveBranch(ctx.db, existing, parent);
    placeBranch(tree.known, existing, parent);
  }
  await updateRow(ctx.db, "units", id, { name, name_key: fold(name), unit_type, description, updated_at: ctx.now });
  ctx.changed("unit.update", id);
  const placed = tree.known.get(row.reference);
  if (placed !== undefined && placed !== "assumed")
    tree.known.set(row.reference, { ...placed, name, unit_type, description });
  const to = moves ? (parent === "assumed" ? row.parent : unitLabel(parent)) : existing.parent_label;
  return {
    action: "changed",
    id,
    changes: showUnitChanges(ctx, existing, { name, unit_type, description, parent: to }),
  };
}

/** Returns the fields that a row changes in a dry run, unless an API token may not read units. */
function showUnitChanges(
  { dryRun, apiToken }: Ctx,
  { parent_label: parent, ...unit }: ExistingUnit,
  wanted: Record<"name" | "unit_type" | "description", string> & { parent: string | null | undefined },
): FieldChange[] | undefined {
  if (!dryRun || (apiToken && !allows(apiToken.scopes, contract.get))) return undefined;
  const before = { ...unit, parent };
  const fields = ["name", "unit_type", "description", "parent"] as const;
  return fields
    .filter((field) => before[field] !== wanted[field])
    .map((field) => ({ field, before: before[field], after: wanted[field] ?? null }));
}

/** Places a moved unit and the known ones below it as `moveBranch` does. Reading all of them again would take milliseconds. */
function placeBranch(known: Known, unit: ExistingUnit, parent: ExistingUnit): void {
  const kept = unit.path.length - `${unit.id}/`.length;
  for (const [reference, each] of known) {
    if (each === "assumed" || !each.path.startsWith(unit.path)) continue;
    const own = each.id === unit.id ? { parent_id: parent.id, parent_label: unitLabel(parent) } : {};
    const place = { path: parent.path + each.path.slice(kept), level: each.level + parent.level + 1 - unit.level };
    known.set(reference, { ...each, ...place, ...own });
  }
}

/** Adds an issue when the actor lacks an ability that the move extends, or moves along to read more; units.move refuses the same. */
async function checkMove({ actor }: Ctx, tree: Tree, unit: ExistingUnit, parent: ExistingUnit, issues: FieldIssues) {
  if (actor.admin) return;
  const abilities = extendedAbilities(await tree.grants(), unit, parent);
  const missing = missingAbilities(actor, [{ path: unit.path, abilities }]);
  if (missing.length > 0) issues.parent = [{ code: "move_beyond_abilities", params: { abilities: missing } }];
  if (movesItself(actor, unit, parent)) issues.parent = [{ code: "own_membership" }];
}

/** Returns true when the actor may change the unit, otherwise adds an issue. */
function mayChange(ctx: Ctx, { path }: ExistingUnit, field: string, issues: FieldIssues): boolean {
  const allowed = may(ctx.actor, "units", path);
  if (!allowed) issues[field] = [{ code: "out_of_reach", params: { ability: "units" } }];
  return allowed;
}
