import { type SqlBool, sql } from "kysely";
import type { users as contract } from "../../contract/users.ts";
import { deleteRows, findRows, updateRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { resignFromConversations } from "../directory/conversation-administrators.ts";
import { endAccess, removeTwoFactor } from "../directory/end-access.ts";
import { leaveGroups } from "../directory/group-memberships.ts";
import { removeAllMemberships } from "../directory/memberships.ts";
import { removeFiles } from "../files/attached-files.ts";
import { inPortions } from "../pipeline/change-in-portions.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { eraseResponses } from "../pipeline/idempotency.ts";
import { erasePayloads } from "../pipeline/outbox.ts";
import { asAdministrator, requireSignIn } from "../pipeline/permissions.ts";
import { forgetAccount } from "../pipeline/rate-limits.ts";
import { placeInFeed } from "../visibility/feed-index.ts";
import { requireOtherAdministrator } from "./change-account.ts";
import { oneUser } from "./read-users.ts";
import { emptyUser } from "./user-columns.ts";

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
  ...emptyUser,
  first_name: "Deleted",
  last_name: "user",
  name_key: "",
  active: 0,
  password_hash: null,
  policy_accepted_at: null,
} as const;

/** Events removed at a time: with 730 occurrences each, for up to 50 ms, when no other request can run on SQLite. */
const portion = 10;

/** Removes the personal events that nobody can see any more once this user is deleted. */
async function removePersonalEvents(ctx: Ctx, user: number): Promise<void> {
  const { db } = ctx;
  const sharedWith = db.selectFrom("audience_shares").select("audience_id").where("user_id", "=", user);
  const own = db.selectFrom("audiences").select("id as audience_id").where("author_id", "=", user);
  const others = sql`select s.user_id from audience_shares s where s.audience_id = a.id union select a.author_id`;
  const events = await db
    .selectFrom("audiences as a")
    .innerJoin("events as e", "e.audience_id", "a.id")
    .select(["e.id", "a.id as audience", "a.author_id as author"])
    .where("a.id", "in", own.union(sharedWith))
    .where("a.personal", "=", 1)
    .where(sql<SqlBool>`not exists (select 1 from users u
      where u.id in (${others}) and u.id <> ${user} and u.deleted_at is null)`)
    .execute();
  for await (const some of inTurns(events, portion)) await removeEvents(ctx, some);
}

async function removeEvents(
  ctx: Ctx,
  events: readonly { readonly id: number; readonly audience: number; readonly author: number }[],
): Promise<void> {
  const ids = events.map(({ id }) => id);
  const audiences = events.map(({ audience }) => audience);
  const shares = await findRows(ctx.db, "audience_shares", { audience_id: audiences }, ["user_id"]);
  const places = [
    ...events.map(({ author }) => placeInFeed.author(author)),
    ...shares.map(({ user_id }) => placeInFeed.share(user_id)),
  ];
  await removeFiles(ctx, "event", ids);
  const dates = await findRows(ctx.db, "event_dates", { event_id: ids }, ["start_at"]);
  const starts = dates.map(({ start_at }) => start_at);
  // Entries are found by place and time, because there is no index by event.
  await ctx.db
    .deleteFrom("event_places")
    .where("place", "in", [...new Set(places)])
    .where("start_at", "in", starts)
    // The unary + keeps SQLite from a search for each event at each time.
    .where(sql<number>`+event_id`, "in", ids)
    .execute();
  for (const table of ["event_dates", "event_marks"] as const) await deleteRows(ctx.db, table, { event_id: ids });
  await deleteRows(ctx.db, "events", { id: ids });
  await deleteRows(ctx.db, "audiences", { id: audiences });
}

/** Removes all RSVPs of a user that is being deleted, of events and of event posts, because deleted users do not attend. */
async function forgetAnswers(db: Db, user: number): Promise<void> {
  for (const [things, table, key] of [
    ["events", "event_marks", "event_id"],
    ["posts", "post_marks", "post_id"],
  ] as const) {
    await inPortions(db, { table, column: "user_id", owner: user, key }, async (some) => {
      for (const answer of ["accepted", "rejected"]) {
        const count = sql.ref(`${answer}_count`);
        await sql`update ${sql.table(things)} set ${count} = ${count} - 1 where id in (
          select ${sql.ref(key)} from ${sql.table(table)} where ${some} and answer = ${answer})`.execute(db);
      }
      if (table === "event_marks") await db.deleteFrom(table).where(some).execute();
      else await db.updateTable(table).set({ answer: null }).where(some).where("answer", "is not", null).execute();
    });
  }
}
