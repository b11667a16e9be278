import { sql } from "kysely";
import type { z } from "zod";
import type { Address, AddressesInput, unit as contract } from "../../contract/unit-schemas.ts";
import type { Db } from "../../store/database.ts";
import { rowCount } from "../../store/dialect.ts";
import { nested, rowsIn } from "../../store/nested-rows.ts";
import { prepared } from "../../store/prepared.ts";
import { filesOf, presentNestedFiles } from "../files/attached-files.ts";
import { may } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inOrderOf } from "./in-order-of.ts";
import { presentParentUnit, presentUnitBrief } from "./unit-briefs.ts";

export type Unit = z.infer<ReturnType<typeof contract>>;

const unitRows = (db: Db) =>
  db
    .selectFrom("units as n")
    .leftJoin("units as p", "p.id", "n.parent_id")
    .select(["n.id", "n.name", "n.level", "n.unit_type", "n.reference", "n.description", "n.path", "n.parent_id"])
    .select(["p.name as parent_name", "p.level as parent_level", "p.unit_type as parent_type"])
    .select(["n.addresses", "n.contact_name", "n.contact_phone", "n.opening_hours", "n.lat", "n.lng"])
    .select(["n.user_count", "n.child_count", "n.descendant_count", "n.created_at", "n.updated_at"])
    .select(
      nested(
        db,
        db.selectFrom("departments as d").select(["d.id", "d.name"]).where("d.unit_id", "=", sql.ref<number>("n.id")),
      ).as("departments"),
    )
    .select(filesOf(db, "unit", "n.id").as("files"));

const unitsById = prepared((db, p: { ids: number[] }) => unitRows(db).where("n.id", "in", p.ids));

const unitsAfter = prepared((db, p: { id: number; max: number }) =>
  unitRows(db).where("n.id", ">", p.id).orderBy("n.id").limit(rowCount(p.max)),
);

const shownChildren = 500;
const fullUnitsById = prepared((db, p: { ids: number[] }) =>
  unitRows(db)
    .select(
      nested(
        db,
        db
          .selectFrom("units as child")
          .select(["child.id", "child.name", "child.level", "child.unit_type"])
          .where("child.parent_id", "=", sql.ref<number>("n.id"))
          .orderBy("child.id")
          .limit(sql.lit(shownChildren)),
      ).as("children"),
    )
    .where("n.id", "in", p.ids),
);

type Row = Awaited<ReturnType<typeof unitsById>>[number];

/** Returns units in the order of `ids`, without unknown ones. Runs one query. */
export async function presentUnits(ctx: Ctx, ids: number[]): Promise<Unit[]> {
  if (ids.length === 0) return [];
  const rows = await unitsById(ctx.db, { ids });
  return inOrderOf(ids, rows).map((row) => present(ctx, row));
}

/** Returns the first `max` units with a greater ID, in one query that reads each row once. */
export async function presentUnitsAfter(ctx: Ctx, id: number, max: number): Promise<Unit[]> {
  return (await unitsAfter(ctx.db, { id, max })).map((row) => present(ctx, row));
}

/** Returns units as `presentUnits`, each with its first children. */
export async function presentFullUnits(ctx: Ctx, ids: number[]): Promise<Unit[]> {
  if (ids.length === 0) return [];
  const rows = await fullUnitsById(ctx.db, { ids });
  return inOrderOf(ids, rows).map((row) => ({
    ...present(ctx, row),
    children: rowsIn(row.children).map(presentUnitBrief),
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

/** Returns the given addresses with all fields. Missing fields have their values in `before`, else are empty. */
export function fullAddresses(given: AddressesInput, before?: Unit["addresses"]): Partial<Unit["addresses"]> {
  const full = (["company", "delivery", "invoicing"] as const).flatMap((name) => {
    const address = given[name];
    return address === undefined ? [] : [[name, address && { ...emptyAddress, ...before?.[name], ...address }]];
  });
  return Object.fromEntries(full);
}

/** Returns all addresses of a unit. Does not parse "{}", because most units have none. */
function presentAddresses(json: string): Unit["addresses"] {
  const none = { company: null, delivery: null, invoicing: null };
  return json === "{}" ? none : { ...none, ...fullAddresses(JSON.parse(json)) };
}

function presentOpeningHours(json: string): Unit["opening_hours"] {
  const none = { office_hours: null, closed: null };
  return json === "{}" ? none : { ...none, ...JSON.parse(json) };
}

/** Names each field, because fields that follow a spread are slow to add and to write as JSON. */
function present(ctx: Ctx, row: Row): Unit {
  const edit = may(ctx.actor, "units", row.path);
  return {
    content_type: "unit",
    id: row.id,
    name: row.name,
    level: row.level,
    unit_type: row.unit_type,
    url: `/units/${row.id}`,
    reference: row.reference,
    description: row.description,
    path: row.path,
    features: [],
    departments: rowsIn(row.departments, "id").map(({ id, name }) => ({ id, name })),
    parent: presentParentUnit(row),
    image: presentNestedFiles(ctx, row.files)[0] ?? null,
    addresses: presentAddresses(row.addresses),
    contact: { name: row.contact_name, phone: row.contact_phone },
    opening_hours: presentOpeningHours(row.opening_hours),
    geo: { lat: row.lat, lng: row.lng },
    stats: { users: row.user_count, children: row.child_count, children_total: row.descendant_count },
    permissions: { edit, delete: edit && row.parent_id !== null },
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
