import { ServiceError } from "../../contract/errors.ts";
import type { Ctx } from "../context.ts";
import { isPublished, postReader } from "../post-visibility.ts";
import { type PostRow, postRows } from "./rows.ts";

/** A post that the actor may read. `not_found`, `gone` or `forbidden` otherwise. */
export async function findPost(ctx: Ctx, id: number): Promise<PostRow> {
  const [row] = await postRows(ctx.db, { ...postReader(ctx.actor), ids: [id] });
  if (row === undefined) throw new ServiceError("not_found", `There is no post ${id}.`);
  if (row.deleted_at !== null) throw new ServiceError("gone", `Post ${id} was deleted.`);
  if (row.edits === 1) return row;
  const now = ctx.nowUntil([row.listed_at, row.unpublish_on]);
  if (row.reads === 1 && isPublished(row, now)) return row;
  throw new ServiceError("forbidden", `Post ${id} is not for you, or not published.`);
}

/** A post that the actor may edit. `not_found`, `gone` or `forbidden` otherwise. */
export async function findEditable(ctx: Ctx, id: number): Promise<PostRow> {
  const row = await findPost(ctx, id);
  if (row.edits === 1) return row;
  const ability = row.content_type === "event" ? "calendar" : "news";
  throw new ServiceError(
    "forbidden",
    `Post ${id} is for its author to change, or for those with the ability ${ability} in the unit that owns it.`,
  );
}
