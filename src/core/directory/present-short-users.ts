import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import { filesOf, presentNestedFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inOrderOf } from "./in-order-of.ts";
import { physicalUnitOf, physicalUnits, presentUnit, type UnitRow } from "./physical-units.ts";

/** Selects users that are not deleted, with the unit of the first membership, which `users.unit_id` holds. */
export const shortUserRows = (db: Db) =>
  db
    .selectFrom("users as u")
    .leftJoin("units as n", "n.id", "u.unit_id")
    .leftJoin("units as above", "above.id", "n.parent_id")
    .select(["u.id", "u.first_name", "u.last_name", "u.title", "u.active", "u.unit_id"])
    .select(["n.name", "n.level", "n.unit_type", "n.path", "n.parent_id"])
    .select(["above.name as parent_name", "above.level as parent_level", "above.unit_type as parent_type"])
    .select(filesOf(db, "user", "u.id").as("files"))
    .where("u.deleted_at", "is", null);

const shortUsersById = prepared((db, p: { ids: number[] }) => shortUserRows(db).where("u.id", "in", p.ids));

export type ShortRow = Awaited<ReturnType<typeof shortUsersById>>[number];

/** Returns short users in the order of `ids`, without unknown and deleted ones. */
export async function presentShortUsers(ctx: Ctx, ids: number[]) {
  if (ids.length === 0) return [];
  const rows = await shortUsersById(ctx.db, { ids });
  return presentShortRows(ctx, inOrderOf(ids, rows));
}

/** Presents rows of `shortUserRows`. Runs a query if units of them are departments. */
export async function presentShortRows(ctx: Ctx, rows: readonly ShortRow[]) {
  const units = rows.map((row) => (hasUnit(row) ? { path: row.path, unit: presentUnit(row) } : undefined));
  const physical = await physicalUnits(ctx, units);
  return rows.map((row, at) => {
    const unit = units[at]?.unit ?? null;
    return {
      content_type: "user" as const,
      id: row.id,
      name: `${row.first_name} ${row.last_name}`,
      first_name: row.first_name,
      last_name: row.last_name,
      title: row.title,
      avatar: presentNestedFiles(ctx, row.files)[0] ?? null,
      active: row.active === 1,
      unit,
      physicalUnit: physicalUnitOf(unit, physical),
      url: `/users/${row.id}`,
    };
  });
}

/** Returns false for a user without a membership. */
const hasUnit = (row: ShortRow): row is ShortRow & UnitRow => row.path !== null;
