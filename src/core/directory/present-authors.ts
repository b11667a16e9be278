import type { z } from "zod";
import type { shortUser } from "../../contract/user-schemas.ts";
import type { Ctx } from "../pipeline/context.ts";
import { presentShortUsers } from "./present-short-users.ts";

export type Author = z.infer<ReturnType<typeof shortUser>>;

/** Returns short users by ID; deleted ones appear as "Deleted user". Runs a constant number of queries. */
export async function presentAuthors(ctx: Ctx, ids: readonly number[]): Promise<(id: number) => Author> {
  const users = new Map((await presentShortUsers(ctx, [...new Set(ids)])).map((user) => [user.id, user]));
  return (id) => users.get(id) ?? deletedUser(id);
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
