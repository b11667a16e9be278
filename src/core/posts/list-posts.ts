import { type CompiledQuery, type SqlBool, sql } from "kysely";
import { memoize } from "../../contract/bounded-map.ts";
import type { posts as contract } from "../../contract/posts.ts";
import type { Db } from "../../store/database.ts";
import { forEach, listed, rowCount } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { decodeCursor, makeCursorPage, type Position } from "../pipeline/cursor.ts";
import { placeInFeed, placesOfPosts } from "../visibility/feed-index.ts";
import { type GroupReader, groupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { type PostReader, postReader, published, visible } from "../visibility/post-visibility.ts";

type Input = Parameters<Handlers<typeof contract>["list"]>[1];
type Filter = Omit<Input, "limit" | "cursor" | "sort">;

/**
 * The parts of a search that change its statement. Ties of the sort column `time` are sorted by ID. Without a key, reading starts at
 * the end of the list that the direction leaves.
 */
interface Shape {
  readonly time: "listed_at" | "updated_at";
  readonly back: boolean;
  readonly hasKey: boolean;
  /** True for posts that are pinned, false for those that are not, undefined for all. */
  readonly pinned: boolean | undefined;
  readonly hasPlaces: boolean;
  readonly filter: Filter;
}

/** The parameters of a search. Pins are those at the time `at`. */
interface Values extends PostReader, GroupReader {
  readonly now: number;
  readonly at: number;
  readonly keyTime: number;
  readonly keyId: number;
  readonly places: readonly string[];
  readonly limit: number;
}

/** The time of the first page, the index of the part of the list, and the sort key in it. */
type Key = [at: number, part: number, time: number, id: number];

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
  readonly time: Shape["time"];
  readonly position: Position<Key> | undefined;
  readonly limit: number;
}

/** Reads the parts of the list one after the other, from the position on, until there are enough rows. */
async function findInParts(ctx: Ctx, filter: Filter, { at, time, position, limit }: Search) {
  const isFeed = filter.show_in_feed === true && filter.pinned !== false;
  const parts = isFeed ? [true, false] : [undefined];
  const places = await placesIn(ctx, filter);
  const back = position?.direction === "before";
  const [, first = 0, keyTime = 0, keyId = 0] = position?.key ?? [];
  const reader = { ...postReader(ctx.actor), ...groupReader(ctx.actor), now: ctx.now };
  const found: (Found & { readonly part: number })[] = [];
  for (let part = first; part in parts && found.length < limit; part += back ? -1 : 1) {
    const hasKey = position !== undefined && part === first;
    // Few posts are pinned, and they have an index.
    const hasPlaces = places !== undefined && parts[part] !== true;
    const shape = { time, back, hasKey, pinned: parts[part], hasPlaces, filter };
    const values = { ...reader, at, keyTime, keyId, places: places ?? [], limit: limit - found.length };
    const rows = await search(ctx.db, shape, values);
    found.push(...rows.map((row) => ({ ...row, part })));
  }
  return found;
}

