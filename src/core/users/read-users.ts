import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import type { users as contract } from "../../contract/users.ts";
import { findRow } from "../../store/bulk.ts";
import { presentUsers, presentUsersAfter, type User } from "../directory/present-users.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { isUnfiltered, readPageAfter } from "../pipeline/cursor.ts";
import { filterIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { requireUser } from "../pipeline/permissions.ts";
import { type Filter, readFilteredPage } from "./filter-users.ts";

/** Returns the issues of filters by things that do not exist, and of `below` without a unit. */
export async function userFilterIssues(ctx: Ctx, filter: Partial<Filter>): Promise<FieldIssues> {
  const { unit, below, user_type, ability_unit } = filter;
  return {
    ...(await filterIssues(ctx, { units: { unit, ability_unit }, user_types: { user_type } })),
    ...belowIssues({ unit, below }),
  };
}

function belowIssues({ unit, below }: Pick<Partial<Filter>, "unit" | "below">): FieldIssues {
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
    requireNoIssues(belowIssues(filter));
    if (filter.has_password !== undefined && !ctx.actor.admin)
      throw new ServiceError("forbidden", "Only administrators can list users by has_password.");
    const { rows, meta } = await readFilteredPage(ctx, filter, asked);
    // Administrators are found for any ability_unit.
    if (rows.length === 0 || filter.ability_unit !== undefined) requireNoIssues(await userFilterIssues(ctx, filter));
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

export async function oneUser(ctx: Ctx, id: number): Promise<User> {
  const [user] = await presentUsers(ctx, [id]);
  if (user !== undefined) return user;
  const row = await findRow(ctx.db, "users", { id }, ["deleted_at"]);
  requireUser(row, id);
  throw new ServiceError("not_found", `There is no user ${id}.`);
}
