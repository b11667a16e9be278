import type { z } from "zod";
import { fold } from "../../contract/fold-text.ts";
import type { Ability } from "../../contract/operation.ts";
import type { userRow } from "../../contract/user-schemas.ts";
import { findRows, insertRows } from "../../store/bulk.ts";
import { prepared } from "../../store/prepared.ts";
import { emailKey } from "../directory/text-keys.ts";
import { may } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { userColumns } from "./user-columns.ts";

const maxNameLength = 255;

export type UserImportRow = z.infer<ReturnType<typeof userRow>>;

/** The requested state of a user, with references resolved. Undefined properties do not change. */
export interface Wanted {
  readonly columns: Partial<ReturnType<typeof userColumns>> & { first_name: string; last_name: string; email: string };
  readonly unit: { id: number; path: string };
  readonly types: readonly number[] | undefined;
  readonly department: number | null | undefined;
}

export type ExistingUser = Awaited<ReturnType<typeof loadUsers>>[number];

/** Everything that the rows of a batch refer to, loaded with a constant number of queries. */
export interface Known {
  readonly byReference: Map<string, ExistingUser>;
  readonly byEmail: Map<string, ExistingUser>;
  readonly units: Map<string, { id: number; path: string }>;
  /** By folded name. */
  readonly types: Map<string, Type>;
  readonly newTypes: readonly number[];
  /** By unit ID and name. */
  readonly departments: Map<string, number>;
  /** Adds users that were created or changed meanwhile. */
  add(users: readonly ExistingUser[]): void;
}

/** Loads everything that the rows refer to. With `createTypes`, creates missing user types first, if the actor may. */
export async function lookUp(ctx: Ctx, rows: readonly UserImportRow[], createTypes: boolean): Promise<Known> {
  const references = rows.flatMap(({ reference }) => (reference ? [reference] : []));
  const emails = rows.map((row) => emailKey(row.email));
  const usersWhere = (column: "reference" | "email_key", values: string[]) =>
    ctx.db.selectFrom("users").select("id").where(column, "in", values);
  const found = await usersWhere("reference", references).union(usersWhere("email_key", emails)).execute();
  const users = createUserIndex();
  const ids = found.map((row) => row.id);
  users.add(await loadUsers(ctx, ids));
  const units = await loadUnits(ctx, [...new Set(rows.map((row) => row.unit))]);
  return {
    ...users,
    units,
    ...(await loadTypes(ctx, rows, createTypes)),
    departments: await loadDepartments(ctx, rows, units),
  };
}

function createUserIndex(): Pick<Known, "byReference" | "byEmail" | "add"> {
  const byReference = new Map<string, ExistingUser>();
  const byEmail = new Map<string, ExistingUser>();
  const byId = new Map<number, ExistingUser>();
  const forget = (map: Map<string, ExistingUser>, key: string, { id }: ExistingUser) => {
    if (map.get(key)?.id === id) map.delete(key);
  };
  return {
    byReference,
    byEmail,
    add(users) {
      for (const user of users) {
        const before = byId.get(user.id);
        if (before?.reference) forget(byReference, before.reference, before);
        if (before?.email_key) forget(byEmail, before.email_key, before);
        byId.set(user.id, user);
        if (user.reference !== null) byReference.set(user.reference, user);
        if (user.email_key !== null) byEmail.set(user.email_key, user);
      }
    },
  };
}

const usersById = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("users as u")
    .leftJoin("memberships as m", (join) => join.onRef("m.user_id", "=", "u.id").onRef("m.unit_id", "=", "u.unit_id"))
    .leftJoin("units as n", "n.id", "u.unit_id")
    .selectAll("u")
    .leftJoin("departments as d", "d.id", "m.department_id")
    .select((eb) => [
      "m.id as membership_id",
      "m.department_id",
      "d.name as department_name",
      "n.path as unit_path",
      eb.fn.coalesce("n.reference", "n.name").as("unit_label"),
    ])
    .where("u.id", "in", p.ids)
    .where("u.deleted_at", "is", null),
);

