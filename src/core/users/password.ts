import { invalid, ServiceError } from "../../contract/errors.ts";
import type { users as contract } from "../../contract/users.ts";
import type { Ctx, Handlers } from "../context.ts";
import { checkNewPassword, checkPassword, hashPassword } from "../passwords.ts";
import { requireUser } from "../permissions.ts";
import { attemptSucceeded, beginAttempt } from "../sign-in-failures.ts";

/** Sets a password; the hashing happens outside the transaction, which would hold up all other writers. */
export const password: Handlers<typeof contract>["password"] = async (ctx, { id, password, current }) => {
  const user = await ctx.db
    .selectFrom("users")
    .select(["email", "email_key", "first_name", "last_name", "password_hash", "deleted_at", "token_version"])
    .where("id", "=", id)
    .executeTakeFirst();
  requireUser(user, id);
  if (id === ctx.actor.id) await requireCurrent(ctx, user, current);
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
    tx.announce(`user:${id}`);
  });
};

/** Guessing one's "own" password with a stolen token is limited as signing in is. */
async function requireCurrent(
  ctx: Ctx,
  user: { email_key: string | null; password_hash: string | null },
  current: string | undefined,
): Promise<void> {
  if (user.password_hash === null) return;
  if (current === undefined) throw invalid({ current: ["is required to change one's own password"] });
  const account = user.email_key ?? "";
  await beginAttempt(ctx, account);
  const { good } = await checkPassword(current, user.password_hash);
  if (!good) throw invalid({ current: ["is not the present password"] });
  await attemptSucceeded(ctx, account);
}
