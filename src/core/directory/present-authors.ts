import type { z } from "zod";
import type { shortUser } from "../../contract/user-schemas.ts";
import type { Ctx } from "../pipeline/context.ts";
import { presentShortRows, presentShortUsers, type ShortRow } from "./present-short-users.ts";

export type Author = z.infer<ReturnType<typeof shortUser>>;

/** Returns short users by ID; deleted ones appear as "Deleted user". Runs a constant number of queries. */
export async function presentAuthors(ctx: Ctx, ids: readonly number[]): Promise<(id: number) => Author> {
  return byId(await presentShortUsers(ctx, [...new Set(ids)]));
}

/** Returns the same as `presentAuthors` for users whose rows were read with something else. */
export async function presentAuthorRows(ctx: Ctx, rows: readonly ShortRow[]): Promise<(id: number) => Author> {
  return byId(await presentShortRows(ctx, rows));
}

function byId(users: readonly Author[]): (id: number) => Author {
  const found = new Map(users.map((user) => [user.id, user]));
  return (id) => found.get(id) ?? deletedUser(id);
}

export function deletedUser(id: number) {
  return {
    content_type: "user",
    id,
    name: "Deleted user",
    first_name: "Deleted",
    last_name: "user",
    title: "",
    avatar: null,
    active: false,
    unit: null,
    physicalUnit: null,
    url: `/users/${id}`,
  } as const;
}
