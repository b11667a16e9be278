import { sql } from "kysely";
import { missingForMail } from "../../contract/settings.ts";
import { findRows, insertRows } from "../../store/bulk.ts";
import type { AccountChange, AccountNotice } from "../../store/schema/column-types.ts";
import type { Ctx } from "./context.ts";
import { countNotices } from "./rate-limits.ts";

/** Queues a mail to each user, or makes the waiting one of that kind due now. The worker adds a token when it sends the mail. */
export async function queueMails(
  ctx: Ctx,
  kind: "welcome" | "password_reset",
  users: readonly { readonly id: number; readonly email: string }[],
): Promise<void> {
  if (users.length === 0) return;
  const content = { payload: JSON.stringify(kind === "welcome" ? { inviter: ctx.actor.id } : {}), created_at: ctx.now };
  const due_at = ctx.now * 1000;
  await ctx.db
    .insertInto("mails")
    .values(users.map(({ id, email }) => ({ kind, user_id: id, recipient: email, due_at, ...content })))
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "kind"])
        .where("state", "=", sql.lit("waiting"))
        .where("kind", "in", [sql.lit<"welcome">("welcome"), sql.lit<"password_reset">("password_reset")])
        .doUpdateSet((eb) => ({
          ...content,
          recipient: eb.ref("excluded.recipient"),
          // Keeps the lease of a worker that is sending this mail.
          due_at: eb.case().when("mails.lease_token", "is", null).then(due_at).else(eb.ref("mails.due_at")).end(),
        })),
    )
    .execute();
  ctx.announce("outbox");
}

/**
 * Queues a notice to each of these users who has a password, about a change of how the user signs in. Must run before the change:
 * the notice goes to the address of this moment. Queues nothing without a mail server, because the notice would come too late to
 * help, and nothing beyond the limit of notices. That counts by address, because many accounts can have one after the other, and by
 * kind of change, so that a burst of one kind does not hide another one.
 */
export async function queueNotices(ctx: Ctx, users: readonly number[], change: AccountChange): Promise<void> {
  const { db, now, settings } = ctx;
  if (users.length === 0 || missingForMail(settings).length > 0) return;
  const rows = await findRows(db, "users", { id: users }, ["id", "email", "email_key", "password_hash"]);
  const told = rows.flatMap(({ id, email, email_key, password_hash }) =>
    // An import may have cleared the key to free the address for another user.
    email === null || password_hash === null ? [] : [{ id, email, address: email_key ?? email }],
  );
  if (told.length === 0) return;
  const counted = await countNotices(
    ctx,
    change,
    told.map(({ address }) => address),
  );
  const mails = told.flatMap(({ id, email, address }) => {
    const isLast = counted.get(address);
    if (isLast === undefined) return [];
    const payload = JSON.stringify({ change, isLast } satisfies AccountNotice);
    return [
      { kind: "account_change", user_id: id, recipient: email, payload, due_at: now * 1000, created_at: now } as const,
    ];
  });
  await insertRows(db, "mails", mails);
  if (mails.length > 0) ctx.announce("outbox");
}
