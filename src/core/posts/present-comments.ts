import type { z } from "zod";
import type { comment as contract } from "../../contract/comment-schemas.ts";
import { isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Author } from "../directory/present-authors.ts";
import type { Ctx } from "../pipeline/context.ts";

export type Comment = z.infer<ReturnType<typeof contract>>;

const commentRows = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("comments")
    .selectAll()
    .where((eb) => isAmong(db, eb.ref("id"), p.ids)),
);
type CommentRow = Awaited<ReturnType<typeof commentRows>>[number];

const mentionRows = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("post_mentions")
    .select(["comment_id", "user_id"])
    .where((eb) => isAmong(db, eb.ref("comment_id"), p.ids))
    .orderBy("user_id"),
);

/** Loaded comments and all users that they refer to. */
interface LoadedComments {
  readonly rows: readonly CommentRow[];
  readonly mentions: ReadonlyMap<number | null, readonly { readonly user_id: number }[]>;
  readonly users: readonly number[];
}

export async function loadComments(ctx: Ctx, ids: readonly number[]): Promise<LoadedComments> {
  if (ids.length === 0) return { rows: [], mentions: new Map(), users: [] };
  const [rows, mentions] = await Promise.all([commentRows(ctx.db, { ids }), mentionRows(ctx.db, { ids })]);
  return {
    rows,
    mentions: Map.groupBy(mentions, (row) => row.comment_id),
    users: [...rows.map((row) => row.author_id), ...mentions.map((row) => row.user_id)],
  };
}

/** Returns the API's representation of a comment; `edits` is true for readers who may edit the post. */
export function presentComment(
  ctx: Ctx,
  row: CommentRow,
  { mentions, author, edits }: Pick<LoadedComments, "mentions"> & { author: (id: number) => Author; edits: boolean },
): Comment {
  const deleted = row.deleted_at !== null;
  return {
    id: row.id,
    parent_id: row.parent_id,
    body: row.body,
    deleted,
    author: author(row.author_id),
    mentions: (mentions.get(row.id) ?? []).map(({ user_id }) => author(user_id)),
    replies: row.reply_count,
    created_at: row.created_at,
    permissions: { delete: !deleted && (edits || row.author_id === ctx.actor.id) },
  };
}
