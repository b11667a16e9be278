import { sql, type Updateable } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import { updateRow } from "../../store/bulk.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { endSessions } from "../directory/end-sessions.ts";
import { serviceProvider } from "../directory/service-accounts.ts";
import type { Ctx } from "../pipeline/context.ts";
import { endPasswordLinks, queueNotice } from "../pipeline/queue-mail.ts";

/**
 * Updates columns of a user. A new address ends password links; a new provider ends sessions as well and removes the
 * password.
 */
export async function updateColumns(ctx: Ctx, id: number, changes: Updateable<Schema["users"]>): Promise<void> {
  const isElsewhere = changes.provider !== undefined;
  if (isElsewhere) await queueNotice(ctx, id, "provider");
  if (changes.email_key !== undefined) await queueNotice(ctx, id, "email");
  await updateRow(ctx.db, "users", id, { ...changes, updated_at: ctx.now });
  if (isElsewhere) {
    await ctx.db
      .updateTable("users")
      .set((eb) => ({ password_hash: null, token_version: eb("token_version", "+", 1) }))
      .where("id", "=", id)
      .execute();
  }
  if (isElsewhere) await endSessions(ctx, [id]);
  if (isElsewhere || changes.email_key !== undefined) await endPasswordLinks(ctx, id);
}

/** Deactivates active users, ends their sessions and deletes their API tokens and password links. */
export async function deactivateUsers(ctx: Ctx, ids: readonly number[]): Promise<void> {
  await ctx.db
    .updateTable("users")
    .set((eb) => ({ active: 0, token_version: eb("token_version", "+", 1), updated_at: ctx.now }))
    .where("id", "in", ids)
    .execute();
  await ctx.db.deleteFrom("password_tokens").where("user_id", "in", ids).execute();
  await ctx.db.deleteFrom("api_tokens").where("user_id", "in", ids).execute();
  await endSessions(ctx, ids);
  for (const id of ids) ctx.changed("user.update", id);
}

/** Throws `conflict` when the user is the last active administrator. */
export async function requireOtherAdministrator(ctx: Ctx, id: number): Promise<void> {
  const other = await ctx.db
    .selectFrom("users")
    .select("id")
    .where("admin", "=", sql.lit(1))
    .where("active", "=", 1)
    .where("id", "<>", id)
    .where("provider", "<>", serviceProvider)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) {
    throw new ServiceError("conflict", `User ${id} is the last active administrator; make another one first.`);
  }
}
