import { ServiceError } from "../../contract/errors.ts";
import { addToRows, updateEach } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { appointInsteadOf } from "../directory/conversation-administrators.ts";
import { endAccess } from "../directory/end-access.ts";
import { activeAdministrators } from "../directory/present-users.ts";
import { userNameKey } from "../directory/text-keys.ts";
import { setSearchWords } from "../directory/user-words.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { queueNotices } from "../pipeline/queue-mail.ts";

interface ChangedUser {
  readonly before: RowOf<"users", "id" | "first_name" | "last_name" | "title" | "email">;
  readonly changes: Partial<RowOf<"users">>;
}

/** Updates columns of users and their search words. A new address ends password links; a new provider also sessions and the password. */
export async function updateUsers(ctx: Ctx, users: readonly ChangedUser[]): Promise<void> {
  const idsWith = (column: keyof ChangedUser["changes"]) =>
    users.filter(({ changes }) => changes[column] !== undefined).map(({ before }) => before.id);
  const newProvider = idsWith("provider");
  const newAddress = idsWith("email_key");
  await queueNotices(ctx, newProvider, "provider");
  await queueNotices(ctx, newAddress, "email");
  await updateEach(
    ctx.db,
    "users",
    users.map(({ before, changes }) => ({
      id: before.id,
      ...changes,
      ...(isRenamed(changes) && { name_key: userNameKey({ ...before, ...changes }) }),
      ...(changes.provider !== undefined && { password_hash: null }),
      updated_at: ctx.now,
    })),
  );
  const reworded = users.filter(
    ({ changes }) => isRenamed(changes) || changes.title !== undefined || changes.email !== undefined,
  );
  await setSearchWords(
    ctx,
    reworded.map(({ before, changes }) => ({ ...before, ...changes })),
  );
  if (newProvider.length > 0) await addToRows(ctx.db, "users", newProvider, { token_version: 1 });
  // The link was sent to the old address. A queued mail goes to the address that the user has when it is sent.
  if (newProvider.length > 0) await endAccess(ctx, newProvider, ["sessions"]);
  const unlinked = [...newProvider, ...newAddress];
  if (unlinked.length > 0) await endAccess(ctx, unlinked, ["password_tokens"]);
}

const isRenamed = ({ first_name, last_name }: ChangedUser["changes"]) =>
  first_name !== undefined || last_name !== undefined;

/** Users deactivated at a time, for up to 20 ms, when no other request can run on SQLite. */
const portion = 4000;

/** Deactivates active users, ends their sessions, API tokens and password links, and appoints other administrators of their group conversations. */
export async function deactivateUsers(ctx: Ctx, ids: readonly number[]): Promise<void> {
  for await (const some of inTurns(ids, portion)) {
    await ctx.db
      .updateTable("users")
      .set((eb) => ({ active: 0, token_version: eb("token_version", "+", 1), updated_at: ctx.now }))
      .where("id", "in", some)
      .execute();
  }
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
