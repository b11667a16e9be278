import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { addToRows, deleteRows, findRow, insertRow, updateRow } from "../../store/bulk.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { onlyItem } from "../pipeline/only-item.ts";
import { findPost } from "./find-post.ts";
import { addMentions, mentionIssues } from "./mentions.ts";
import { commentRows, presentComments } from "./present-comments.ts";

export const comments = {
  async commentList(ctx, { id, parent_id, limit, cursor }) {
    const post = await findPost(ctx, id);
    requireNoIssues(await parentIssues(ctx, id, parent_id));
    const list = `comments ${id} ${parent_id}`;
    const query = commentRows(ctx.db)
      .where((eb) => (parent_id === undefined ? eb("c.post_id", "=", id) : eb("c.parent_id", "=", parent_id)))
      // A literal, because the index has only these.
      .where((eb) => eb.or([eb("c.deleted_at", "is", null), eb("c.reply_count", ">", eb.lit(0))]));
    const { rows, meta } = await readPage(ctx, query, { by: ["id"] }, { list, limit, cursor });
    return { data: await presentComments(ctx, post, rows), meta };
  },

  async commentAdd(ctx, { id, body, parent_id, mentions }) {
    const post = await findPost(ctx, id);
    if (post.comments_enabled === 0) throw new ServiceError("conflict", `Post ${id} does not allow comments.`);
    requireNoIssues(await commentIssues(ctx, { id, parent_id, mentions }));
    const parent = parent_id == null ? null : await findComment(ctx, id, parent_id);
    const top = parent && (parent.parent_id ?? parent.id);
    const above = parent?.parent_id == null ? parent : await findComment(ctx, id, parent.parent_id);
    for (const each of [parent, above])
      if (each?.deleted_at) throw new ServiceError("gone", `Comment ${each.id} was deleted.`);
    const comment = await insertRow(ctx.db, "comments", {
      post_id: id,
      parent_id: top,
      author_id: ctx.actor.id,
      body,
      created_at: ctx.now,
    });
    await addMentions(ctx, { post: id, comment }, mentions);
    await countComment(ctx, { post_id: id, parent_id: top }, 1);
    const row = await commentRows(ctx.db).where("c.id", "=", comment).executeTakeFirstOrThrow();
    return onlyItem(await presentComments(ctx, post, [row]));
  },

  async commentDelete(ctx, { id, comment }) {
    const post = await findPost(ctx, id);
    const row = await findComment(ctx, id, comment);
    if (row.deleted_at !== null) throw new ServiceError("gone", `Comment ${comment} was deleted.`);
    if (row.author_id !== ctx.actor.id && post.edits === 0) {
      throw new ServiceError("forbidden", `Only its author and editors of the post can delete comment ${comment}.`);
    }
    await updateRow(ctx.db, "comments", comment, { body: "", deleted_at: ctx.now });
    await deleteRows(ctx.db, "post_mentions", { comment_id: comment });
    await countComment(ctx, row, -1);
  },
} satisfies Partial<Handlers<typeof contract>>;

/** Returns the issues of those fields of a comment that depend on data; see `Checks`. */
export async function commentIssues(
  ctx: Ctx,
  { id, parent_id, mentions }: Partial<InputOf<typeof contract.commentAdd>>,
): Promise<FieldIssues> {
  if (id === undefined) return {};
  await findPost(ctx, id);
  return { ...(await parentIssues(ctx, id, parent_id)), ...(await mentionIssues(ctx, mentions)) };
}

async function parentIssues(ctx: Ctx, post: number, parent_id: number | null | undefined): Promise<FieldIssues> {
  if (parent_id == null || (await commentOn(ctx, post, parent_id))) return {};
  return { parent_id: [`is not a comment on post ${post}: ${parent_id}`] };
}

const commentOn = ({ db }: Ctx, post: number, id: number) =>
  findRow(db, "comments", { id, post_id: post }, ["id", "post_id", "parent_id", "author_id", "deleted_at"]);

async function findComment(ctx: Ctx, post: number, id: number) {
  const comment = await commentOn(ctx, post, id);
  if (comment === undefined) throw new ServiceError("not_found", `Post ${post} has no comment ${id}.`);
  return comment;
}

async function countComment(ctx: Ctx, at: { post_id: number; parent_id: number | null }, more: number): Promise<void> {
  if (at.parent_id === null) return addToRows(ctx.db, "posts", at.post_id, { comment_count: more });
  await addToRows(ctx.db, "posts", at.post_id, { reply_count: more });
  await addToRows(ctx.db, "comments", at.parent_id, { reply_count: more });
}
