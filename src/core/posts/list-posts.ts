import { type SqlBool, sql } from "kysely";
import type { posts as contract } from "../../contract/posts.ts";
import { forEach, listed } from "../../store/dialect.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { decodeCursor, makeCursorPage, type Position } from "../pipeline/cursor.ts";
import { placeInFeed, placesOfPosts } from "../visibility/feed-index.ts";
import { groupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { postReader, published, visible } from "../visibility/post-visibility.ts";

type Input = Parameters<Handlers<typeof contract>["list"]>[1];
type Filter = Omit<Input, "limit" | "cursor" | "sort">;

/**
 * The sort column (ties are sorted by ID), the key and the direction from which to read, and the number of rows. Without
 * a key, reading starts at the end of the list that the direction leaves.
 */
interface Extent {
  readonly time: "listed_at" | "updated_at";
  readonly back: boolean;
  readonly beyond: readonly [time: number, id: number] | undefined;
  readonly limit: number;
}

/** The time of the first page, the index of the part of the list, and the sort key in it. */
type Key = [at: number, part: number, time: number, id: number];

/** A part of a list: posts that were pinned at that time, posts that were not, or all. */
interface Part {
  readonly at: number;
  readonly pinned: boolean | undefined;
}

/** Returns the IDs of a page of posts that the actor may read, newest first; in the feed, pinned posts come first. */
export async function listPosts(ctx: Ctx, { limit, cursor, sort, ...filter }: Input) {
  const list = `posts ${JSON.stringify({ sort, ...filter })}`;
  const position = decodeCursor<Key>(ctx, list, cursor);
  // All pages use the pins at the time of the first one, so a pin that ends in between repeats and skips nothing.
  const at = position?.key[0] ?? ctx.now;
  const time = sort === "published" ? "listed_at" : "updated_at";
  const found = await findInParts(ctx, filter, { at, time, position, limit: limit + 1 });
  const keyOf = (row: (typeof found)[number]): Key => [at, row.part, row.time, row.id];
  const { rows, meta } = makeCursorPage(ctx, list, found, { limit, position, keyOf });
  return { ids: rows.map((row) => row.id), meta };
}

interface Search {
  readonly at: number;
  readonly time: Extent["time"];
  readonly position: Position<Key> | undefined;
  readonly limit: number;
}

/** Reads the parts of the list one after the other, from the position on, until there are enough rows. */
async function findInParts(ctx: Ctx, filter: Filter, { at, time, position, limit }: Search) {
  const isFeed = filter.show_in_feed === true && filter.pinned !== false;
  const parts = isFeed ? [true, false] : [undefined];
  const places = await placesIn(ctx, filter);
  const back = position?.direction === "before";
  const [, first = 0, ...key] = position?.key ?? [];
  const found: (Found & { readonly part: number })[] = [];
  for (let part = first; part in parts && found.length < limit; part += back ? -1 : 1) {
    const beyond = position !== undefined && part === first ? (key as [number, number]) : undefined;
    const extent = { time, back, beyond, limit: limit - found.length };
    const matched = matching(ctx, filter, { at, pinned: parts[part] });
    // Few posts are pinned, and they have an index.
    const isShort = places === undefined || parts[part] === true;
    const rows = await (isShort ? amongAll(matched, extent) : inPlaces(ctx, matched, extent, places));
    found.push(...rows.map((row) => ({ ...row, part })));
  }
  return found;
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
  { db }: Ctx,
  matched: Matching,
  { time, back, beyond: key, limit }: Extent,
  places: readonly string[],
): Promise<Found[]> {
  const order = back ? "asc" : "desc";
  let one = matched
    .innerJoin("post_places as pp", "pp.post_id", "p.id")
    .select("p.id")
    .where(sql<SqlBool>`pp.place = place.value`)
    .orderBy(`pp.${time}`, order)
    .orderBy("pp.post_id", order)
    .limit(limit);
  if (key) one = one.where(beyond({ alias: "pp", id: "post_id", time, back }, key));
  const direction = sql.raw(order);
  const found = forEach(db, listed(db, "place", places), one, { table: "posts", key: ["id"] });
  const { rows } = await sql<Found>`select distinct p.id, ${sql.ref(`p.${time}`)} as time
    from ${found} join posts p on p.id = found.id
    order by time ${direction}, p.id ${direction} limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

async function amongAll(matched: Matching, { time, back, beyond: key, limit }: Extent): Promise<Found[]> {
  const order = back ? "asc" : "desc";
  let query = matched
    .select(["p.id", `p.${time} as time`])
    .orderBy(`p.${time}`, order)
    .orderBy("p.id", order)
    .limit(limit);
  if (key) query = query.where(beyond({ alias: "p", id: "id", time, back }, key));
  return query.execute();
}

interface Order {
  readonly alias: string;
  readonly id: string;
  readonly time: string;
  readonly back: boolean;
}

function beyond({ alias, id, time, back }: Order, [at, last]: readonly [number, number]) {
  const columns = sql`(${sql.ref(`${alias}.${time}`)}, ${sql.ref(`${alias}.${id}`)})`;
  return sql<SqlBool>`${columns} ${sql.raw(back ? ">" : "<")} (${at}, ${last})`;
}

type Matching = ReturnType<typeof matching>;

/** Returns a query for the posts of a part that match the filter and that the actor may read. */
function matching(ctx: Ctx, filter: Filter, part: Part) {
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
  if (filter.show_in_feed !== undefined) {
    query = query.where("p.show_in_feed", "=", sql.lit(filter.show_in_feed ? 1 : 0));
  }
  if (part.pinned !== undefined) {
    const isMainFeed = filter.unit === undefined && filter.group === undefined;
    query = query.where(matches(part.pinned, isMainFeed ? pinnedInMainFeed(part.at) : pinned(part.at)));
  }
  if (filter.pinned !== undefined) query = query.where(matches(filter.pinned, pinned(now)));
  if (filter.bookmarked !== undefined) {
    query = query.where(matches(filter.bookmarked, marked(actor.id, "bookmarked_at")));
  }
  if (filter.unseen !== undefined) query = query.where(matches(!filter.unseen, marked(actor.id, "seen_at")));
  return query;
}

/** Excludes groups that the actor may not see: even a post shared from such a group must not reveal the group. */
const inKnownGroup = ({ actor }: Ctx) =>
  sql<SqlBool>`exists (select 1 from groups g where g.id = a.group_id and ${isVisibleGroup("g", groupReader(actor))})`;

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

const pinnedInMainFeed = (now: number) => sql<SqlBool>`(${pinned(now)} and p.pinned_main_feed = 1)`;

const marked = (me: number, column: "bookmarked_at" | "seen_at") =>
  sql<SqlBool>`exists (select 1 from post_marks k
    where k.post_id = p.id and k.user_id = ${me} and ${sql.ref(`k.${column}`)} is not null)`;

const matches = (wanted: boolean, condition: ReturnType<typeof marked>) =>
  wanted ? condition : sql<SqlBool>`not ${condition}`;