const membershipsByUser = prepared((db, p: { users: readonly number[] }) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("units as n", "n.id", "m.unit_id")
    .select(["m.id", "m.user_id", "m.unit_id", "n.path"])
    .where("m.user_id", "in", p.users),
);

const typesByMembership = prepared((db, p: { memberships: readonly number[] }) =>
  db
    .selectFrom("membership_user_types as mt")
    .innerJoin("user_types as t", "t.id", "mt.user_type_id")
    .select(["mt.membership_id", "t.id", "t.name", "t.abilities"])
    .where("mt.membership_id", "in", p.memberships),
);

/** Loads users as an import compares them: with the first membership, and the units and grants of all. */
export async function loadUsers({ db }: Ctx, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const rows = await usersById(db, { ids });
  const memberships = await membershipsByUser(db, { users: ids });
  const types = await typesByMembership(db, { memberships: memberships.map((row) => row.id) });
  const typesOf = Map.groupBy(types.map(parseAbilities), (type) => type.membership_id);
  const membershipsOf = Map.groupBy(memberships, (row) => row.user_id);
  return rows.map((row) =>
    // Extends the row itself, because copying so many columns takes longer than the query.
    Object.assign(row, {
      types: typesOf.get(row.membership_id ?? 0) ?? [],
      units: (membershipsOf.get(row.id) ?? []).map((membership) => membership.unit_id),
      grants: (membershipsOf.get(row.id) ?? []).flatMap(({ id, path }) =>
        (typesOf.get(id) ?? []).map(({ abilities }) => ({ path, abilities })),
      ),
    }),
  );
}

/** A user type in the form that an import compares. */
export interface Type {
  readonly id: number;
  readonly name: string;
  readonly abilities: readonly Ability[];
}

function parseAbilities<T extends { id: number; name: string; abilities: string }>(row: T) {
  return { ...row, abilities: JSON.parse(row.abilities) as Ability[] } satisfies Type;
}

async function loadUnits(ctx: Ctx, references: readonly string[]) {
  const rows = await findRows(ctx.db, "units", { reference: references }, ["id", "reference", "path"]);
  return new Map(rows.map(({ reference, ...unit }) => [reference ?? "", unit]));
}

async function loadTypes(ctx: Ctx, rows: readonly UserImportRow[], create: boolean) {
  const names = new Map<string, string>();
  for (const { user_types = "" } of rows) for (const name of typeNames(user_types)) names.set(fold(name), name);
  const load = () =>
    findRows(ctx.db, "user_types", { name_key: [...names.keys()] }, ["id", "name", "name_key", "abilities"]);
  let found = names.size === 0 ? [] : await load();
  let newTypes: number[] = [];
  if (create && found.length < names.size && may(ctx.actor, "usertypes")) {
    const known = new Set(found.map((row) => row.name_key));
    const missing = [...names].filter(([key, name]) => !known.has(key) && [...name].length <= maxNameLength);
    const added = missing.map(([name_key, name]) => ({ name, name_key, reference: null }));
    const made = await insertRows(ctx.db, "user_types", added, ["id"]);
    newTypes = made.map((row) => row.id);
    found = await load();
  }
  return { types: new Map(found.map((row) => [row.name_key, parseAbilities(row)])), newTypes };
}

async function loadDepartments(ctx: Ctx, rows: readonly UserImportRow[], units: Known["units"]) {
  const named = rows.filter((row) => row.department);
  if (named.length === 0) return new Map<string, number>();
  const ids = [...new Set(named.flatMap((row) => units.get(row.unit)?.id ?? []))];
  const found = await findRows(ctx.db, "departments", { unit_id: ids }, ["id", "unit_id", "name"]);
  return new Map(found.map((row) => [`${row.unit_id} ${row.name}`, row.id]));
}

/** Returns the names in a cell, which are separated by semicolons. */
export function typeNames(cell: string): string[] {
  return cell
    .split(";")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
