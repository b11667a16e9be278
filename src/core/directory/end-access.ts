import { ServiceError } from "../../contract/errors.ts";
import { deleteRows, updateRows } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";
import { queueNotices } from "../pipeline/queue-mail.ts";
import { forgetFailures } from "../pipeline/rate-limits.ts";

const kinds = ["sessions", "password_tokens", "api_tokens"] as const;

/** Ends sessions, password links and API tokens of users: everything besides the password that gives access to an account. */
export async function endAccess(
  { db }: Ctx,
  users: readonly number[],
  ended: readonly (typeof kinds)[number][] = kinds,
): Promise<void> {
  for (const table of ended) await deleteRows(db, table, { user_id: users });
}

/** Replaces a user's password and ends sessions. Throws `conflict` for the second of two simultaneous changes. */
export async function replacePassword(
  tx: Ctx,
  { id, token_version }: { readonly id: number; readonly token_version: number },
  password_hash: string,
): Promise<void> {
  await queueNotices(tx, [id], "password");
  const changes = { password_hash, token_version: token_version + 1, updated_at: tx.now };
  const [changed] = await updateRows(tx.db, "users", { id, token_version }, changes, ["id"]);
  if (changed === undefined)
    throw new ServiceError("conflict", "The password was changed at the same moment; try again.");
  // Changing your own password should not stop your jobs. Any other change also ends the API tokens, because somebody may have known the password.
  await endAccess(tx, [id], id === tx.actor.id ? ["sessions", "password_tokens"] : kinds);
  // Wrong codes still count: a person who can reset a password may not have the second factor.
  await forgetFailures(tx, id, "sign_in", "current_password");
  tx.announce(`user:${id}`);
}

/** Deletes the second factor of a user, also one that is being set up. Returns true when the user signed in with it. */
export async function removeTwoFactor(ctx: Ctx, user: number): Promise<boolean> {
  const { db } = ctx;
  await deleteRows(db, "recovery_codes", { user_id: user });
  await deleteRows(db, "two_factors", { user_id: user });
  await forgetFailures(ctx, user, "one_time_code");
  const { numUpdatedRows } = await db
    .updateTable("users")
    .set({ two_factor_at: null })
    .where("id", "=", user)
    .where("two_factor_at", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
