import { sql } from "kysely";
import type { posts as contract } from "../../contract/posts.ts";
import type { Ctx, Handlers } from "../context.ts";
import { decodeCursor, page } from "../cursor.ts";
import { postReader, published, visible } from "../post-visibility.ts";

type Input = Parameters<Handlers<typeof contract>["list"]>[1];
type Filter = Omit<Input, "limit" | "cursor" | "sort">;

/** By what lists are sorted, and then by ID. */
const sortedBy = { published: "p.listed_at", updated: "p.updated_at" } as const;

/** IDs of a page of the posts that the actor may read, the newest first. */
export async function listPosts(ctx: Ctx, { limit, cursor, sort, ...filter }: Input) {
  const list = `posts ${JSON.stringify({ sort, ...filter })}`;
  const position = decodeCursor<[number, number]>(ctx, list, cursor);
  const back = position?.direction === "before";
  const time = sortedBy[sort];
  let query = matching(ctx, filter).select(["p.id", `${time} as time`]);
  if (position) {
    const [at, id] = position.key;
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple(time, "p.id"), back ? ">" : "<", tuple(at, id)));
  }
  const found = await query
    .orderBy(time, back ? "asc" : "desc")
    .orderBy("p.id", back ? "asc" : "desc")
    .limit(limit + 1)
    .execute();
  const { rows, meta } = page(ctx, list, found, { limit, position, keyOf: (row) => [row.time, row.id] });
  return { ids: rows.map((row) => row.id), meta };
}

/** The posts that the actor may read and the filter lets through; a list depends on the time, so it is not remembered. */
function matching(ctx: Ctx, filter: Filter) {
  const { db, now } = ctx;
  const me = ctx.actor.id;
  let query = db
    .selectFrom("posts as p")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .where("p.deleted_at", "is", null)
    .where(visible(db, postReader(ctx.actor), now))
    .where(withStatus(filter.status, now));
  if (filter.content_type !== undefined) query = query.where("p.content_type", "=", filter.content_type);
  if (filter.unit !== undefined) query = query.where("a.owner_unit_id", "=", filter.unit);
  if (filter.group !== undefined) query = query.where("a.group_id", "=", filter.group);
  if (filter.author !== undefined) query = query.where("a.author_id", "=", filter.author);
  if (filter.since !== undefined) query = query.where("p.listed_at", ">=", filter.since);
  if (filter.important !== undefined) query = query.where("p.important", "=", filter.important ? 1 : 0);
  if (filter.pinned !== undefined) query = query.where(whether(filter.pinned, pinned(now)));
  if (filter.bookmarked !== undefined) query = query.where(whether(filter.bookmarked, marked(me, "bookmarked_at")));
  if (filter.unseen !== undefined) query = query.where(whether(!filter.unseen, marked(me, "seen_at")));
  return query;
}

function withStatus(status: Filter["status"], now: number) {
  switch (status) {
    case "published":
      return published(now);
    case "draft":
      return sql<boolean>`p.draft = 1`;
    case "scheduled":
      return sql<boolean>`(p.draft = 0 and p.listed_at > ${now})`;
    case "unpublished":
      return sql<boolean>`(p.draft = 0 and p.listed_at <= ${now} and p.unpublish_on <= ${now})`;
  }
}

const pinned = (now: number) =>
  sql<boolean>`(p.pinned_main_feed is not null and (p.pinned_until is null or p.pinned_until > ${now}))`;

const marked = (me: number, column: "bookmarked_at" | "seen_at") =>
  sql<boolean>`exists (select 1 from post_marks k
    where k.post_id = p.id and k.user_id = ${me} and ${sql.ref(`k.${column}`)} is not null)`;

const whether = (wanted: boolean, condition: ReturnType<typeof marked>) =>
  wanted ? condition : sql<boolean>`not ${condition}`;
