import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { groups } from "../../src/contract/groups.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { tries } from "../support/effort.ts";
import { describeEverywhere } from "../support/instance.ts";
import { type Post, useNewsroom } from "../support/newsroom.ts";

const drawn = fc.record({
  pin: fc.oneof(fc.constantFrom("none" as const, "always" as const), fc.integer({ min: 1, max: 12 })),
  feed: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  pause: fc.nat(1),
});
const walks = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  pauses: fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }),
  sort: fc.constantFrom("published" as const, "updated" as const),
});

describeEverywhere("the feed", (environment) => {
  const newsroom = useNewsroom(environment);
  beforeAll(() => newsroom().instance.freeze());
  const wait = (seconds: number | undefined) => newsroom().instance.wait(seconds ?? 0);

  /** Writes these posts, and no others; a pin ends after that many seconds, or never. */
  const publish = async (specs: readonly (typeof drawn extends fc.Arbitrary<infer T> ? T : never)[]) => {
    const { instance, write } = newsroom();
    await instance.database.write((tx) => tx.deleteFrom("posts").execute());
    const written: { id: number; feed: boolean; at: number; until: number | null }[] = [];
    for (const { pin, feed, pause } of specs) {
      wait(pause);
      const until = typeof pin === "number" ? instance.now() + pin : null;
      const pinned = pin === "none" ? undefined : { show_in_main_feed: true, until };
      const { id } = await write({ show_in_feed: feed, ...(pinned && { pinned }) });
      written.push({ id, feed, at: instance.now(), until: pin === "none" ? 0 : until });
    }
    return written;
  };

  it("starts with pinned posts, in both directions, also while pins end", async () => {
    const { instance, ids } = newsroom();
    const property = fc.asyncProperty(fc.array(drawn, { minLength: 3, maxLength: 9 }), walks, async (specs, walk) => {
      const written = await publish(specs);
      const reader = await instance.as(ids.member);
      const ordered = () => {
        const now = instance.now();
        const isPinned = ({ until }: (typeof written)[number]) => (until === null || until > now ? 1 : 0);
        return written
          .filter(({ feed }) => feed)
          .toSorted((a, b) => isPinned(b) - isPinned(a) || b.at - a.at || b.id - a.id)
          .map(({ id }) => id);
      };
      const expected = ordered();
      expect(await pages(reader, walk)).toEqual({ forth: expected, back: expected.toReversed() });
      const { data } = await reader.call(posts.list, { show_in_feed: true, limit: 100 });
      expect(idsOf(data)).toEqual(ordered());
    });
    await fc.assert(property, { numRuns: tries(environment.database === "sqlite" ? 25 : 8) });
  });

  /** All IDs of the feed, page by page to the end and back to the beginning, with a pause before each page. */
  async function pages(
    reader: Caller,
    { limit, sort, pauses }: typeof walks extends fc.Arbitrary<infer T> ? T : never,
  ) {
    let turn = 0;
    const read = async (cursor?: string) => {
      if (cursor !== undefined) wait(pauses[turn++ % pauses.length]);
      return reader.call(posts.list, { show_in_feed: true, limit, sort, ...(cursor && { cursor }) });
    };
    let page = await read();
    const forth = idsOf(page.data);
    while (page.meta.next_cursor !== null) {
      page = await read(page.meta.next_cursor);
      forth.push(...idsOf(page.data));
    }
    const back = idsOf(page.data).toReversed();
    while (page.meta.prev_cursor !== null) {
      page = await read(page.meta.prev_cursor);
      back.push(...idsOf(page.data).toReversed());
    }
    return { forth, back };
  }

  it("is the only list that is sorted by pins", async () => {
    const { instance, ids } = newsroom();
    const [pinned, hidden, plain] = await publish([
      { pin: 100, feed: true, pause: 0 },
      { pin: 100, feed: false, pause: 1 },
      { pin: "none", feed: true, pause: 1 },
    ]);
    const reader = await instance.as(ids.member);
    const list = async (input: object) => idsOf((await reader.call(posts.list, input)).data);
    expect(await list({})).toEqual([plain!.id, hidden!.id, pinned!.id]);
    expect(await list({ show_in_feed: true })).toEqual([pinned!.id, plain!.id]);
    expect(await list({ show_in_feed: false })).toEqual([hidden!.id]);
    expect(await list({ show_in_feed: true, pinned: false })).toEqual([plain!.id]);
    wait(100);
    expect(await list({ show_in_feed: true })).toEqual([plain!.id, pinned!.id]);
  });

  it("of a unit or group starts with all its pinned posts, the main feed with those pinned there", async () => {
    const { instance, units, write, actors } = newsroom();
    await instance.database.write((tx) => tx.deleteFrom("posts").execute());
    const { id: group } = await actors.administrator.call(groups.create, { name: "Sailing" });
    const visibility = { units_falldown: [units.root] };
    const debate = { content_type: "debate" as const, group };
    const own = await write({ unit: units.north, visibility, pinned: { until: null } });
    const main = await write({ unit: units.north, visibility, pinned: { show_in_main_feed: true } });
    const inGroup = await write({ ...debate, pinned: { show_in_main_feed: false } });
    wait(1);
    const plain = await write({ unit: units.north, visibility });
    const chat = await write(debate);
    const feed = async (input: object) =>
      idsOf((await actors.administrator.call(posts.list, { show_in_feed: true, ...input })).data);
    expect(await feed({})).toEqual([main.id, chat.id, plain.id, inGroup.id, own.id]);
    expect(await feed({ unit: units.north })).toEqual([main.id, own.id, plain.id]);
    expect(await feed({ group })).toEqual([inGroup.id, chat.id]);
  });
});

const idsOf = (list: readonly Post[]) => list.map(({ id }) => id);
