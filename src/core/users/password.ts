import { invalid, ServiceError } from "../../contract/errors.ts";
import type { users as contract } from "../../contract/users.ts";
import { attempt } from "../attempts.ts";
import type { Ctx, Handlers } from "../context.ts";
import { checkNewPassword, checkPassword, hashPassword } from "../passwords.ts";
import { requireUser } from "../permissions.ts";
import { accountOfUser, forgetFailures } from "../rate-limits.ts";

/** Sets a password; the hashing happens outside the transaction, which would hold up all other writers. */
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
      // Two changes at once: the second was allowed by what the first has ended.
      .where("token_version", "=", user.token_version)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw new ServiceError("conflict", "The password was changed at the same moment; try again.");
    await tx.db.deleteFrom("password_tokens").where("user_id", "=", id).execute();
    await forgetFailures(tx, id);
    tx.announce(`user:${id}`);
  });
};

/** Limits guessing one's "own" password with a stolen token; signing in is limited apart from it. */
async function requireCurrent(ctx: Ctx, hash: string | null, current: string | undefined): Promise<void> {
  if (hash === null) return;
  if (current === undefined) throw invalid({ current: ["is required to change one's own password"] });
  const subject = { kind: "current_password", account: accountOfUser(ctx.actor.id), network: undefined } as const;
  const { good } = await attempt(ctx, subject, { check: () => checkPassword(current, hash) });
  if (!good) throw invalid({ current: ["is not the present password"] });
}
