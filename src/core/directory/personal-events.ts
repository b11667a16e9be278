import { removeFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { placeInFeed } from "../visibility/feed-index.ts";

/** Removes the personal events of a user that is being deleted, except those shared with others: nobody else can see them. */
export async function removePersonalEvents(ctx: Ctx, user: number): Promise<void> {
  const events = await ctx.db
    .selectFrom("audiences as a")
    .innerJoin("events as e", "e.audience_id", "a.id")
    .select(["e.id", "a.id as audience"])
    .where("a.author_id", "=", user)
    .where("a.personal", "=", 1)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("audience_shares as s").select("s.user_id").whereRef("s.audience_id", "=", "a.id"))),
    )
    .execute();
  const ids = events.map(({ id }) => id);
  await removeFiles(ctx, "event", ids);
  // Nobody else reads them, so this is their only place. No index has the entries of an event.
  await ctx.db
    .deleteFrom("event_places")
    .where("place", "=", placeInFeed.author(user))
    .where("event_id", "in", ids)
    .execute();
  for (const table of ["event_dates", "event_marks"] as const) {
    await ctx.db.deleteFrom(table).where("event_id", "in", ids).execute();
  }
  await ctx.db.deleteFrom("events").where("id", "in", ids).execute();
  const audiences = events.map(({ audience }) => audience);
  await ctx.db.deleteFrom("audiences").where("id", "in", audiences).execute();
}
