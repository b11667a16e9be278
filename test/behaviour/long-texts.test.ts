import { beforeAll, describe, expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import { posts } from "../../src/contract/posts.ts";
import { useWorld } from "../support/actors.ts";
import { postgresLocal, sqliteHttp, sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";
import { walkPages } from "../support/walk-pages.ts";

for (const environment of [sqliteHttp, postgresLocal]) {
  describe(`posts.list with long texts (${environment.database}, ${environment.caller})`, () => {
    const world = useWorld(environment);
    const ids: number[] = [];
    beforeAll(async () => {
      const { administrator } = world().actors;
      const body = "😀".repeat(100_000);
      for (let n = 0; n < 28; n += 1) {
        ids.unshift((await administrator.call(posts.create, { content_type: "news", title: `Long ${n}`, body })).id);
      }
    });
    const list = (limit: number, cursor?: string) =>
      world().actors.member.call(posts.list, { limit, ...(cursor !== undefined && { cursor }) });

    it("ends a page early, and returns each post once in both directions", async () => {
      expect((await list(500)).data.map(({ id }) => id)).toEqual(ids.slice(0, 25));
      expect(await walkPages((cursor) => list(500, cursor))).toEqual({ forth: ids, back: ids });
    });

    it("returns all posts of a short page", async () => {
      expect((await list(25)).data).toHaveLength(25);
      expect((await list(24)).data).toHaveLength(24);
    });
  });
}

describe("events.list with long texts", () => {
  const world = useWorld(sqliteLocal);

  it("lets other requests run meanwhile, and keeps the order", async () => {
    const { administrator } = world().actors;
    const start = world().instance.now();
    const ids: number[] = [];
    for (let n = 0; n < 120; n += 1) {
      const times = { start: start + n, end: start + n };
      ids.push(
        (await administrator.call(events.create, { type: "user", title: "Long", body: "å".repeat(20_000), ...times }))
          .id,
      );
    }
    const listing = administrator.call(events.list, { limit: 500 });
    expect(await turnsDuring(listing)).toBeGreaterThan(1);
    expect((await listing).hits.map(({ id }) => id)).toEqual(ids);
  });
});
