import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InputOf } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { tries } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import {
  type Drawn,
  drawn,
  mayEdit,
  mayRead,
  newSociety,
  type Person,
  pick,
  type Society,
  type Written,
  write,
} from "../support/random-posts.ts";
import { mistakes } from "../support/tables.ts";

type Filter = Partial<Omit<InputOf<typeof posts.list>, "limit" | "cursor" | "sort">>;

const some = fc.nat(11);
const fields = {
  content_type: fc.constantFrom("news" as const, "debate" as const, "event" as const),
  unit: some,
  group: fc.nat(1),
  author: some,
  status: fc.constantFrom("draft" as const, "scheduled" as const, "unpublished" as const),
  bookmarked: fc.boolean(),
  unseen: fc.boolean(),
  important: fc.boolean(),
  show_in_feed: fc.boolean(),
  pinned: fc.boolean(),
  since: fc.nat(3),
};
const names = Object.keys(fields) as (keyof typeof fields)[];
// Two filters at most, or hardly any post would match.
const filters = fc.record({
  ...fields,
  named: fc.subarray(names, { maxLength: 2 }),
  limit: fc.integer({ min: 1, max: 5 }),
  reader: some,
});
type FilterDrawn = typeof filters extends fc.Arbitrary<infer T> ? T : never;

for (const database of ["sqlite", "postgres"] as const) {
  describe(`the readers of posts (${database})`, () => {
    let instance: Instance;
    let society: Society;
    beforeAll(async () => {
      instance = await newInstance({ database, caller: "local" });
      instance.freeze();
      society = await newSociety(instance);
    });
    afterAll(() => instance.close());

    /** Writes these posts, and no others. */
    const publish = async (specs: readonly Drawn[]) => {
      await instance.database.write(async (tx) => {
        await tx.deleteFrom("posts").execute();
      });
      const written: Written[] = [];
      for (const spec of specs) written.push(await write(society, spec));
      return written;
    };

    it("posts.get returns a post exactly to the readers of the rule, with the permission to edit", async () => {
      const property = fc.asyncProperty(fc.array(drawn, { minLength: 3, maxLength: 8 }), async (specs) => {
        for (const post of await publish(specs)) {
          for (const person of society.people) {
            const code = await codeOf(person.caller.call(posts.get, { id: post.id }));
            expect([person.id, code]).toEqual([person.id, mayRead(society, person, post) ? "ok" : "not_found"]);
            if (code !== "ok") continue;
            const { permissions } = await person.caller.call(posts.get, { id: post.id });
            expect(permissions.edit).toBe(mayEdit(society, person, post));
          }
        }
        expect(await mistakes(instance.database)).toEqual([]);
      });
      await fc.assert(property, { numRuns: tries(database === "sqlite" ? 20 : 4) });
    });

    it("posts.list returns the posts that posts.get returns and the filter matches, newest first, in both directions", async () => {
      const property = fc.asyncProperty(
        fc.array(drawn, { minLength: 5, maxLength: 14 }),
        fc.array(filters, { minLength: 6, maxLength: 6 }),
        async (specs, wanted) => {
          const written = await publish(specs);
          for (const each of wanted) {
            const person = pick(society.people, each.reader);
            const filter = filterOf(society, each);
            const expected = written
              .filter((post) => mayRead(society, person, post) && matches(society, { person, post, filter }))
              .sort((a, b) => first(filter, b) - first(filter, a) || b.at - a.at || b.id - a.id)
              .map((post) => post.id);
            expect(await walk(person, filter, each.limit)).toEqual({ forth: expected, back: [...expected].reverse() });
          }
        },
      );
      await fc.assert(property, { numRuns: tries(database === "sqlite" ? 25 : 5) });
    });
  });
}

function filterOf(society: Society, { named, ...drawn }: FilterDrawn): Filter {
  const all = {
    ...drawn,
    unit: pick(society.units, drawn.unit),
    group: pick(society.groups, drawn.group),
    author: pick(society.people, drawn.author).id,
    since: society.instance.now() - drawn.since,
  };
  return Object.fromEntries(named.map((name) => [name, all[name]]));
}

/** The feed starts with posts that are pinned there; that of a unit or group with all its pinned posts. */
const first = ({ show_in_feed, unit, group }: Filter, { pin }: Written) =>
  show_in_feed && (pin === "on" || (pin === "own" && (unit ?? group) !== undefined)) ? 1 : 0;

/** Returns true when the post matches the filter. */
function matches(
  society: Society,
  { person, post, filter }: { person: Person; post: Written; filter: Filter },
): boolean {
  const marked = (list: readonly number[]) => list.some((index) => pick(society.people, index).id === person.id);
  const group = post.group === null ? undefined : pick(society.groups, post.group);
  const is: Record<keyof Filter, unknown> = {
    content_type: post.kind,
    unit: post.ownerId,
    group,
    author: post.authorId,
    status: post.state,
    bookmarked: marked(post.bookmarked),
    unseen: !marked(post.seen),
    important: post.important,
    show_in_feed: post.feed,
    pinned: post.pin === "on" || post.pin === "own",
    since: undefined,
  };
  const { since, ...equal } = { status: "published" as const, ...filter };
  if (since !== undefined && post.at < since) return false;
  return Object.entries(equal).every(([name, value]) => is[name as keyof Filter] === value);
}

/** All IDs, page by page to the end, and then back to the beginning. */
async function walk({ caller }: Person, filter: Filter, limit: number) {
  const forth: number[] = [];
  const back: number[] = [];
  let page = await caller.call(posts.list, { ...filter, limit });
  forth.push(...page.data.map((post) => post.id));
  while (page.meta.next_cursor !== null) {
    page = await caller.call(posts.list, { ...filter, limit, cursor: page.meta.next_cursor });
    forth.push(...page.data.map((post) => post.id));
  }
  back.push(...page.data.map((post) => post.id).reverse());
  while (page.meta.prev_cursor !== null) {
    page = await caller.call(posts.list, { ...filter, limit, cursor: page.meta.prev_cursor });
    back.push(...page.data.map((post) => post.id).reverse());
  }
  return { forth, back };
}
