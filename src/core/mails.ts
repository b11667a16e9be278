import { sql } from "kysely";
import type { Ctx } from "./context.ts";

/**
 * Puts a mail to a user into the outbox, in the transaction of the change that asks for it. It holds no token: that is made
 * when the mail leaves. A mail of that kind that waits already is sent at once in its place, instead of a second one.
 */
export async function queueMail(
  ctx: Ctx,
  kind: "welcome" | "password_reset",
  user: { readonly id: number; readonly email: string },
): Promise<void> {
  const asked = { recipient: user.email, created_at: ctx.now };
  await ctx.db
    .insertInto("mails")
    .values({ kind, user_id: user.id, payload: "{}", ...asked })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "kind"])
        .where("sent_at", "is", null)
        .where("failed_at", "is", null)
        .where("kind", "<>", sql.lit<"webhook_disabled">("webhook_disabled"))
        .doUpdateSet((eb) => ({
          ...asked,
          // The lease of a worker that is sending it stays.
          due_at: eb.case().when("mails.lease_token", "is", null).then(0).else(eb.ref("mails.due_at")).end(),
        })),
    )
    .execute();
  ctx.announce("outbox");
}

/** Ends the links to set a password that went to a user's address, or wait to: the address is another's now. */
export async function endPasswordLinks({ db }: Ctx, user: number): Promise<void> {
  await db.deleteFrom("password_tokens").where("user_id", "=", user).execute();
  await db
    .deleteFrom("mails")
    .where("user_id", "=", user)
    .where("kind", "in", ["welcome", "password_reset"])
    .where("sent_at", "is", null)
    .execute();
}
