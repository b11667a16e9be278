import { invalid, ServiceError } from "../../contract/errors.ts";
import type { users as contract } from "../../contract/users.ts";
import { attempt } from "../directory/attempts.ts";
import { checkNewPassword, checkPassword, hashPassword } from "../directory/passwords.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { requireUser } from "../pipeline/permissions.ts";
import { accountOfUser, forgetFailures } from "../pipeline/rate-limits.ts";

/** Sets a password. Hashes outside the transaction, because it would block all other writers. */
export const password: Handlers<typeof contract>["password"] = async (ctx, { id, password, current }) => {
  const user = await ctx.db
    .selectFrom("users")
    .select(["email", "first_name", "last_name", "password_hash", "deleted_at", "token_version"])
    .where("id", "=", id)
    .executeTakeFirst();
  requireUser(user, id);
  if (id === ctx.actor.id) await requireCurrent(ctx, user.password_hash, current);
  await checkNewPassword(password, user, ctx.settings);
  const password_hash = await hashPassword(password);
  await ctx.transaction(async (tx) => {
    const { numUpdatedRows } = await tx.db
      .updateTable("users")
      .set((eb) => ({ password_hash, token_version: eb("token_version", "+", 1), updated_at: tx.now }))
      .where("id", "=", id)
      // Rejects the second of two simultaneous changes: the first one ended the session that authorized it.
      .where("token_version", "=", user.token_version)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw new ServiceError("conflict", "The password was changed at the same moment; try again.");
    await tx.db.deleteFrom("password_tokens").where("user_id", "=", id).execute();
    await forgetFailures(tx, id);
    tx.announce(`user:${id}`);
  });
};

/** Limits guessing the current password with a stolen token. Sign-ins have a separate limit. */
async function requireCurrent(ctx: Ctx, hash: string | null, current: string | undefined): Promise<void> {
  if (hash === null) return;
  if (current === undefined) throw invalid({ current: ["is required to change your own password"] });
  const subject = { kind: "current_password", account: accountOfUser(ctx.actor.id), network: undefined } as const;
  const { good } = await attempt(ctx, subject, { check: () => checkPassword(current, hash) });
  if (!good) throw invalid({ current: ["is not your current password"] });
}
