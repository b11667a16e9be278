import { type CompiledQuery, type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import { memoize } from "../../contract/bounded-map.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts as contract } from "../../contract/posts.ts";
import type { Db } from "../../store/database.ts";
import { isPostgres, lateralJoin, listed, rowCount } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { isUnfiltered } from "../pipeline/cursor.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { type GroupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { type PostReader, published, visible } from "../visibility/post-visibility.ts";

export type PostFilter = Omit<InputOf<typeof contract.list>, "limit" | "cursor" | "sort">;

/** The index that a search reads, and how. Equal times are sorted by ID. Without a key, reading starts at the first entry in its direction. */
interface Order {
  readonly time: "listed_at" | "updated_at";
  readonly back: boolean;
  readonly hasPlaces: boolean;
  readonly hasKey: boolean;
  /** True when reading stops at an entry, which is included. Only this file sets it. */
  readonly hasEnd?: boolean;
}

/** The parts of a search that change its statement. */
export interface PostShape extends Order {
  /** True for posts that are pinned, false for those that are not, undefined for all. */
  readonly pinned: boolean | undefined;
  /** True when the few posts that the reader has bookmarked are searched. */
  readonly isByBookmark: boolean;
  readonly filter: PostFilter;
}

/** The parameters of a search. Pins are those at the time `at`. */
interface PostSearch extends PostReader {
  readonly now: number;
  readonly at: number;
  readonly keyTime: number;
  readonly keyId: number;
  readonly places: readonly string[];
  readonly limit: number;
}

export interface FoundPost {
  readonly id: number;
  readonly time: number;
}

/** A search of a range of the index, including both limits. */
interface RangeSearch extends PostSearch {
  readonly min: number;
  readonly max: number;
  readonly endTime: number;
  readonly endId: number;
}

export async function searchPosts(db: Db, shape: PostShape, search: PostSearch): Promise<FoundPost[]> {
  const values = { ...search, ...limitsOf(shape, search.now), endTime: 0, endId: 0 };
  return isSliced(shape) ? searchInSlices(db, shape, values) : runSearch(db, shape, values);
}

/** Returns the limits of the sort column that follow from the filter. Times before 1970 are negative. */
function limitsOf(
  { time, filter: { status, since = Number.MIN_SAFE_INTEGER } }: PostShape,
  now: number,
): Pick<RangeSearch, "min" | "max"> {
  if (time === "updated_at" || status === "draft")
    return { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
  if (status === "scheduled") return { min: Math.max(since, now + 1), max: Number.MAX_SAFE_INTEGER };
  return { min: since, max: now };
}

const isPlain = ({ filter: { status, show_in_feed, ...rest } }: PostShape): boolean => isUnfiltered(rest);

/** Returns true for a search that may have to examine most posts, because no index selects the matching ones. */
function isSliced(shape: PostShape): boolean {
  const { status, show_in_feed, pinned, important } = shape.filter;
  if (isPlain(shape) && status === "published" && show_in_feed !== false) return false;
  if (shape.hasPlaces) return true;
  return status === "published" && ![shape.pinned, shape.isByBookmark, pinned, important].includes(true);
}

/** Entries that the first statement of a search looks at, and any at most: 8,192 take up to 50 ms, when no other request can run on SQLite. */
const sliceSize = { first: 512, max: 8192 };

/** Searches one slice after the other until there are enough rows. Other requests can run in between. */
async function searchInSlices(db: Db, shape: PostShape, values: RangeSearch): Promise<FoundPost[]> {
  const found: FoundPost[] = [];
  const placeCount = Math.max(1, values.places.length);
  let { hasKey } = shape;
  let key: { readonly time: number; readonly id: number } = { time: values.keyTime, id: values.keyId };
  for (let size = sliceSize.first; ; size = Math.min(4 * size, sliceSize.max)) {
    const from = { ...values, keyTime: key.time, keyId: key.id };
    const end = await findEnd(db, { ...shape, hasKey }, from, Math.ceil(size / placeCount));
    const to = { endTime: end?.time ?? 0, endId: end?.id ?? 0, limit: values.limit - found.length };
    found.push(...(await runSearch(db, { ...shape, hasKey, hasEnd: end !== undefined }, { ...from, ...to })));
    if (end === undefined || found.length >= values.limit) return found;
    hasKey = true;
    key = end;
    await takeTurn();
  }
}

/** Returns the entry at which a slice ends: `skipped` entries of its place come before it. Undefined if all entries are in the slice. */
async function findEnd(db: Db, shape: PostShape, values: RangeSearch, skipped: number): Promise<FoundPost | undefined> {
  const { time, back, hasPlaces, hasKey } = shape;
  const query = preparedEnd(JSON.stringify({ time, back, hasPlaces, hasKey }));
  const [end] = await query(db, { ...values, limit: 1, skipped });
  return end;
}

const preparedEnd = memoize((key: string) => {
  const order: Order = JSON.parse(key);
  return prepared(
    (db, p: RangeSearch & { readonly skipped: number }): { compile(db: Db): CompiledQuery<FoundPost> } => {
      if (!order.hasPlaces) return inOrder(allPosts(db), order, p).offset(rowCount(p.skipped));
      return ofPlaces(db, order, p, entriesOf(db, order, p).offset(rowCount(p.skipped)));
    },
  );
});

/** Runs a search. Those without further filters are prepared; filters have too many combinations to keep all. */
async function runSearch(db: Db, shape: PostShape, values: RangeSearch): Promise<FoundPost[]> {
  if (isPlain(shape)) return preparedSearch(JSON.stringify(shape))(db, values);
  return (await db.executeQuery(searchQuery(db, shape, values).compile(db))).rows;
}

const preparedSearch = memoize((key: string) => {
  const shape: PostShape = JSON.parse(key);
  return prepared((db, p: RangeSearch) => searchQuery(db, shape, p));
});

function searchQuery(db: Db, shape: PostShape, p: RangeSearch): { compile(db: Db): CompiledQuery<FoundPost> } {
  return shape.hasPlaces ? inPlaces(db, shape, p) : inOrder(matchingPosts(db, shape, p), shape, p);
}

/** Reads at most `limit` entries from each place, so that the duration does not depend on the total number of posts. */
function inPlaces(db: Db, shape: PostShape, p: RangeSearch) {
  // A subquery as a value is run for each entry in index order. PostgreSQL can turn joins and `exists` into a search of all posts.
  const post = matchingPosts(db, shape, p).select("p.id").where(sql<SqlBool>`p.id = pp.post_id`);
  return ofPlaces(db, shape, p, entriesOf(db, shape, p).where(post, "is not", null));
}

/** Returns a query for the first entries of the place of the row `place`. */
function entriesOf(db: Db, order: Order, p: RangeSearch) {
  const direction = directionOf(order);
  const columns = [`pp.${order.time}`, "pp.post_id"] as const;
  return db
    .selectFrom("post_places as pp")
    .select(["pp.place", ...columns])
    .where(sql<SqlBool>`pp.place = place.value`)
    .where(inRange(order, p, columns))
    .orderBy(columns[0], direction)
    .orderBy(columns[1], direction)
    .limit(rowCount(p.limit));
}

/** Returns a query for the first of the entries that `one` gives for each place. */
function ofPlaces(db: Db, order: Order, p: RangeSearch, one: Expression<unknown>) {
  const direction = sql.raw(directionOf(order));
  const key = ["place", order.time, "post_id"];
  return sql<FoundPost>`select distinct found.post_id as id, ${sql.ref(`found.${order.time}`)} as time
    from ${lateralJoin(db, listed(db, "place", p.places), one, { table: "post_places", key })}
    order by time ${direction}, id ${direction} limit ${rowCount(p.limit)}`;
}

const allPosts = (db: Db) => db.selectFrom("posts as p").where("p.deleted_at", "is", null);
type Posts = ReturnType<typeof allPosts>;

function inOrder(posts: Posts, order: Order, p: RangeSearch) {
  const direction = directionOf(order);
  return posts
    .select(["p.id", `p.${order.time} as time`])
    .where(inRange(order, p, [`p.${order.time}`, "p.id"]))
    .orderBy(`p.${order.time}`, direction)
    .orderBy("p.id", direction)
    .limit(rowCount(p.limit));
}

const directionOf = ({ back }: Order) => (back ? "asc" : "desc");

/** Returns the condition of the range. It has one limit on each side: with two, SQLite may read all entries from the start of the list to the key. */
function inRange({ back, hasKey, hasEnd }: Order, p: RangeSearch, [time, id]: readonly [time: string, id: string]) {
  const position = sql`(${sql.ref(time)}, ${sql.ref(id)})`;
  const [forth, end] = back ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`];
  const start = hasKey ? sql`${position} ${forth} (${p.keyTime}, ${p.keyId})` : undefined;
  const stop = hasEnd ? sql`${position} ${end} (${p.endTime}, ${p.endId})` : undefined;
  const [lower, upper] = back ? [start, stop] : [stop, start];
  const min = lower ?? sql`${sql.ref(time)} >= ${p.min}`;
  const max = upper ?? sql`${sql.ref(time)} <= ${p.max}`;
  return sql<SqlBool>`(${min} and ${max})`;
}

/** Returns a query for the posts of a part of the list that match the filter and that the reader may read. */
function matchingPosts(db: Db, { filter, ...shape }: PostShape, p: RangeSearch): Posts {
  // The limits of a range of this column are in `inRange`; the unary + keeps SQLite from searching the index by others.
  const listedAt = shape.time === "listed_at" ? sql<number>`+p.listed_at` : sql<number>`p.listed_at`;
  let query = allPosts(db).where(withStatus(filter.status, listedAt, p.now));
  if (filter.content_type !== undefined) query = query.where("p.content_type", "=", filter.content_type);
  if (filter.since !== undefined) query = query.where(listedAt, ">=", filter.since);
  if (filter.important !== undefined) query = query.where("p.important", "=", sql.lit(filter.important ? 1 : 0));
  if (filter.show_in_feed !== undefined) {
    query = query.where("p.show_in_feed", "=", sql.lit(filter.show_in_feed ? 1 : 0));
  }
  if (shape.pinned !== undefined) {
    const isMainFeed = filter.unit === undefined && filter.group === undefined;
    query = query.where(matches(shape.pinned, isMainFeed ? pinnedInMainFeed(p.at) : pinned(p.at)));
  }
  if (filter.pinned !== undefined) query = query.where(matches(filter.pinned, pinned(p.now)));
  if (shape.isByBookmark) query = query.where(isBookmarked(db, p.me));
  else if (filter.bookmarked !== undefined)
    query = query.where(matches(filter.bookmarked, marked("bookmarked_at", p.me)));
  if (filter.unseen !== undefined) query = query.where(matches(!filter.unseen, marked("seen_at", p.me)));
  // As a subquery, because PostgreSQL may join all posts with all audiences and sort them, to return the first few.
  const audience = matchingAudiences(db, filter, p).where(sql<SqlBool>`a.id = p.audience_id`);
  return query.where(audience, "is not", null);
}

/** Returns a query for audiences that match the filter and let the reader read the post `p`. */
function matchingAudiences(db: Db, { unit, group, author }: PostFilter, p: RangeSearch) {
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

function withStatus(status: PostFilter["status"], listedAt: RawBuilder<number>, now: number): RawBuilder<SqlBool> {
  switch (status) {
    case "published":
      return published(now, listedAt);
    case "draft":
      return sql`p.draft = 1`;
    case "scheduled":
      return sql`(p.draft = 0 and ${listedAt} > ${now})`;
    case "unpublished":
      return sql`(p.draft = 0 and ${listedAt} <= ${now} and p.unpublish_on <= ${now})`;
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

/** Reads the bookmarks first. PostgreSQL may read all posts in the order of the list instead, unless it gets an array. */
const isBookmarked = (db: Db, me: number) =>
  isPostgres(db) ? sql<SqlBool>`p.id = any(array(${bookmarks(db, me)}))` : sql<SqlBool>`p.id in (${bookmarks(db, me)})`;

const manyBookmarks = 2000;

/** Returns true for a reader with so many bookmarks that reading all would take long. */
export const hasManyBookmarks = async (db: Db, me: number): Promise<boolean> =>
  (await bookmarks(db, me).limit(1).offset(manyBookmarks).executeTakeFirst()) !== undefined;

const marked = (column: "seen_at" | "bookmarked_at", me: number) =>
  sql<SqlBool>`exists (select 1 from post_marks k
    where k.post_id = p.id and k.user_id = ${me} and ${sql.ref(`k.${column}`)} is not null)`;

const matches = (wanted: boolean, condition: RawBuilder<SqlBool>) =>
  wanted ? condition : sql<SqlBool>`not ${condition}`;
