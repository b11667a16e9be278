import { sql } from "kysely";
import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { users as contract } from "../../contract/users.ts";
import type { Db } from "../../store/database.ts";
import { isPostgres } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { presentUsers, presentUsersAfter, type User } from "../directory/present-users.ts";
import { emailKey } from "../directory/text-keys.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import {
  type AskedPage,
  decodeCursor,
  isUnfiltered,
  makeCursorPage,
  readPage,
  readPageAfter,
} from "../pipeline/cursor.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { requireUser, unitPath } from "../pipeline/permissions.ts";
import { filterIssues } from "../pipeline/reference-issues.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { branchEnd } from "../pipeline/unit-path.ts";

/** Returns the issues of filters by things that do not exist, and of `below` without a unit. */
export async function userFilterIssues(ctx: Ctx, { unit, below, user_type }: Partial<Filter>): Promise<FieldErrors> {
  const issues = await filterIssues(ctx, [
    ["unit", "units", unit],
    ["user_type", "user_types", user_type],
  ]);
  return { ...issues, ...belowIssues({ unit, below }) };
}

function belowIssues({ unit, below }: Pick<Partial<Filter>, "unit" | "below">): FieldErrors {
  return unit === undefined && below ? { below: ["requires unit"] } : {};
}

export const userReadHandlers = {
  async list(ctx, { limit, cursor, ...filter }) {
    const asked = { list: `users ${JSON.stringify(filter)}`, limit, cursor };
    const { inactive, below, ...others } = filter;
    if (!inactive && !below && isUnfiltered(others)) {
      const page = await readPageAfter(ctx, asked, presentUsersAfter);
      if (page) return page;
    }
    refuse(belowIssues(filter));
    const { query, isSliced } = await matchingUsers(ctx.db, filter);
    const { rows, meta } = await (isSliced
      ? readPageInSlices(ctx, query, asked)
      : readPage(ctx, query, { by: ["id"] }, asked));
    if (rows.length === 0) refuse(await userFilterIssues(ctx, filter));
    const ids = rows.map((row) => row.id);
    const data = await presentUsers(ctx, ids);
    // Returning such a user for an address that the actor may not see would reveal whose it is.
    return { data: filter.email === undefined ? data : data.filter(({ email }) => email !== null), meta };
  },

  get: (ctx, { id }) => oneUser(ctx, id),

  current: (ctx) => oneUser(ctx, ctx.actor.id),

  async reference(ctx, { reference }) {
    const row = await ctx.db.selectFrom("users").select("id").where("reference", "=", reference).executeTakeFirst();
    if (row === undefined) throw new ServiceError("not_found", `There is no user with the reference ${reference}.`);
    return oneUser(ctx, row.id);
  },

  collection: async (ctx, { ids }) => ({ users: await presentUsers(ctx, [...new Set(ids)]) }),
} satisfies Partial<Handlers<typeof contract>>;

type Filter = Omit<InputOf<typeof contract.list>, "limit" | "cursor">;

/**
 * Returns the query of the IDs of users that match all filters; `isSliced` tells that it may have to check most users, and is
 * to be run for one slice of them after the other.
 */
async function matchingUsers(db: Db, { unit, below, user_type, ...filter }: Filter) {
  let query = presentIds(db);
  if (!filter.inactive) query = query.where("u.active", "=", 1);
  if (filter.email !== undefined) query = query.where("u.email_key", "=", emailKey(filter.email));
  if (filter.provider !== undefined) query = query.where("u.provider", "=", filter.provider);
  if (filter.admin !== undefined) query = query.where("u.admin", "=", filter.admin ? 1 : 0);
  const conditions = await membershipConditions(db, { unit, below, user_type });
  let isSliced = conditions.length > 0;
  for (const { all, ofUser } of conditions) {
    const isLarge = await isLargeForSqlite(db, all);
    // Few users at one of the conditions are few to check.
    isSliced &&= isLarge;
    query = isLarge
      ? query.where(({ exists }) => exists(ofUser.where("m.user_id", "=", sql.ref<number>("u.id"))))
      : query.where("u.id", "in", all);
  }
  return { query, isSliced };
}

/** A condition that a user has one of some memberships. `ofUser` selects the same ones in a way that is quick for a single user. */
interface MembershipCondition {
  readonly all: Memberships;
  readonly ofUser: Memberships;
}

async function membershipConditions(db: Db, { unit, below, user_type }: Pick<Filter, "unit" | "below" | "user_type">) {
  const conditions: MembershipCondition[] = [];
  if (unit !== undefined) {
    const path = below ? await unitPath(db, unit) : undefined;
    const all = path === undefined ? membersOf(db, unit) : membersBelow(db, path);
    conditions.push({ all, ofUser: all });
  }
  if (user_type !== undefined) {
    const all = grants(db).where("mt.user_type_id", "=", user_type);
    // With the sign SQLite reads the few memberships of a user first, and not all that grant the type.
    conditions.push({ all, ofUser: grants(db).where(sql<number>`+mt.user_type_id`, "=", user_type) });
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
    .where("n.path", ">=", path)
    .where("n.path", "<", branchEnd(path));

const grants = (db: Db) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .select("m.user_id");

const presentIds = (db: Db) => db.selectFrom("users as u").select("u.id").where("u.deleted_at", "is", null);
type Users = ReturnType<typeof presentIds>;

/** Number of memberships from which on checking users in their order is quicker than listing all who have one. */
const manyMembers = 5000;

type Memberships = ReturnType<typeof membersOf>;

/** PostgreSQL decides by its statistics whether it lists all members. */
const isLargeForSqlite = async (db: Db, all: Memberships): Promise<boolean> =>
  !isPostgres(db) && (await all.limit(1).offset(manyMembers).executeTakeFirst()) !== undefined;

/** IDs that a statement checks, for up to 50 ms, when no other request can run. */
const sliceLength = 20_000;

/** Reads a page by ID as `readPage` does. Other requests can run between its statements. */
async function readPageInSlices(ctx: Ctx, users: Users, { list, limit, cursor }: AskedPage) {
  const position = decodeCursor<[number]>(ctx, list, cursor);
  const back = position?.direction === "before";
  const { last } = await ctx.db
    .selectFrom("users")
    .select((eb) => eb.fn.max<number | null>("id").as("last"))
    .executeTakeFirstOrThrow();
  const found: { readonly id: number }[] = [];
  let key = position?.key[0] ?? 0;
  while (found.length <= limit && (back ? key > 1 : key < Number(last))) {
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

const deletion = prepared((db, p: { id: number }) =>
  db.selectFrom("users").select("deleted_at").where("id", "=", p.id),
);

/** Returns the full user. Throws `not_found` or `gone` when there is none. */
export async function oneUser(ctx: Ctx, id: number): Promise<User> {
  const [user] = await presentUsers(ctx, [id]);
  if (user !== undefined) return user;
  const [row] = await deletion(ctx.db, { id });
  requireUser(row, id);
  throw new ServiceError("not_found", `There is no user ${id}.`);
}
