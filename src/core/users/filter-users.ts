import { sql } from "kysely";
import type { Ability, InputOf } from "../../contract/operation.ts";
import type { users as contract } from "../../contract/users.ts";
import { lastId } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { beginsWith, isPostgres } from "../../store/dialect.ts";
import { emailKey } from "../directory/text-keys.ts";
import type { Ctx } from "../pipeline/context.ts";
import { type AskedPage, decodeCursor, makeCursorPage, readPage } from "../pipeline/cursor.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { unitPath } from "../pipeline/permissions.ts";
import { idsInPath } from "../pipeline/unit-path.ts";

export type Filter = Omit<InputOf<typeof contract.list>, "limit" | "cursor">;

export async function readFilteredPage(ctx: Ctx, filter: Filter, asked: AskedPage) {
  const { query, isSliced } = await matchingUsers(ctx.db, filter);
  return isSliced ? readPageInSlices(ctx, query, asked) : readPage(ctx, query, { by: ["id"] }, asked);
}

/** Returns the query of the IDs; `isSliced` tells that it may have to check most users, and is run for slices of them. */
async function matchingUsers(db: Db, filter: Filter) {
  let query = existingUserIds(db);
  if (!filter.inactive) query = query.where("u.active", "=", 1);
  if (filter.email !== undefined) query = query.where("u.email_key", "=", emailKey(filter.email));
  if (filter.provider !== undefined) query = query.where("u.provider", "=", filter.provider);
  if (filter.admin !== undefined) query = query.where("u.admin", "=", filter.admin ? 1 : 0);
  if (filter.has_password !== undefined)
    query = query.where("u.password_hash", filter.has_password ? "is not" : "is", null);
  if (filter.has_password === false) query = query.where("u.provider", "=", "local");
  const conditions = await membershipConditions(db, filter);
  let isSliced = conditions.length > 0 || filter.has_password !== undefined;
  for (const { all, ofUser } of conditions) {
    const isLarge = await isLargeForSqlite(db, all);
    // Few users at one of the conditions are few to check.
    isSliced &&= isLarge;
    query = isLarge ? query.where(({ exists }) => exists(ofUser)) : query.where("u.id", "in", all);
  }
  return { query, isSliced };
}

/** Returns conditions on the memberships of a user. `ofUser` selects the rows of the user `u`. */
async function membershipConditions(db: Db, { unit, below, user_type, ability, ability_unit }: Filter) {
  const conditions: { readonly all: Memberships; readonly ofUser: Memberships }[] = [];
  const user = sql.ref<number>("u.id");
  if (unit !== undefined) {
    const path = below ? await unitPath(db, unit) : undefined;
    const all = path === undefined ? membersOf(db, unit) : membersBelow(db, path);
    conditions.push({ all, ofUser: all.where("m.user_id", "=", user) });
  }
  if (user_type !== undefined) {
    const all = grants(db).where("mt.user_type_id", "=", user_type);
    // The unary + keeps SQLite from reading all memberships that grant the type before the few of the user.
    const ofUser = grants(db).where(sql<number>`+mt.user_type_id`, "=", user_type);
    conditions.push({ all, ofUser: ofUser.where("m.user_id", "=", user) });
  }
  if (ability !== undefined || ability_unit !== undefined) {
    const grantsBy = await grantsOf(db, ability, ability_unit);
    const administrators = db.selectFrom("users as a").select("a.id as user_id").where("a.admin", "=", 1);
    const ofUser = grantsBy("+")
      .where("m.user_id", "=", user)
      .union(administrators.where("a.id", "=", user));
    conditions.push({ all: grantsBy("").union(administrators), ofUser });
  }
  return conditions;
}

const membersOf = (db: Db, unit: number) =>
  db.selectFrom("memberships as m").select("m.user_id").where("m.unit_id", "=", unit);

const membersBelow = (db: Db, path: string) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("units as n", "n.id", "m.unit_id")
    .select("m.user_id")
    .where(beginsWith("n.path", path));

const grants = (db: Db) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .select("m.user_id");

/**
 * Returns a function that selects the memberships that grant an ability, or any, in a unit or anywhere. The unary + keeps SQLite
 * from reading all of them before the few of a user.
 */
async function grantsOf(db: Db, ability: Ability | undefined, unit: number | undefined) {
  const types = await db.selectFrom("user_types").select(["id", "abilities"]).where("abilities", "<>", "[]").execute();
  const granting = types.filter((type) => ability === undefined || JSON.parse(type.abilities).includes(ability));
  const typeIds = [0, ...granting.map(({ id }) => id)];
  const unitIds = unit === undefined ? undefined : [0, ...idsInPath((await unitPath(db, unit)) ?? "")];
  return (sign: "" | "+"): Memberships => {
    const column = (name: string) => sql<number>`${sql.raw(sign)}${sql.ref(name)}`;
    const query = grants(db).where(column("mt.user_type_id"), "in", typeIds);
    return unitIds === undefined ? query : query.where(column("m.unit_id"), "in", unitIds);
  };
}

const existingUserIds = (db: Db) => db.selectFrom("users as u").select("u.id").where("u.deleted_at", "is", null);
type Users = ReturnType<typeof existingUserIds>;

/** Number of memberships above which checking users in their order is faster than listing all members. */
const manyMembers = 5000;

type Memberships = ReturnType<typeof membersOf>;

/** PostgreSQL decides by its statistics whether it lists all members. */
const isLargeForSqlite = async (db: Db, all: Memberships): Promise<boolean> =>
  !isPostgres(db) && (await all.limit(1).offset(manyMembers).executeTakeFirst()) !== undefined;

/** IDs that a statement checks, for up to 30 ms, when no other request can run. */
const sliceLength = 20_000;

/** Reads a page by ID as `readPage` does. Other requests can run between its statements. */
async function readPageInSlices(ctx: Ctx, users: Users, { list, limit, cursor }: AskedPage) {
  const position = decodeCursor<[number]>(ctx, list, cursor);
  const back = position?.direction === "before";
  const last = await lastId(ctx.db, "users");
  const found: { readonly id: number }[] = [];
  let key = position?.key[0] ?? 0;
  while (found.length <= limit && (back ? key > 1 : key < last)) {
    const end = back ? key - sliceLength : key + sliceLength;
    const slice = users
      .where("u.id", back ? "<" : ">", key)
      .where("u.id", back ? ">=" : "<=", end)
      .orderBy("u.id", back ? "desc" : "asc");
    found.push(...(await slice.limit(limit + 1 - found.length).execute()));
    key = end;
    if (found.length <= limit) await takeTurn();
  }
  return makeCursorPage(ctx, list, found, { limit, position, keyOf: ({ id }): [number] => [id] });
}
