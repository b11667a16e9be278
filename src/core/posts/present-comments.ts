import { sql } from "kysely";
import type { z } from "zod";
import type { comment as contract } from "../../contract/comment-schemas.ts";
import type { Db } from "../../store/database.ts";
import { rowsIn } from "../../store/nested-rows.ts";
import { type Author, presentAuthors } from "../directory/present-authors.ts";
import type { Ctx } from "../pipeline/context.ts";
import { mentionsWhere } from "./mentions.ts";

type Comment = z.infer<ReturnType<typeof contract>>;
type CommentRow = Awaited<ReturnType<ReturnType<typeof commentRows>["execute"]>>[number];

/** Selects comments, with the alias `c`, and the users that they mention. */
export const commentRows = (db: Db) =>
  db
    .selectFrom("comments as c")
    .select(["c.id", "c.post_id", "c.parent_id", "c.author_id", "c.body"])
    .select(["c.reply_count", "c.created_at", "c.deleted_at"])
    .select(mentionsWhere(db, sql`pm.comment_id = c.id`).as("mentions"));

const mentionedUsers = ({ mentions }: CommentRow) => rowsIn(mentions, "user_id").map(({ user_id }) => user_id);

export const usersIn = (row: CommentRow): number[] => [row.author_id, ...mentionedUsers(row)];

/** Returns the API's representation of a comment; `edits` is true for readers who may edit the post. */
export function presentComment(
  { actor }: Ctx,
  row: CommentRow,
  { author, edits }: { readonly author: (id: number) => Author; readonly edits: boolean },
): Comment {
  const deleted = row.deleted_at !== null;
  return {
    id: row.id,
    parent_id: row.parent_id,
    body: row.body,
    deleted,
    author: author(row.author_id),
    mentions: mentionedUsers(row).map(author),
    replies: row.reply_count,
    created_at: row.created_at,
    permissions: { delete: !deleted && (edits || row.author_id === actor.id) },
  };
}

export async function presentComments(
  ctx: Ctx,
  post: { readonly edits: 0 | 1 },
  rows: readonly CommentRow[],
): Promise<Comment[]> {
  const author = await presentAuthors(ctx, rows.flatMap(usersIn));
  return rows.map((row) => presentComment(ctx, row, { author, edits: post.edits === 1 }));
}