/** Returns the places to search; undefined means all posts. */
async function placesIn(ctx: Ctx, { author, group, unit, status, bookmarked }: Filter): Promise<string[] | undefined> {
  // Few posts are bookmarked, and they have an index.
  if (bookmarked === true) return undefined;
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

/** Runs a search. Those without further filters are prepared; filters have too many combinations to keep all. */
async function search(db: Db, shape: Shape, values: Values): Promise<Found[]> {
  const { status, show_in_feed, ...rest } = shape.filter;
  const isPlain = Object.values(rest).every((value) => value === undefined);
  if (isPlain) return preparedSearch(JSON.stringify(shape))(db, values);
  return (await db.executeQuery(searchQuery(db, shape, values).compile(db))).rows;
}

const preparedSearch = memoize((key: string) => {
  const shape: Shape = JSON.parse(key);
  return prepared((db, p: Values) => searchQuery(db, shape, p));
});

function searchQuery(db: Db, shape: Shape, p: Values): { compile(db: Db): CompiledQuery<Found> } {
  return shape.hasPlaces ? inPlaces(db, shape, p) : amongAll(db, shape, p);
}

/** Reads at most `limit` entries from each place, so that the duration does not depend on the total number of posts. */
function inPlaces(db: Db, shape: Shape, p: Values) {
  const { time, back } = shape;
  const order = back ? "asc" : "desc";
  // A subquery as a value is run for each entry in index order. PostgreSQL can turn joins and `exists` into a search of all posts.
  const post = matching(db, shape, p).select("p.id").where(sql<SqlBool>`p.id = pp.post_id`);
  let one = db
    .selectFrom("post_places as pp")
    .select(["pp.place", `pp.${time}`, "pp.post_id"])
    .where(sql<SqlBool>`pp.place = place.value`)
    .where(post, "is not", null)
    .orderBy(`pp.${time}`, order)
    .orderBy("pp.post_id", order)
    .limit(rowCount(p.limit));
  if (shape.hasKey) one = one.where(beyond(shape, p, [`pp.${time}`, "pp.post_id"]));
  const direction = sql.raw(order);
  const key = ["place", time, "post_id"];
  return sql<Found>`select distinct found.post_id as id, ${sql.ref(`found.${time}`)} as time
    from ${forEach(db, listed(db, "place", p.places), one, { table: "post_places", key })}
    order by time ${direction}, id ${direction} limit ${rowCount(p.limit)}`;
}

function amongAll(db: Db, shape: Shape, p: Values) {
  const { time, back } = shape;
  const order = back ? "asc" : "desc";
  const query = matching(db, shape, p)
    .select(["p.id", `p.${time} as time`])
    .orderBy(`p.${time}`, order)
    .orderBy("p.id", order)
    .limit(rowCount(p.limit));
  return shape.hasKey ? query.where(beyond(shape, p, [`p.${time}`, "p.id"])) : query;
}

/** Returns the condition that the columns of time and ID come after the key in the direction of reading. */
function beyond({ back }: Shape, { keyTime, keyId }: Values, columns: readonly [time: string, id: string]) {
  return sql<SqlBool>`(${sql.join(columns.map((column) => sql.ref(column)))}) ${sql.raw(back ? ">" : "<")} (${keyTime}, ${keyId})`;
}

/** Returns a query for the posts of a part of the list that match the filter and that the reader may read. */
function matching(db: Db, { filter, ...shape }: Shape, p: Values) {
  // As a subquery, because PostgreSQL may join all posts with all audiences and sort them, to return the first few.
  const audience = suitable(db, filter, p).where(sql<SqlBool>`a.id = p.audience_id`);
  let query = db
    .selectFrom("posts as p")
    .where("p.deleted_at", "is", null)
    .where(withStatus(filter.status, p.now))
    .where(audience, "is not", null);
  if (filter.content_type !== undefined) query = query.where("p.content_type", "=", filter.content_type);
  if (filter.since !== undefined) query = query.where("p.listed_at", ">=", filter.since);
  if (filter.important !== undefined) query = query.where("p.important", "=", sql.lit(filter.important ? 1 : 0));
  if (filter.show_in_feed !== undefined) {
    query = query.where("p.show_in_feed", "=", sql.lit(filter.show_in_feed ? 1 : 0));
  }
  if (shape.pinned !== undefined) {
    const isMainFeed = filter.unit === undefined && filter.group === undefined;
    query = query.where(matches(shape.pinned, isMainFeed ? pinnedInMainFeed(p.at) : pinned(p.at)));
  }
  if (filter.pinned !== undefined) query = query.where(matches(filter.pinned, pinned(p.now)));
  if (filter.bookmarked === true) query = query.where("p.id", "in", bookmarks(db, p.me));
  if (filter.bookmarked === false) query = query.where("p.id", "not in", bookmarks(db, p.me));
  if (filter.unseen !== undefined) query = query.where(matches(!filter.unseen, seen(p.me)));
  return query;
}

/** Returns a query for audiences that match the filter and let the reader read the post `p`. */
function suitable(db: Db, { unit, group, author }: Filter, p: Values) {
  let query = db
    .selectFrom("audiences as a")
    .select("a.id")
    .where(visible(db, p, p.now));
  if (unit !== undefined) query = query.where("a.owner_unit_id", "=", unit);
  if (group !== undefined) query = query.where("a.group_id", "=", group).where(inKnownGroup(p));
  if (author !== undefined) query = query.where("a.author_id", "=", author);
  return query;
}

/** Excludes groups that the actor may not see: even a post shared from such a group must not reveal the group. */
const inKnownGroup = (reader: GroupReader) =>
  sql<SqlBool>`exists (select 1 from groups g where g.id = a.group_id and ${isVisibleGroup("g", reader)})`;

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

const bookmarks = (db: Db, me: number) =>
  db
    .selectFrom("post_marks as k")
    .select("k.post_id")
    .where("k.user_id", "=", me)
    .where("k.bookmarked_at", "is not", null);

const seen = (me: number) =>
  sql<SqlBool>`exists (select 1 from post_marks k
    where k.post_id = p.id and k.user_id = ${me} and k.seen_at is not null)`;

const matches = (wanted: boolean, condition: ReturnType<typeof seen>) =>
  wanted ? condition : sql<SqlBool>`not ${condition}`;
