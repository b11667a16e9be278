import type { z } from "zod";
import type { unit as contract } from "../../contract/units.ts";
import { isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { may } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";
import { presentUnitBrief } from "./unit-tree.ts";

export type Unit = z.infer<ReturnType<typeof contract>>;

const rowsById = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom("units as n")
    .leftJoin("units as p", "p.id", "n.parent_id")
    .selectAll("n")
    .select(["p.name as parent_name", "p.level as parent_level", "p.unit_type as parent_type"])
    .where((eb) => isAmong(db, eb.ref("n.id"), p.ids)),
);
const departmentsByUnit = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom("departments")
    .select(["id", "unit_id", "name"])
    .where((eb) => isAmong(db, eb.ref("unit_id"), p.ids))
    .orderBy("id"),
);

type Row = Awaited<ReturnType<typeof rowsById>>[number];

/**
 * Returns the API's representation of units in the order of `ids`, without unknown ones. Runs a constant number of
 * queries.
 */
export async function presentUnits(ctx: Ctx, ids: number[]): Promise<Unit[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await rowsById(ctx.db, { ids })).map((row) => [row.id, row]));
  const departments = Map.groupBy(await departmentsByUnit(ctx.db, { ids }), (row) => row.unit_id);
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [] : [present(ctx, row, departments.get(id) ?? [])];
  });
}

function present(ctx: Ctx, row: Row, departments: { id: number; name: string }[]): Unit {
  const edit = may(ctx.actor, "units", row.path);
  return {
    ...presentUnitBrief(row.id, row.name, row.level, row.unit_type),
    reference: row.reference,
    description: row.description,
    path: row.path,
    features: [],
    departments: departments.map(({ id, name }) => ({ id, name })),
    parent:
      row.parent_id === null
        ? null
        : presentUnitBrief(row.parent_id, row.parent_name ?? "", row.parent_level ?? 0, row.parent_type ?? "unit"),
    image: null,
    addresses: { company: null, delivery: null, invoicing: null, ...JSON.parse(row.addresses) },
    contact: { name: row.contact_name, phone: row.contact_phone },
    opening_hours: { office_hours: null, closed: null, ...JSON.parse(row.opening_hours) },
    geo: { lat: row.lat, lng: row.lng },
    stats: { users: row.user_count, children: row.child_count, children_total: row.descendant_count },
    permissions: { edit, delete: edit && row.parent_id !== null },
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
