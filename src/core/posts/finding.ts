import { ServiceError } from "../../contract/errors.ts";
import type { Ctx } from "../context.ts";
import { isPublished } from "../post-visibility.ts";
import { loadPosts, type PostRow } from "./rows.ts";

/**
 * Returns a post that the actor may read. Throws `gone` when it was deleted since, and `not_found` when the actor may not read
 * it, as if there were none.
 */
export async function findPost(ctx: Ctx, id: number): Promise<PostRow> {
  const [row] = await loadPosts(ctx, [id]);
  if (row === undefined || !isReadable(ctx, row)) throw new ServiceError("not_found", `There is no post ${id}.`);
  if (row.deleted_at !== null) throw new ServiceError("gone", `Post ${id} was deleted.`);
  return row;
}

function isReadable(ctx: Ctx, row: PostRow): boolean {
  if (row.edits === 1) return true;
  return row.reads === 1 && isPublished(row, ctx.nowUntil([row.listed_at, row.unpublish_on]));
}

/** Returns a post that the actor may edit. Throws as `findPost` does, and `forbidden` when the actor may only read it. */
export async function findEditable(ctx: Ctx, id: number): Promise<PostRow> {
  const row = await findPost(ctx, id);
  if (row.edits === 1) return row;
  const ability = row.content_type === "event" ? "calendar" : "news";
  throw new ServiceError(
    "forbidden",
    `Post ${id} is for its author to change, or for those with the ability ${ability} in the unit that owns it.`,
  );
}
