import type { users as contract } from "../../contract/users.ts";
import { deleteRows, updateRow } from "../../store/bulk.ts";
import { resignFromConversations } from "../directory/conversation-administrators.ts";
import { endAccess } from "../directory/end-access.ts";
import { forgetAnswers } from "../directory/event-rsvp.ts";
import { leaveGroups } from "../directory/group-memberships.ts";
import { removeAllMemberships } from "../directory/memberships.ts";
import { removePersonalEvents } from "../directory/personal-events.ts";
import { removeTwoFactor } from "../directory/two-factors.ts";
import { removeFiles } from "../files/attached-files.ts";
import { inPortions } from "../pipeline/change-in-portions.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { eraseResponses } from "../pipeline/idempotency.ts";
import { erasePayloads } from "../pipeline/outbox.ts";
import { asAdministrator, requireSignIn } from "../pipeline/permissions.ts";
import { forgetAccount } from "../pipeline/rate-limits.ts";
import { requireOtherAdministrator } from "./change-account.ts";
import { oneUser } from "./read-users.ts";

/** Erases personal data in all tables. The row stays, because posts, messages and audit entries refer to it. */
export const deleteUser: Handlers<typeof contract>["delete"] = async (ctx, { id }) => {
  const user = await oneUser(ctx, id);
  if (user.admin) {
    requireSignIn(ctx, "delete an administrator");
    await requireOtherAdministrator(ctx, id);
  }
  await removeAllMemberships(ctx, id);
  await leaveGroups(ctx, id);
  await removeFiles(ctx, "user", [id]);
  await removePersonalEvents(ctx, id);
  await forgetAnswers(ctx.db, id);
  await endAccess(ctx, [id]);
  await removeTwoFactor(ctx, id);
  await updateRow(ctx.db, "users", id, { ...erased, updated_at: ctx.now });
  // Deleted users are not presented, so the time of the deletion is set afterwards.
  const shown = await oneUser(asAdministrator(ctx), id);
  await updateRow(ctx.db, "users", id, { deleted_at: ctx.now });
  await resignFromConversations(ctx, id);
  ctx.changed("user.delete", id, shown);
  await erasePayloads(ctx, id, shown);
  await removeTraces(ctx, id);
};

async function removeTraces(ctx: Ctx, id: number): Promise<void> {
  // Sent mails contain the name and the address, too.
  for (const table of ["user_words", "mails"] as const) await deleteRows(ctx.db, table, { user_id: id });
  const entries = { table: "audit_entries", column: "actor_id", owner: id, key: "created_at" } as const;
  await inPortions(ctx.db, entries, (some) =>
    ctx.db.updateTable("audit_entries").set({ address: null }).where(some).execute(),
  );
  await eraseResponses(ctx, id);
  await forgetAccount(ctx, id);
}

const erased = {
  first_name: "Deleted",
  last_name: "user",
  name_key: "",
  reference: null,
  email: null,
  email_key: null,
  title: "",
  phone: null,
  birthday: null,
  birthday_key: null,
  show_birthdays: "all",
  birthdays_optout: 0,
  language: null,
  timezone: null,
  admin: 0,
  active: 0,
  password_hash: null,
  policy_accepted_at: null,
  meta_field_0: "",
  meta_field_1: "",
  meta_field_2: "",
  meta_field_3: "",
  meta_field_4: "",
} as const;
