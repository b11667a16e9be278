import { ServiceError } from "../../contract/errors.ts";
import { addToRows, updateRow } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { appointInsteadOf } from "../directory/conversation-administrators.ts";
import { endAccess } from "../directory/end-access.ts";
import { activeAdministrators } from "../directory/present-users.ts";
import { userNameKey } from "../directory/text-keys.ts";
import { setSearchWords } from "../directory/user-words.ts";
import type { Ctx } from "../pipeline/context.ts";
import { queueNotice } from "../pipeline/queue-mail.ts";

/** Updates columns of a user and its search words. A new address ends password links; a new provider also sessions and the password. */
export async function updateColumns(
  ctx: Ctx,
  before: RowOf<"users", "id" | "first_name" | "last_name" | "title" | "email">,
  changes: Partial<RowOf<"users">>,
): Promise<void> {
  const { id } = before;
  const after = { ...before, ...changes };
  const hasNewProvider = changes.provider !== undefined;
  const hasNewAddress = changes.email_key !== undefined;
  if (hasNewProvider) await queueNotice(ctx, id, "provider");
  if (hasNewAddress) await queueNotice(ctx, id, "email");
  const isRenamed = changes.first_name !== undefined || changes.last_name !== undefined;
  await updateRow(ctx.db, "users", id, {
    ...changes,
    ...(isRenamed && { name_key: userNameKey(after) }),
    ...(hasNewProvider && { password_hash: null }),
    updated_at: ctx.now,
  });
  if (isRenamed || changes.title !== undefined || changes.email !== undefined) await setSearchWords(ctx, id, after);
  if (hasNewProvider) {
    await addToRows(ctx.db, "users", id, { token_version: 1 });
    await endAccess(ctx, [id], ["sessions", "password_tokens"]);
  } else if (hasNewAddress) {
    // The link was sent to the old address. A queued mail goes to the address that the user has when it is sent.
    await endAccess(ctx, [id], ["password_tokens"]);
  }
}

/** Deactivates active users, ends their sessions, deletes their API tokens and password links, and passes on their group conversations. */
export async function deactivateUsers(ctx: Ctx, ids: readonly number[]): Promise<void> {
  await ctx.db
    .updateTable("users")
    .set((eb) => ({ active: 0, token_version: eb("token_version", "+", 1), updated_at: ctx.now }))
    .where("id", "in", ids)
    .execute();
  await endAccess(ctx, ids);
  await appointInsteadOf(ctx, ids);
  for (const id of ids) ctx.changed("user.update", id);
}

/** Throws `conflict` when no other active administrator can sign in: users of another provider and service accounts cannot. */
export async function requireOtherAdministrator(ctx: Ctx, id: number): Promise<void> {
  if ((await activeAdministrators(ctx.db, {})).some((other) => other.id !== id)) return;
  const message = `User ${id} is the last active administrator who can sign in; make another one first.`;
  throw new ServiceError("conflict", message);
}
