import { type Insertable, sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Db } from "../../store/database.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { ancestorsOf, branchEnd } from "../pipeline/unit-path.ts";
import { fold } from "./text-keys.ts";

/** Maximum number of levels below the root. Paths are index keys, whose length databases limit. */
const deepest = 100;

export interface UnitPosition {
  readonly id: number;
  readonly path: string;
  readonly level: number;
}

/**
 * Adds `children` to the unit's own count of children, and `descendants` to the counts of the unit and of all its
 * ancestors.
 */
export async function addToCounts(
  db: Db,
  parent: UnitPosition,
  { children, descendants }: { children: number; descendants: number },
) {
  await db
    .updateTable("units")
    .set((eb) => ({
      descendant_count: eb("descendant_count", "+", descendants),
      child_count: eb("child_count", "+", eb.case().when("id", "=", parent.id).then(children).else(0).end()),
    }))
    .where((eb) => isAmong(db, eb.ref("id"), [...ancestorsOf(parent.path), parent.id]))
    .execute();
}

/**
 * Moves a unit and its descendants with one statement for the whole branch. Throws `conflict` when the parent is in the
 * branch or the tree would become too deep.
 */
export async function moveBranch(db: Db, unit: UnitPosition, parent: UnitPosition): Promise<void> {
  if (parent.path.startsWith(unit.path)) {
    throw new ServiceError("conflict", `Unit ${unit.id} cannot be moved into its own branch.`);
  }
  const from = ancestorsOf(unit.path).at(-1);
  if (from === undefined) throw new ServiceError("conflict", "The root unit cannot be moved.");
  if (!(await canContain(db, parent, unit))) throw tooDeep();
  const { descendant_count, old_parent_path, old_parent_level } = await db
    .selectFrom("units as n")
    .innerJoin("units as p", "p.id", "n.parent_id")
    .select(["n.descendant_count", "p.path as old_parent_path", "p.level as old_parent_level"])
    .where("n.id", "=", unit.id)
    .executeTakeFirstOrThrow();
  const path = `${parent.path}${unit.id}/`;
  await db.updateTable("units").set({ parent_id: parent.id }).where("id", "=", unit.id).execute();
  await db
    .updateTable("units")
    .set({
      path: sql<string>`${path} || substr(path, ${sql.lit(unit.path.length + 1)})`,
      level: sql<number>`level + ${sql.lit(parent.level + 1 - unit.level)}`,
    })
    .where("path", ">=", unit.path)
    .where("path", "<", branchEnd(unit.path))
    .execute();
  const moved = descendant_count + 1;
  await addToCounts(
    db,
    { id: from, path: old_parent_path, level: old_parent_level },
    { children: -1, descendants: -moved },
  );
  await addToCounts(db, parent, { children: 1, descendants: moved });
}

/**
 * Returns true when a new unit, or `unit` with its descendants, fits below `parent` without making the tree too deep.
 */
export async function canContain(db: Db, parent: UnitPosition, unit?: UnitPosition): Promise<boolean> {
  const deeper = parent.level + 1 - (unit?.level ?? 0);
  if (unit === undefined || deeper <= 0) return parent.level < deepest;
  const { level } = await db
    .selectFrom("units")
    .select((eb) => eb.fn.max("level").as("level"))
    .where("path", ">=", unit.path)
    .where("path", "<", branchEnd(unit.path))
    .executeTakeFirstOrThrow();
  return level + deeper <= deepest;
}

function tooDeep(): ServiceError {
  return new ServiceError("conflict", `The tree has at most ${deepest} levels below the root.`);
}

/** Returns the short form of a unit that other objects contain. */
export function presentUnitBrief(id: number, name: string, level: number, unit_type: string) {
  return { content_type: "unit" as const, id, name, level, unit_type, url: `/units/${id}` };
}

type Computed = "name_key" | "parent_id" | "path" | "level" | "created_at" | "updated_at";

/**
 * Adds a unit below `parent`, or the root without one, updates the counts and returns the ID. Throws `conflict` when
 * the tree would become too deep.
 */
export async function addUnit(
  { db, now }: { db: Db; now: number },
  parent: UnitPosition | null,
  fields: Omit<Insertable<Schema["units"]>, Computed> & { name: string },
): Promise<number> {
  if (parent !== null && !(await canContain(db, parent))) throw tooDeep();
  // The path contains the ID, which is known only after the insert.
  const { id } = await db
    .insertInto("units")
    .values({
      ...fields,
      name_key: fold(fields.name),
      parent_id: parent?.id ?? null,
      path: `new ${parent?.id}`,
      level: parent === null ? 0 : parent.level + 1,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await db
    .updateTable("units")
    .set({ path: `${parent?.path ?? "/"}${id}/` })
    .where("id", "=", id)
    .execute();
  if (parent !== null) await addToCounts(db, parent, { children: 1, descendants: 1 });
  return id;
}
