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

  async function audiencesRead(): Promise<number> {
    const rows = await query<{ read: string }>(
      "select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'audiences'",
    );
    return Number(rows[0]?.read);
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
});

async function addPosts(tx: Tx): Promise<void> {
  const posts = Array.from({ length: count }, (_, n) => postOf(n + 1));
  await insertRows(
    tx,
    "audiences",
    posts.map(({ id }) => ({ id, author_id: administrator, owner_unit_id: root, everywhere: 1 })),
  );
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
