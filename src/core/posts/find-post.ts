import { type RawBuilder, type SqlBool, sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Db } from "../../store/database.ts";
import { isPostgres, truth } from "../../store/dialect.ts";
import { type Nested, nested } from "../../store/nested-rows.ts";
import { prepared } from "../../store/prepared.ts";
import { type ShortRow, shortUserRows } from "../directory/present-short-users.ts";
import { filesOf } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { addressed, audienceLists } from "../visibility/audience.ts";
import { isVisibleGroup } from "../visibility/group-visibility.ts";
import { abilityFor, editable, isPublished, type PostReader, postReader } from "../visibility/post-visibility.ts";
import { mentionsWhere } from "./mentions.ts";
import { commentRows } from "./present-comments.ts";

type PostSelection = PostReader & { readonly ids: readonly number[] };

/** Returns posts, also deleted ones, with the reader's marks and permissions; `reads` holds only while published. The name of a hidden group is null. */
const postQuery = (db: Db, p: PostSelection) =>
  db
    .selectFrom("posts as p")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .innerJoin("units as owner", "owner.id", "a.owner_unit_id")
    .leftJoin("groups as g", (join) => join.onRef("g.id", "=", "a.group_id").on(isVisibleGroup("g", p)))
    .leftJoin("polls as poll", "poll.post_id", "p.id")
    .leftJoin("post_marks as m", (join) => join.onRef("m.post_id", "=", "p.id").on("m.user_id", "=", p.me))
    .selectAll("p")
    .select(["a.author_id", "a.everywhere", "a.group_id", "g.name as group_name", "poll.id as poll_id"])
    .select(["owner.id as owner_id", "owner.name as owner_name", "owner.level as owner_level"])
    .select(["owner.unit_type as owner_type", "owner.path as owner_path"])
    .select(["m.seen_at", "m.liked_at", "m.read_at", "m.bookmarked_at", "m.answer", "m.mute_rule", "m.muted_until"])
    .select([
      truth(editable(db, p)).as("edits"),
      truth(addressed(p)).as("reads"),
      truth(mentionsUnseen(p.me)).as("mentions_unseen"),
    ])
    .where("p.id", "in", p.ids);

const postRows = prepared(postQuery);

export type PostRow = Awaited<ReturnType<typeof postRows>>[number];

const mentionsUnseen = (me: number) =>
  sql`exists (select 1 from post_mentions pm where pm.post_id = p.id and pm.user_id = ${me} and pm.seen = 0)`;

const latestComment = sql<number>`(select l.id from comments l
  where l.post_id = p.id and l.deleted_at is null order by l.id desc limit 1)`;

/** Selects posts as `postQuery`, with everything that their representation contains except users and polls. */
const shownPostQuery = (db: Db, p: PostSelection) =>
  postQuery(db, p)
    .select(audienceLists(db))
    .select([
      filesOf(db, "post", "p.id").as("files"),
      filesOf(db, "group", "a.group_id").as("group_image"),
      mentionsWhere(db, sql`pm.post_id = p.id and pm.comment_id is null`).as("mentions"),
      nested(db, commentRows(db).where("c.id", "=", latestComment)).as("latest_comment"),
    ]);

const shownPostRows = prepared(shownPostQuery);

/** Returns a condition that the representation of the post contains the user `u`. PostgreSQL knows that an array is small. */
function isInPost(db: Db): RawBuilder<SqlBool> {
  const ids = sql`select a.author_id
    union all select c.author_id from comments c where c.id = ${latestComment}
    union all select pm.user_id from post_mentions pm where pm.post_id = p.id and pm.comment_id is null
    union all select pm.user_id from post_mentions pm where pm.comment_id = ${latestComment}`;
  return isPostgres(db) ? sql`u.id = any(array(${ids}))` : sql`u.id in (${ids})`;
}

const postRowsWithUsers = prepared((db, p: PostSelection) =>
  shownPostQuery(db, p).select(nested(db, shortUserRows(db).where(isInPost(db))).as("users")),
);

/** A post to be presented. `users` is undefined where they were not read with it. */
export type ShownPostRow = Awaited<ReturnType<typeof shownPostRows>>[number] & { readonly users?: Nested<ShortRow> };

/** Returns posts to be presented; on PostgreSQL with their users, which saves a round trip. SQLite reads those faster by a statement of their own. */
export function loadShownPosts({ db, actor }: Ctx, ids: readonly number[]): Promise<ShownPostRow[]> {
  const read = isPostgres(db) ? postRowsWithUsers : shownPostRows;
  return read(db, { ...postReader(actor), ids });
}

/** Returns a post. Throws `gone` when it was deleted, `not_found` when the actor may not read it. */
export async function findPost(ctx: Ctx, id: number): Promise<PostRow> {
  const [row] = await postRows(ctx.db, { ...postReader(ctx.actor), ids: [id] });
  return requireReadablePost(ctx, row, id);
}

/** Returns the row of a post if the actor may read it. Throws like `findPost`. */
export function requireReadablePost<R extends PostRow>(ctx: Ctx, row: R | undefined, id: number): R {
  const isReadable = row && (row.edits === 1 || (row.reads === 1 && isPublished(row, ctx.now)));
  if (!isReadable) throw new ServiceError("not_found", `There is no post ${id}.`);
  if (row.deleted_at !== null) throw new ServiceError("gone", `Post ${id} was deleted.`);
  return row;
}

/** Returns a post that the actor may edit. Throws like `findPost`, and `forbidden` when the actor may only read it: `action` is in the message. */
export async function findEditable(ctx: Ctx, id: number, action = "change"): Promise<PostRow> {
  const row = await findPost(ctx, id);
  if (row.edits === 1) return row;
  const ability = abilityFor(row.content_type);
  throw new ServiceError(
    "forbidden",
    `Only its author and users with the ability ${ability} in the unit that owns it can ${action} post ${id}.`,
  );
}
