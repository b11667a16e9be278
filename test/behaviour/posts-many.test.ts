import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { createService } from "../../src/core/service.ts";
import { placeInFeed } from "../../src/core/visibility/feed-index.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Database, Tx } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { useWorld } from "../support/actors.ts";
import { postgresLocal } from "../support/instance.ts";

const count = 10_000;
const limit = 5;
const [administrator, root] = [1, 1];

describe("many posts (postgres)", () => {
  const world = useWorld(postgresLocal);

  /** Runs work on connections of its own, because PostgreSQL adds to its statistics when a connection ends. */
  async function apart(work: (database: Database) => Promise<unknown>): Promise<void> {
    const database = await openDatabase(world().instance.target);
    await work(database).finally(() => database.close());
  }

  async function query<R>(text: string): Promise<R[]> {
    const client = new pg.Client(world().instance.target);
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  }

  async function rowsRead(table: string): Promise<number> {
    const rows = await query<{ read: string }>(
      `select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = '${table}'`,
    );
    return Number(rows[0]?.read);
  }
  const audiencesRead = () => rowsRead("audiences");

  /** Entries read and searches in the indexes of mentions: their table need not be read. */
  async function mentionsRead(): Promise<{ entries: number; searches: number }> {
    const [row] = await query<{ entries: string; searches: string }>(
      "select sum(idx_tup_read) as entries, sum(idx_scan) as searches from pg_stat_user_indexes where relname = 'post_mentions'",
    );
    return { entries: Number(row?.entries), searches: Number(row?.searches) };
  }

  beforeAll(async () => {
    await apart((database) => database.write(addPosts));
    await query("analyze");
  });

  it.each([{}, { sort: "updated" }, { content_type: "debate" }, { unseen: true }, { status: "draft" }] as const)(
    "posts.list of an administrator with %j reads few of them",
    async (input) => {
      const before = await audiencesRead();
      await apart(async (database) => {
        const { data } = await createService({ database })
          .caller({ userId: administrator })
          .call(posts.list, { limit, ...input });
        expect(data).toHaveLength(limit);
      });
      await expect.poll(audiencesRead).toBeGreaterThan(before);
      expect((await audiencesRead()) - before).toBeLessThan(count / 10);
    },
  );

  it("posts.get and posts.commentList read few of the mentions in comments and of the deleted comments that an attacker added to a post", async () => {
    const { ids, instance } = world();
    const id = count;
    await apart((database) =>
      database.write(async (tx) => {
        const comment = { post_id: id, parent_id: null, author_id: ids.member, body: "", created_at: 0 };
        const deleted = Array(count).fill({ ...comment, deleted_at: 1 });
        await insertRows(tx, "comments", deleted);
        const shown = Array(count).fill({ ...comment, deleted_at: null });
        const made = await insertRows(tx, "comments", shown, ["id"]);
        const mentions = made.map((row) => ({ post_id: id, comment_id: row.id, user_id: ids.member }));
        await insertRows(tx, "post_mentions", mentions);
        await insertRows(tx, "comments", deleted);
      }),
    );
    await query("analyze");
    // The checks of the references read each comment.
    await expect.poll(() => rowsRead("comments")).toBeGreaterThanOrEqual(count);
    const before = { comments: await rowsRead("comments"), mentions: await mentionsRead() };
    await apart(async (database) => {
      const reader = createService({ database }).caller({ userId: administrator });
      expect(await reader.call(posts.get, { id })).toMatchObject({
        mentions: [],
        comments: { latest: { deleted: false } },
      });
      expect((await reader.call(posts.commentList, { id, limit })).data).toHaveLength(limit);
    });
    await expect.poll(async () => (await mentionsRead()).searches).toBeGreaterThan(before.mentions.searches);
    expect((await rowsRead("comments")) - before.comments).toBeLessThan(count / 10);
    expect((await mentionsRead()).entries - before.mentions.entries).toBeLessThan(count / 10);
    await instance.database.write((tx) => tx.deleteFrom("comments").where("post_id", "=", id).execute());
  });
});

async function addPosts(tx: Tx): Promise<void> {
  const posts = Array.from({ length: count }, (_, n) => postOf(n + 1));
  const audiences = posts.map(({ id }) => ({ id, author_id: administrator, owner_unit_id: root, everywhere: 1 }));
  await insertRows(tx, "audiences", audiences);
  await insertRows(tx, "posts", posts);
  const places = [placeInFeed.author(administrator), placeInFeed.owner(root), placeInFeed.everywhere];
  await insertRows(
    tx,
    "post_places",
    posts.flatMap(({ id, listed_at, updated_at }) =>
      places.map((place) => ({ place, post_id: id, listed_at, updated_at })),
    ),
  );
}

function postOf(id: number) {
  const type = { content_type: id % 5 === 0 ? "debate" : "news", title: `Post ${id}`, title_key: `post ${id}` };
  const state = id % 50 === 0 ? { draft: 1, published_at: null } : { draft: 0, published_at: id };
  return { id, audience_id: id, ...type, ...state, listed_at: id, created_at: id, updated_at: id };
}
