import { type SqlBool, sql } from "kysely";
import { deleteRows, findRows } from "../../store/bulk.ts";
import { removeFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { placeInFeed } from "../visibility/feed-index.ts";

/** Events removed at a time: with 730 occurrences each, for up to 50 ms, when no other request can run on SQLite. */
const portion = 10;

/** Removes the personal events of a user that is being deleted, except those shared with others: nobody else can see them. */
export async function removePersonalEvents(ctx: Ctx, user: number): Promise<void> {
  const events = await ctx.db
    .selectFrom("audiences as a")
    .innerJoin("events as e", "e.audience_id", "a.id")
    .select(["e.id", "a.id as audience"])
    .where("a.author_id", "=", user)
    .where("a.personal", "=", 1)
    .where(sql<SqlBool>`not exists (select 1 from audience_shares s where s.audience_id = a.id)`)
    .execute();
  for await (const some of inTurns(events, portion)) await removeEvents(ctx, user, some);
}

async function removeEvents(
  ctx: Ctx,
  user: number,
  events: readonly { id: number; audience: number }[],
): Promise<void> {
  const ids = events.map(({ id }) => id);
  await removeFiles(ctx, "event", ids);
  const dates = await findRows(ctx.db, "event_dates", { event_id: ids }, ["start_at"]);
  const starts = dates.map(({ start_at }) => start_at);
  // Nobody else reads them, so this is their only place. Its entries are found by their times: no index has those of an event.
  await ctx.db
    .deleteFrom("event_places")
    .where("place", "=", placeInFeed.author(user))
    .where("start_at", "in", starts)
    // The unary + keeps SQLite from a search for each event at each time.
    .where(sql<number>`+event_id`, "in", ids)
    .execute();
  for (const table of ["event_dates", "event_marks"] as const) await deleteRows(ctx.db, table, { event_id: ids });
  await deleteRows(ctx.db, "events", { id: ids });
  await deleteRows(ctx.db, "audiences", { id: events.map(({ audience }) => audience) });
}
