import { ServiceError } from "../../contract/errors.ts";
import { users } from "../../contract/users.ts";
import type { Ctx } from "../pipeline/context.ts";
import { permit } from "../pipeline/permissions.ts";
import { tokenRows } from "./present-token.ts";

/** Returns a token. Throws `not_found` when it does not exist, `forbidden` without access to its owner. */
export async function findToken(ctx: Ctx, id: number) {
  const row = await tokenRows(ctx).where("t.id", "=", id).executeTakeFirst();
  if (row === undefined) throw new ServiceError("not_found", `There is no API token ${id}.`);
  await requireOwner(ctx, row.user_id);
  return row;
}

/**
 * Throws unless the actor is this user or may set the user's password: with a token as with a password, the actor could act
 * as the user.
 */
export async function requireOwner(ctx: Ctx, user: number): Promise<void> {
  await permit(ctx, users.password, { id: user });
}
