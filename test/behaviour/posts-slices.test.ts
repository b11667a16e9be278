import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import type { InputOf } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { placeInFeed } from "../../src/core/visibility/feed-index.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Tx } from "../../src/store/database.ts";
import { type ActorName, useWorld } from "../support/actors.ts";
import { postgresLocal, sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";
import { walkPages } from "../support/walk-pages.ts";

const count = 3008;
const [administrator, root] = [1, 1];
/** IDs, in the order of lists, of posts outside the feed. Some are the last that the first statement of a search reads. */
const rare = Array.from({ length: count }, (_, n) => count - n).filter((id) => id % 16 < 2);
const isAddressed = (id: number) => id % 32 < 16;

for (const environment of [sqliteLocal, postgresLocal]) {
  describe(`posts.list by a filter that few posts match (${environment.database})`, () => {
    const world = useWorld(environment);
    beforeAll(async () => {
      const { instance, ids } = world();
      await instance.database.write((tx) => addPosts(tx, [administrator, ids.member]));
    });

    type Page = Partial<InputOf<typeof posts.list>>;
    const list = (actor: ActorName, input: Page) => world().actors[actor].call(posts.list, { limit: 100, ...input });

    const walk = (actor: ActorName, input: Page) =>
      walkPages((cursor) => list(actor, { ...input, ...(cursor && { cursor }) }));

    describe.each(["administrator", "member"] as const)("%s", (actor) => {
      it.each(["published", "updated"] as const)("finds each once, in both directions, sorted by %s", async (sort) => {
        const ids = actor === "administrator" ? rare : rare.filter(isAddressed);
        const found = { forth: ids, back: ids };
        expect(await walk(actor, { show_in_feed: false, sort })).toEqual(found);
        expect(await walk(actor, { content_type: "debate", sort })).toEqual(found);
      });

      it.each(["published", "updated"] as const)("finds those since a time, sorted by %s", async (sort) => {
        const since = timeOf(1216);
        const ids = rare.filter((id) => timeOf(id) >= since && (actor === "administrator" || isAddressed(id)));
        expect(await walk(actor, { content_type: "debate", since, sort })).toEqual({ forth: ids, back: ids });
      });

      it("finds the bookmarked ones of thousands, and the others", async () => {
        const all = Array.from({ length: count }, (_, n) => count - n);
        const ids = all.filter((id) => actor === "administrator" || isAddressed(id));
        for (const bookmarked of [true, false]) {
          const found = ids.filter((id) => isBookmarked(id) === bookmarked);
          expect(await walk(actor, { bookmarked })).toEqual({ forth: found, back: found });
        }
      });

      // PostgreSQL never blocks the event loop.
      if (environment.database === "sqlite")
        it("lets other requests run before it has looked at all posts", async () => {
          for (const bookmarked of [undefined, true]) {
            const finding = list(actor, { content_type: "event", bookmarked });
            expect(await turnsDuring(finding)).toBeGreaterThan(2);
            expect((await finding).data).toEqual([]);
          }
        });
    });
  });
}

const isBookmarked = (id: number) => id % 4 > 0;

/** Twenty posts have the same time. */
const timeOf = (id: number) => 1000 + Math.floor(id / 20);

async function addPosts(tx: Tx, readers: readonly number[]): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => n + 1);
  const audiences = ids.map((id) => {
    return {
      id,
      author_id: administrator,
      owner_unit_id: root,
      everywhere: isAddressed(id) ? (1 as const) : (0 as const),
    };
  });
  await insertRows(tx, "audiences", audiences);
  await insertRows(tx, "posts", ids.map(postOf));
  const places = (id: number) => [
    placeInFeed.author(administrator),
    placeInFeed.owner(root),
    ...(isAddressed(id) ? [placeInFeed.everywhere] : []),
  ];
  const times = (id: number) => ({ post_id: id, listed_at: timeOf(id), updated_at: timeOf(id) });
  const entries = ids.flatMap((id) => places(id).map((place) => ({ place, ...times(id) })));
  await insertRows(tx, "post_places", entries);
  const marks = readers.flatMap((user_id) => ids.map((post_id) => ({ post_id, user_id, bookmarked_at: 1 })));
  const bookmarks = marks.filter(({ post_id }) => isBookmarked(post_id));
  await insertRows(tx, "post_marks", bookmarks);
}

function postOf(id: number) {
  const time = timeOf(id);
  const kind = rare.includes(id)
    ? { content_type: "debate", show_in_feed: 0 }
    : { content_type: "news", show_in_feed: 1 };
  const times = { published_at: time, listed_at: time, created_at: time, updated_at: time };
  return { id, audience_id: id, title: `Post ${id}`, title_key: `post ${id}`, draft: 0, ...kind, ...times } as const;
}

describe("posts.create and posts.readers for all of more than 100,000 users", () => {
  const world = useWorld(sqliteLocal);

  it("count readers up to 100,000 and find the few who confirmed, and let other requests run meanwhile", async () => {
    const { actors, instance } = world();
    const users = sql`with recursive numbers as (select 1000 as n union all select n + 1 from numbers where n < 100999)
      insert into users (id, first_name, last_name, created_at, updated_at) select n, 'Many', n, 0, 0 from numbers`;
    await instance.database.write((tx) => users.execute(tx));
    const post = {
      content_type: "news",
      title: "All",
      confirm: { enabled: true },
      visibility: { all_units: true },
    } as const;
    const creating = actors.administrator.call(posts.create, post);
    expect(await turnsDuring(creating)).toBeGreaterThan(19);
    const { id, confirm } = await creating;
    expect(confirm.total).toBe(100_000);
    const far = [7000, 50_000, 100_999];
    const marks = far.map((user_id) => ({ post_id: id, user_id, read_at: 1 }));
    await instance.database.write((tx) => insertRows(tx, "post_marks", marks));
    const list = async (page: Partial<InputOf<typeof posts.readers>>) => {
      const { data, meta } = await actors.administrator.call(posts.readers, { id, ...page });
      return { data: data.map(({ user }) => user), meta };
    };
    const listing = list({ status: "confirmed" });
    expect(await turnsDuring(listing)).toBeGreaterThan(19);
    const walk = (cursor?: string) => list({ status: "confirmed", limit: 1, ...(cursor && { cursor }) });
    expect(await walkPages(walk)).toEqual({ forth: far, back: far });
    await instance.database.write(async (tx) => {
      // Deleting their rows would take several times as long.
      await tx.updateTable("users").set({ active: 0, deleted_at: 1 }).where("id", ">=", 1000).execute();
      await tx.deleteFrom("post_marks").where("user_id", "in", far).execute();
      await tx.updateTable("posts").set({ reader_count: null }).where("title", "=", "All").execute();
    });
  });
});
