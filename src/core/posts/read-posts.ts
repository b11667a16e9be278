import { sql } from "kysely";
import type { FieldIssues } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { prepared } from "../../store/prepared.ts";
import { inOrderOf } from "../directory/in-order-of.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { decodeCursor, makeCursorPage, type Position } from "../pipeline/cursor.ts";
import { filterIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { onlyItem } from "../pipeline/only-item.ts";
import { placeInFeed, placesOfPosts } from "../visibility/feed-index.ts";
import { groupIssues } from "../visibility/group-visibility.ts";
import { postReader } from "../visibility/post-visibility.ts";
import { loadShownPosts, requireReadablePost } from "./find-post.ts";
import { type Post, presentPosts } from "./present-posts.ts";
import { type FoundPost, hasManyBookmarks, type PostFilter, type PostShape, searchPosts } from "./search-posts.ts";

export const postReadHandlers = {
  async list(ctx, input) {
    const { ids, meta } = await listPosts(ctx, input);
    if (ids.length === 0) requireNoIssues(await postFilterIssues(ctx, input));
    const rows = ids.length === 0 ? [] : await loadShownPosts(ctx, ids);
    return { data: await presentPosts(ctx, inOrderOf(ids, rows)), meta };
  },

  get: (ctx, { id }) => onePost(ctx, id),
} satisfies Partial<Handlers<typeof contract>>;

export async function postFilterIssues(
  ctx: Ctx,
  { unit, group, author }: Partial<InputOf<typeof contract.list>>,
): Promise<FieldIssues> {
  return { ...(await groupIssues(ctx, group)), ...(await filterIssues(ctx, { units: { unit }, users: { author } })) };
}

export async function onePost(ctx: Ctx, id: number): Promise<Post> {
  const [row] = await loadShownPosts(ctx, [id]);
  return onlyItem(await presentPosts(ctx, [requireReadablePost(ctx, row, id)]));
}

type Input = InputOf<typeof contract.list>;

/** The time of the first page, the index of the part of the list, and the sort key in it. */
type Key = [at: number, part: number, time: number, id: number];

/** Returns the IDs of a page of posts that the actor may read, newest first; in the feed, pinned posts come first. */
async function listPosts(ctx: Ctx, { limit, cursor, sort, ...filter }: Input) {
  const list = `posts ${JSON.stringify({ sort, ...filter })}`;
  const position = decodeCursor<Key>(ctx, list, cursor);
  // All pages use the pins at the time of the first one, so a pin that ends in between repeats and skips nothing.
  const at = position?.key[0] ?? ctx.now;
  const time = sort === "published" ? "listed_at" : "updated_at";
  const found = await findInParts(ctx, filter, { at, time, position, limit: limit + 1 });
  const keyOf = (row: (typeof found)[number]): Key => [at, row.part, row.time, row.id];
  const fitting = limit > smallPage ? await countFitting(ctx, found.slice(0, limit)) : limit;
  const { rows, meta } = makeCursorPage(ctx, list, found, { limit: fitting, position, keyOf });
  return { ids: rows.map((row) => row.id), meta };
}

/** Number of posts that are shown together, however long their texts are. */
const smallPage = 25;
/** Bytes of the texts of a longer page, which ends before others. */
const maxTextsLength = 4 * 1024 * 1024;

const sizesOf = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("posts")
    .select(["id", sql<number>`octet_length(body)`.as("bytes")])
    .where("id", "in", p.ids),
);

/** Returns how many of these posts make a page: the first ones with texts of a limited size. */
async function countFitting({ db }: Ctx, found: readonly FoundPost[]): Promise<number> {
  const rows = await sizesOf(db, { ids: found.map(({ id }) => id) });
  const bytes = new Map(rows.map((row) => [row.id, row.bytes]));
  let size = 0;
  const fitting = found.findIndex(({ id }, at) => {
    size += bytes.get(id) ?? 0;
    return at >= smallPage && size > maxTextsLength;
  });
  return fitting === -1 ? found.length : fitting;
}

interface Search {
  readonly at: number;
  readonly time: PostShape["time"];
  readonly position: Position<Key> | undefined;
  readonly limit: number;
}

/** Reads the parts of the list one after the other, from the position on, until there are enough rows. */
async function findInParts(ctx: Ctx, filter: PostFilter, { at, time, position, limit }: Search) {
  const isFeed = filter.show_in_feed === true && filter.pinned !== false;
  const parts = isFeed ? [true, false] : [undefined];
  // Few posts are bookmarked, and they have an index.
  const isByBookmark = filter.bookmarked === true && !(await hasManyBookmarks(ctx.db, ctx.actor.id));
  const places = isByBookmark ? undefined : await placesIn(ctx, filter);
  const back = position?.direction === "before";
  const [, first = 0, keyTime = 0, keyId = 0] = position?.key ?? [];
  const reader = { ...postReader(ctx.actor), now: ctx.now };
  const found: (FoundPost & { readonly part: number })[] = [];
  for (let part = first; part in parts && found.length < limit; part += back ? -1 : 1) {
    const hasKey = position !== undefined && part === first;
    // Few posts are pinned, and they have an index.
    const hasPlaces = places !== undefined && parts[part] !== true && filter.pinned !== true;
    const shape = { time, back, hasKey, pinned: parts[part], isByBookmark, hasPlaces, filter };
    const values = { ...reader, at, keyTime, keyId, places: places ?? [], limit: limit - found.length };
    const rows = await searchPosts(ctx.db, shape, values);
    found.push(...rows.map((row) => ({ ...row, part })));
  }
  return found;
}

/** Returns the places to search; undefined means all posts. */
async function placesIn(ctx: Ctx, { author, group, unit, status }: PostFilter): Promise<string[] | undefined> {
  if (author !== undefined) return [placeInFeed.author(author)];
  if (group !== undefined) return [placeInFeed.group(group)];
  if (unit !== undefined) return [placeInFeed.owner(unit)];
  // Only editors see posts that are not published.
  return placesOfPosts(ctx, status === "published" ? "readable" : "editable");
}
