import type { z } from "zod";
import type { user as contract } from "../../contract/user-schemas.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { ancestorsOf } from "../pipeline/unit-path.ts";
import { presentParentUnit } from "./unit-briefs.ts";

export type UnitBrief = NonNullable<z.infer<ReturnType<typeof contract>>["unit"]>;

const unitsWithParents = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom("units as n")
    .leftJoin("units as a", "a.id", "n.parent_id")
    .select(["n.id as unit_id", "n.name", "n.level", "n.unit_type", "n.path", "n.parent_id"])
    .select(["a.name as parent_name", "a.level as parent_level", "a.unit_type as parent_type"])
    .where("n.id", "in", p.ids),
);

export type UnitRow = Awaited<ReturnType<typeof unitsWithParents>>[number];

/** The API's representation of a unit, and the unit's path. */
export interface ShownUnit {
  readonly path: string;
  readonly unit: UnitBrief;
}

export function presentUnit(row: UnitRow): UnitBrief {
  return {
    content_type: "unit",
    id: row.unit_id,
    name: row.name,
    level: row.level,
    unit_type: row.unit_type,
    parent: presentParentUnit(row),
    url: `/units/${row.unit_id}`,
  };
}

/** Returns the nearest physical unit above each department, by the ID of the department. */
export async function physicalUnits(
  ctx: Ctx,
  shown: readonly (ShownUnit | undefined)[],
): Promise<ReadonlyMap<number, UnitBrief>> {
  const pathById = new Map<number, string>();
  for (const each of shown) if (each && each.unit.unit_type !== "unit") pathById.set(each.unit.id, each.path);
  const found = new Map<number, UnitBrief>();
  if (pathById.size === 0) return found;
  const ids = [...new Set([...pathById.values()].flatMap(ancestorsOf))];
  const above = new Map((await unitsWithParents(ctx.db, { ids })).map((row) => [row.unit_id, row]));
  for (const [id, path] of pathById) {
    const nearest = ancestorsOf(path).findLast((ancestor) => above.get(ancestor)?.unit_type === "unit");
    const row = nearest === undefined ? undefined : above.get(nearest);
    if (row) found.set(id, presentUnit(row));
  }
  return found;
}

/** Returns the unit itself or, for a department, the nearest physical unit above. */
export function physicalUnitOf(unit: UnitBrief | null, physical: ReadonlyMap<number, UnitBrief>): UnitBrief | null {
  return unit === null || unit.unit_type === "unit" ? unit : (physical.get(unit.id) ?? null);
}
