import type { RawBuilder, SqlBool } from "kysely";
import type { FieldIssues } from "../../contract/errors.ts";
import { deleteRows, findRows, insertRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { nested } from "../../store/nested-rows.ts";
import type { Ctx } from "../pipeline/context.ts";
import { referenceIssues } from "../pipeline/field-issues.ts";

/** A text that mentions users: a post, or a comment on it. */
type Text = { readonly post: number; readonly comment: number | null };

export const mentionIssues = (ctx: Ctx, ids?: readonly number[], known?: readonly number[]): Promise<FieldIssues> =>
  referenceIssues(ctx, [["mentions", "users", ids, known]]);

/** Selects the users of mentions (`pm`) as one column. */
export const mentionsWhere = (db: Db, condition: RawBuilder<SqlBool>) =>
  nested(db, db.selectFrom("post_mentions as pm").select("pm.user_id").where(condition));

export async function addMentions({ db }: Ctx, { post, comment }: Text, ids: readonly number[] = []): Promise<void> {
  const rows = [...new Set(ids)].map((user_id) => ({ post_id: post, comment_id: comment, user_id }));
  await insertRows(db, "post_mentions", rows);
}

/** Returns the users mentioned in a post itself, not in its comments. */
export async function mentionedIn({ db }: Ctx, post: number): Promise<number[]> {
  const rows = await findRows(db, "post_mentions", { post_id: post, comment_id: null }, ["user_id"]);
  return rows.map((row) => row.user_id);
}

/** Replaces the mentions of a post, and returns true when any changed. Those that stay keep their "seen" state. */
export async function setMentions(ctx: Ctx, post: number, ids: readonly number[]): Promise<boolean> {
  const before = await mentionedIn(ctx, post);
  const removed = before.filter((id) => !ids.includes(id));
  const added = ids.filter((id) => !before.includes(id));
  if (removed.length > 0)
    await deleteRows(ctx.db, "post_mentions", { post_id: post, comment_id: null, user_id: removed });
  await addMentions(ctx, { post, comment: null }, added);
  return removed.length + added.length > 0;
}
