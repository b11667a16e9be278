import { type SqlBool, sql } from "kysely";
import type { posts as contract } from "../../contract/posts.ts";
import { forEach, listed } from "../../store/dialect.ts";
import { groupReader, known } from "../directory/group-memberships.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { decodeCursor, makeCursorPage, type Position } from "../pipeline/cursor.ts";
import { placeInFeed, placesOfPosts } from "../visibility/feed-index.ts";
import { postReader, published, visible } from "../visibility/post-visibility.ts";

type Input = Parameters<Handlers<typeof contract>["list"]>[1];
type Filter = Omit<Input, "limit" | "cursor" | "sort">;

/** The sort column (ties are sorted by ID), the start and the size of a page. */
interface Extent {
  readonly time: "listed_at" | "updated_at";
  readonly position: Position<[number, number]> | undefined;
  readonly limit: number;
}

/** Returns the IDs of a page of posts that the actor may read, newest first. */
export async function listPosts(ctx: Ctx, { limit, cursor, sort, ...filter }: Input) {
  const list = `posts ${JSON.stringify({ sort, ...filter })}`;
  const position = decodeCursor<[number, number]>(ctx, list, cursor);
  const extent: Extent = { time: sort === "published" ? "listed_at" : "updated_at", position, limit: limit + 1 };
  const places = await placesIn(ctx, filter);
  const found = await (places ? inPlaces(ctx, filter, extent, places) : amongAll(ctx, filter, extent));
  const { rows, meta } = makeCursorPage(ctx, list, found, { limit, position, keyOf: (row) => [row.time, row.id] });
  return { ids: rows.map((row) => row.id), meta };
}

/** Returns the places to search; undefined means all posts. */
async function placesIn(ctx: Ctx, { author, group, unit, status }: Filter): Promise<string[] | undefined> {
  if (author !== undefined) return [placeInFeed.author(author)];
  if (group !== undefined) return [placeInFeed.group(group)];
  if (unit !== undefined) return [placeInFeed.owner(unit)];
  // Only editors see posts that are not published.
  return placesOfPosts(ctx, status === "published" ? "readable" : "editable");
}

interface Found {
  readonly id: number;
  readonly time: number;
}

/** Reads at most `limit` entries from each place, so that the duration does not depend on the total number of posts. */
async function inPlaces(
  ctx: Ctx,
  filter: Filter,
  { time, position, limit }: Extent,
  places: readonly string[],
): Promise<Found[]> {
  const { db } = ctx;
  const order = position?.direction === "before" ? "asc" : "desc";
  let one = matching(ctx, filter)
    .innerJoin("post_places as pp", "pp.post_id", "p.id")
    .select("p.id")
    .where(sql<SqlBool>`pp.place = place.value`)
    .orderBy(`pp.${time}`, order)
    .orderBy("pp.post_id", order)
    .limit(limit);
  if (position) one = one.where(beyond("pp", "post_id", time, position));
  const direction = sql.raw(order);
  const found = forEach(db, listed(db, "place", places), one, { table: "posts", key: ["id"] });
  const { rows } = await sql<Found>`select distinct p.id, ${sql.ref(`p.${time}`)} as time
    from ${found} join posts p on p.id = found.id
    order by time ${direction}, p.id ${direction} limit ${limit}`.execute(db);
  return rows;
}

async function amongAll(ctx: Ctx, filter: Filter, { time, position, limit }: Extent): Promise<Found[]> {
  const order = position?.direction === "before" ? "asc" : "desc";
  let query = matching(ctx, filter)
    .select(["p.id", `p.${time} as time`])
    .orderBy(`p.${time}`, order)
    .orderBy("p.id", order)
    .limit(limit);
  if (position) query = query.where(beyond("p", "id", time, position));
  return query.execute();
}

function beyond(alias: string, id: string, time: string, { direction, key }: Position<[number, number]>) {
  const columns = sql`(${sql.ref(`${alias}.${time}`)}, ${sql.ref(`${alias}.${id}`)})`;
  const sign = sql.raw(direction === "before" ? ">" : "<");
  return sql<SqlBool>`${columns} ${sign} (${key[0]}, ${key[1]})`;
}

/**
 * Returns a query for the posts that match the filter and that the actor may read. Uses `now` instead of `nowUntil`,
 * because lists are not cached.
 */
function matching(ctx: Ctx, filter: Filter) {
  const { db, now, actor } = ctx;
  let query = db
    .selectFrom("posts as p")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .where("p.deleted_at", "is", null)
    .where(visible(db, postReader(actor), now))
    .where(withStatus(filter.status, now));
  if (filter.content_type !== undefined) query = query.where("p.content_type", "=", filter.content_type);
  if (filter.unit !== undefined) query = query.where("a.owner_unit_id", "=", filter.unit);
  if (filter.group !== undefined) query = query.where("a.group_id", "=", filter.group).where(inKnownGroup(ctx));
  if (filter.author !== undefined) query = query.where("a.author_id", "=", filter.author);
  if (filter.since !== undefined) query = query.where("p.listed_at", ">=", filter.since);
  if (filter.important !== undefined) query = query.where("p.important", "=", sql.lit(filter.important ? 1 : 0));
  if (filter.pinned !== undefined) query = query.where(matches(filter.pinned, pinned(now)));
  if (filter.bookmarked !== undefined) {
    query = query.where(matches(filter.bookmarked, marked(actor.id, "bookmarked_at")));
  }
  if (filter.unseen !== undefined) query = query.where(matches(!filter.unseen, marked(actor.id, "seen_at")));
  return query;
}

/** Excludes groups that the actor may not see: even a post shared from such a group must not reveal the group. */
const inKnownGroup = ({ actor }: Ctx) =>
  sql<SqlBool>`exists (select 1 from groups g where g.id = a.group_id and ${known("g", groupReader(actor))})`;

function withStatus(status: Filter["status"], now: number) {
  switch (status) {
    case "published":
      return published(now);
    case "draft":
      return sql<SqlBool>`p.draft = 1`;
    case "scheduled":
      return sql<SqlBool>`(p.draft = 0 and p.listed_at > ${now})`;
    case "unpublished":
      return sql<SqlBool>`(p.draft = 0 and p.listed_at <= ${now} and p.unpublish_on <= ${now})`;
  }
}

const pinned = (now: number) =>
  sql<SqlBool>`(p.pinned_main_feed is not null and (p.pinned_until is null or p.pinned_until > ${now}))`;

const marked = (me: number, column: "bookmarked_at" | "seen_at") =>
  sql<SqlBool>`exists (select 1 from post_marks k
    where k.post_id = p.id and k.user_id = ${me} and ${sql.ref(`k.${column}`)} is not null)`;

const matches = (wanted: boolean, condition: ReturnType<typeof marked>) =>
  wanted ? condition : sql<SqlBool>`not ${condition}`;
