import { sql } from "kysely";
import type { z } from "zod";
import type { Address, AddressesInput } from "../../contract/address-schemas.ts";
import type { unit as contract } from "../../contract/unit-schemas.ts";
import { isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { presentImages } from "../files/owner-image.ts";
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

const shownChildren = 500;
const childrenByUnit = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("units")
        .select(["id", "parent_id", "name", "level", "unit_type"])
        .select(sql<number>`row_number() over (partition by parent_id order by id)`.as("place"))
        .where((each) => isAmong(db, each.ref("parent_id"), p.ids))
        .as("child"),
    )
    .select(["id", "parent_id", "name", "level", "unit_type"])
    .where("place", "<=", shownChildren)
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
  const images = await presentImages(ctx, "unit", ids);
  return ids.flatMap((id) => {
    const row = rows.get(id);
    if (row === undefined) return [];
    return [{ ...present(ctx, row, departments.get(id) ?? []), image: images.get(id) ?? null }];
  });
}

/** Returns units as `presentUnits`, each with its first children. */
export async function presentFullUnits(ctx: Ctx, ids: number[]): Promise<Unit[]> {
  const units = await presentUnits(ctx, ids);
  const parents = units.filter(({ stats }) => stats.children > 0).map(({ id }) => id);
  const rows = parents.length === 0 ? [] : await childrenByUnit(ctx.db, { ids: parents });
  const children = Map.groupBy(rows, (row) => row.parent_id ?? 0);
  return units.map((unit) => ({
    ...unit,
    children: (children.get(unit.id) ?? []).map((row) => presentUnitBrief(row.id, row.name, row.level, row.unit_type)),
  }));
}

const emptyAddress: Address = {
  company: null,
  registration_number: null,
  vat_number: null,
  street: null,
  street_additional: null,
  postal_code: null,
  city: null,
  country: null,
  phone: null,
  email: null,
  comments: null,
  use_company_address: false,
};

/** Returns the given addresses with all of their fields; those that are not given are as `before`, else empty. */
export function fullAddresses(given: AddressesInput, before?: Unit["addresses"]): Partial<Unit["addresses"]> {
  const full = (["company", "delivery", "invoicing"] as const).flatMap((name) => {
    const address = given[name];
    return address === undefined ? [] : [[name, address && { ...emptyAddress, ...before?.[name], ...address }]];
  });
  return Object.fromEntries(full);
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
    addresses: { company: null, delivery: null, invoicing: null, ...fullAddresses(JSON.parse(row.addresses)) },
    contact: { name: row.contact_name, phone: row.contact_phone },
    opening_hours: { office_hours: null, closed: null, ...JSON.parse(row.opening_hours) },
    geo: { lat: row.lat, lng: row.lng },
    stats: { users: row.user_count, children: row.child_count, children_total: row.descendant_count },
    permissions: { edit, delete: edit && row.parent_id !== null },
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
