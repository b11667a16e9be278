import { deleteRows, insertRows, updateRow, updateRows } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { placesOf } from "../visibility/feed-index.ts";
import { postAudienceOf } from "./post-audience.ts";

/** Adds a post that has no entries yet to the feed index. */
export async function addPostPlaces(
  { db }: Ctx,
  { id, listed_at, updated_at }: RowOf<"posts", "id" | "listed_at" | "updated_at">,
  places: readonly string[],
): Promise<void> {
  const rows = places.map((place) => ({ place, post_id: id, listed_at, updated_at }));
  await insertRows(db, "post_places", rows);
}

/** Replaces the entries of a post in the feed index. */
export async function replacePostPlaces(ctx: Ctx, id: number): Promise<void> {
  const post = await ctx.db
    .selectFrom("posts as p")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .select(["p.audience_id", "p.listed_at", "p.updated_at", "a.author_id", "a.owner_unit_id"])
    .select(["a.everywhere", "a.group_id"])
    .where("p.id", "=", id)
    .executeTakeFirstOrThrow();
  const { author_id: author, owner_unit_id: owner, listed_at, updated_at } = post;
  const places = placesOf(await postAudienceOf(ctx.db, post), { author, owner });
  await deleteRows(ctx.db, "post_places", { post_id: id });
  await addPostPlaces(ctx, { id, listed_at, updated_at }, places);
}

/** Sets the time of change of a post, also in the feed index. */
export async function touch({ db, now }: Ctx, id: number): Promise<void> {
  await updateRow(db, "posts", id, { updated_at: now });
  await updateRows(db, "post_places", { post_id: id }, { updated_at: now });
}
