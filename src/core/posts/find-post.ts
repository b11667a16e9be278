import { ServiceError } from "../../contract/errors.ts";
import type { Ctx } from "../pipeline/context.ts";
import { abilityFor, isPublished } from "../visibility/post-visibility.ts";
import { loadPosts, type PostRow } from "./post-rows.ts";

/** Returns a post. Throws `gone` when it was deleted, `not_found` when the actor may not read it. */
export async function findPost(ctx: Ctx, id: number): Promise<PostRow> {
  const [row] = await loadPosts(ctx, [id]);
  return requireReadablePost(ctx, row, id);
}

/** Returns the row of a post if the actor may read it. Throws like `findPost`. */
export function requireReadablePost<R extends PostRow>(ctx: Ctx, row: R | undefined, id: number): R {
  const isReadable = row && (row.edits === 1 || (row.reads === 1 && isPublished(row, ctx.now)));
  if (!isReadable) throw new ServiceError("not_found", `There is no post ${id}.`);
  if (row.deleted_at !== null) throw new ServiceError("gone", `Post ${id} was deleted.`);
  return row;
}

/** Returns a post that the actor may edit. Throws like `findPost`, and `forbidden` when the actor may only read it. */
export async function findEditable(ctx: Ctx, id: number): Promise<PostRow> {
  const row = await findPost(ctx, id);
  if (row.edits === 1) return row;
  const ability = abilityFor(row.content_type);
  throw new ServiceError(
    "forbidden",
    `Only its author and users with the ability ${ability} in the unit that owns it can change post ${id}.`,
  );
}
