import type { Ctx } from "./context.ts";

const tokenBytes = 32;

interface Recipient {
  readonly id: number;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** Puts a mail into the outbox, in the transaction of the change that asks for it. It is sent later. */
export async function queueMail(
  ctx: Ctx,
  kind: "welcome" | "password_reset",
  user: Recipient,
  token: string | undefined,
): Promise<void> {
  const name = `${user.first_name} ${user.last_name}`;
  const payload = JSON.stringify({
    name,
    email: user.email,
    token,
    expires_in: ctx.settings["passwords.reset_lifetime"],
  });
  await ctx.db
    .insertInto("mails")
    .values({ kind, user_id: user.id, recipient: user.email, payload, created_at: ctx.now, sent_at: null })
    .execute();
  ctx.announce("outbox");
}

/** Makes the one token with which a user may set a password, in place of an earlier one. It is kept hashed. */
export async function newPasswordToken(ctx: Ctx, user: number): Promise<string> {
  const { randomBytes } = await import("node:crypto");
  const token = randomBytes(tokenBytes).toString("base64url");
  const values = { token_hash: hashToken(token), expires_at: ctx.now + ctx.settings["passwords.reset_lifetime"] };
  await ctx.db
    .insertInto("password_tokens")
    .values({ user_id: user, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
  return token;
}

export function hashToken(token: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(token).digest("base64url");
}
