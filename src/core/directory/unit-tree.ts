import { type Insertable, sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import { maxUnitLevel } from "../../contract/nesting.ts";
import { insertRow, updateRow, updateRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { afterPrefix, beginsWith, isAmong } from "../../store/dialect.ts";
import type { RowOf, Schema } from "../../store/schema/schema.ts";
import { ancestorsOf, idsInPath } from "../pipeline/unit-path.ts";

export type UnitPosition = RowOf<"units", "id" | "path" | "level">;

/** Adds `children` to the unit's own count, and `descendants` to the counts of the unit and of all its ancestors. */
export async function addToCounts(
  db: Db,
  parent: UnitPosition,
  { children, descendants }: { children: number; descendants: number },
) {
  await sql`update units set descendant_count = descendant_count + ${descendants},
    child_count = child_count + case id when ${parent.id} then ${children} else 0 end
    where ${isAmong("id", idsInPath(parent.path))}`.execute(db);
}

/** Moves a unit with its descendants. Throws `conflict` when the parent is among them or the tree would become too deep. */
export async function moveBranch(db: Db, unit: UnitPosition, parent: UnitPosition): Promise<void> {
  if (parent.path.startsWith(unit.path)) {
    throw new ServiceError("conflict", `Unit ${unit.id} cannot be moved into its own branch.`);
  }
  const id = ancestorsOf(unit.path).at(-1);
  if (id === undefined) throw new ServiceError("conflict", "The root unit cannot be moved.");
  if (!(await canContain(db, parent, unit))) throw tooDeep();
  const before = { id, path: unit.path.slice(0, -`${unit.id}/`.length), level: unit.level - 1 };
  const [row] = await updateRows(db, "units", { id: unit.id }, { parent_id: parent.id }, ["descendant_count"]);
  await movePaths(db, [unit.path, afterPrefix(unit.path)], before, parent);
  // The unit exists.
  const moved = row!.descendant_count + 1;
  await addToCounts(db, before, { children: -1, descendants: -moved });
  await addToCounts(db, parent, { children: 1, descendants: moved });
}

/** Moves all units below a unit to one outside its branch, and returns the IDs of the children. Throws like `moveBranch`. */
export async function moveChildren(db: Db, unit: UnitPosition, parent: UnitPosition): Promise<number[]> {
  if (!(await fits(db, unit, parent.level - unit.level))) throw tooDeep();
  const changes = { parent_id: parent.id };
  const children = await updateRows(db, "units", { parent_id: unit.id }, changes, ["id", "descendant_count"]);
  // Paths begin with the path of the unit; its own is not among them.
  await movePaths(db, [`${unit.path}0`, afterPrefix(unit.path)], unit, parent);
  const descendants = children.reduce((sum, { descendant_count }) => sum + descendant_count + 1, 0);
  await addToCounts(db, unit, { children: -children.length, descendants: -descendants });
  await addToCounts(db, parent, { children: children.length, descendants });
  return children.map(({ id }) => id).sort((a, b) => a - b);
}

/** Moves the units with paths in the range from below `before` to below `after`. */
async function movePaths(
  db: Db,
  [first, end]: readonly [first: string, end: string],
  before: Omit<UnitPosition, "id">,
  after: Omit<UnitPosition, "id">,
): Promise<void> {
  const deeper = after.level - before.level;
  await sql`update units set level = level + ${deeper},
    path = ${after.path} || substr(path, cast(${before.path.length + 1} as integer))
    where path >= ${first} and path < ${end}`.execute(db);
}

/** Returns true when a new unit, or `unit` with its descendants, fits below `parent`. */
export async function canContain(db: Db, parent: UnitPosition, unit?: UnitPosition): Promise<boolean> {
  return unit === undefined ? parent.level < maxUnitLevel : fits(db, unit, parent.level + 1 - unit.level);
}

/** Returns true when the branch of a unit can be moved down by this number of levels. */
async function fits(db: Db, unit: UnitPosition, deeper: number): Promise<boolean> {
  if (deeper <= 0) return true;
  const { level } = await db
    .selectFrom("units")
    .select((eb) => eb.fn.max("level").as("level"))
    .where(beginsWith("path", unit.path))
    .executeTakeFirstOrThrow();
  return level + deeper <= maxUnitLevel;
}

function tooDeep(): ServiceError {
  return new ServiceError("conflict", `The tree has at most ${maxUnitLevel} levels below the root.`);
}

type Computed = "name_key" | "parent_id" | "path" | "level" | "created_at" | "updated_at";

/** Adds a unit below `parent`, or the root without one, and returns its ID. Throws `conflict` when it would be too deep. */
export async function addUnit(
  { db, now }: { db: Db; now: number },
  parent: UnitPosition | null,
  fields: Omit<Insertable<Schema["units"]>, Computed> & { name: string },
): Promise<number> {
  if (parent !== null && !(await canContain(db, parent))) throw tooDeep();
  // The path contains the ID, which is known only after the insert.
  const id = await insertRow(db, "units", {
    ...fields,
    name_key: fold(fields.name),
    parent_id: parent?.id ?? null,
    path: `new ${parent?.id}`,
    level: parent === null ? 0 : parent.level + 1,
    created_at: now,
    updated_at: now,
  });
  await updateRow(db, "units", id, { path: `${parent?.path ?? "/"}${id}/` });
  if (parent !== null) await addToCounts(db, parent, { children: 1, descendants: 1 });
  return id;
}
