import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { tries } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { outcome, wrongFields } from "../support/outcome.ts";

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly next_cursor: string | null; readonly prev_cursor: string | null };
}

const idsOf = (page: Page) => page.data.map((item) => item.id);

/** A list, with functions that add an item and remove it. */
interface List {
  page(input: { limit: number; cursor?: string | undefined }): Promise<Page>;
  add(): Promise<number>;
  remove(id: number): Promise<unknown>;
}

/** Steps before each page: the number of new items, and the items to remove. */
const script = fc.record({
  initial: fc.nat(9),
  limit: fc.integer({ min: 1, max: 4 }),
  events: fc.array(fc.record({ add: fc.nat(2), remove: fc.array(fc.nat(20), { maxLength: 2 }) }), { maxLength: 12 }),
});

for (const database of ["sqlite", "postgres"] as const) {
  describe(`pages (${database})`, () => {
    let instance: Instance;
    let count = 0;
    beforeAll(async () => {
      instance = await newInstance({ database, caller: "local" });
    });
    afterAll(() => instance.close());

    const lists: Record<string, () => Promise<List>> = {
      "users.list": async () => {
        const unit = (await instance.administrator.call(units.create, { name: "Own", parent: 1 })).id;
        return {
          page: (input) => instance.administrator.call(users.list, { unit, ...input }),
          add: async () => {
            const person = { first_name: "A", last_name: "B", email: `p${++count}@example.com`, unit };
            return (await instance.administrator.call(users.create, person)).id;
          },
          remove: (id) => instance.administrator.call(users.delete, { id }),
        };
      },
      "units.list": async () => {
        const parent = (await instance.administrator.call(units.create, { name: "Own", parent: 1 })).id;
        return unitsBelow(parent, (input) => instance.administrator.call(units.list, { parent, ...input }));
      },
      "units.tree": async () => {
        const parent = (await instance.administrator.call(units.create, { name: "Own", parent: 1 })).id;
        return unitsBelow(parent, (input) => instance.administrator.call(units.tree, { unit: parent, ...input }));
      },
      "usertypes.list": async () => {
        const { data } = await instance.administrator.call(usertypes.list, { limit: 500 });
        for (const { id } of data) await instance.administrator.call(usertypes.delete, { id });
        return {
          page: (input) => instance.administrator.call(usertypes.list, input),
          add: async () => (await instance.administrator.call(usertypes.create, { name: `Type ${++count}` })).id,
          remove: (id) => instance.administrator.call(usertypes.delete, { id }),
        };
      },
    };
    const unitsBelow = (parent: number, page: List["page"]): List => ({
      page,
      add: async () => (await instance.administrator.call(units.create, { name: `U${++count}`, parent })).id,
      remove: (id) => instance.administrator.call(units.delete, { id }),
    });

    for (const [name, make] of Object.entries(lists)) {
      it(`${name}: both directions return each item that existed throughout once`, async () => {
        const property = fc.asyncProperty(script, async ({ initial, limit, events }) => {
          const list = await make();
          const there: number[] = [];
          for (let n = 0; n < initial; n++) there.push(await list.add());
          const happen = async (at: number) => {
            const { add = 0, remove = [] } = events[at] ?? {};
            for (let n = 0; n < add; n++) there.push(await list.add());
            for (const index of there.length > 0 ? remove : []) {
              const [id] = there.splice(index % there.length, 1);
              if (id !== undefined) await list.remove(id);
            }
          };
          let step = 0;
          const walk = async (direction: "next_cursor" | "prev_cursor", from?: string) => {
            const pages: Page[] = [];
            for (let cursor: string | null | undefined = from; cursor !== null; step++) {
              await happen(step);
              const page = await list.page({ limit, cursor });
              expect(page.data.length).toBeLessThanOrEqual(limit);
              if (page.data.length > 0) pages.push(page);
              cursor = page.meta[direction];
            }
            const seen = pages.flatMap((page) => idsOf(page));
            expect(new Set(seen).size, "none comes twice").toBe(seen.length);
            return { last: pages.at(-1), seen };
          };
          const atFirst = [...there];
          const forward = await walk("next_cursor");
          const missed = atFirst.filter((id) => there.includes(id) && !forward.seen.includes(id));
          expect(missed, "none is missed").toEqual([]);

          const { last } = forward;
          if (last?.meta.prev_cursor == null) return;
          const end = Math.min(...idsOf(last));
          const before = there.filter((id) => id < end);
          const back = await walk("prev_cursor", last.meta.prev_cursor);
          const missedBack = before.filter((id) => there.includes(id) && !back.seen.includes(id));
          expect(missedBack, "none is missed going back").toEqual([]);
        });
        await fc.assert(property, { numRuns: tries(database === "sqlite" ? 25 : 8) });
      });
    }

    it("pages without filters equal those with a filter that matches everything, in both directions", async () => {
      const people = await lists["users.list"]!();
      const [away, deleted] = [await people.add(), await people.add()];
      for (let more = 0; more < 2; more += 1) await people.add();
      await instance.administrator.call(users.deactivate, { id: away! });
      await people.remove(deleted!);
      await (await lists["units.list"]!()).add();
      const member = await instance.as(await people.add());
      const all = async (page: List["page"]) => {
        const forward: Page[] = [];
        for (let cursor: string | null | undefined; cursor !== null; cursor = forward.at(-1)!.meta.next_cursor)
          forward.push(await page({ limit: 3, cursor }));
        const back: Page[] = [];
        for (let { prev_cursor } = forward.at(-1)!.meta; prev_cursor !== null; prev_cursor = back[0]!.meta.prev_cursor)
          back.unshift(await page({ limit: 3, cursor: prev_cursor }));
        expect(back.map(({ data }) => data)).toEqual(forward.slice(0, -1).map(({ data }) => data));
        expect(forward[0]!.meta.prev_cursor).toBeNull();
        return forward.flatMap(({ data }) => data);
      };
      for (const caller of [instance.administrator, member]) {
        const everyone = await all((input) => caller.call(users.list, { unit: 1, below: true, ...input }));
        expect(everyone.length).toBeGreaterThan(3);
        expect(await all((input) => caller.call(users.list, input))).toEqual(everyone);
        const below = await all((input) => caller.call(units.list, { below: 1, ...input }));
        const [root, ...others] = await all((input) => caller.call(units.list, input));
        expect(root).toMatchObject({ id: 1 });
        expect(others).toEqual(below);
      }
    });

    it("a changed cursor is refused or means the same", async () => {
      const list = await lists["units.list"]!();
      for (let n = 0; n < 3; n++) await list.add();
      const { meta } = await list.page({ limit: 1 });
      const genuine = meta.next_cursor!;
      const expected = await outcome(list.page({ limit: 1, cursor: genuine }));
      const changed = fc
        .tuple(fc.nat(genuine.length - 1), fc.constantFrom(..."ABCxyz019_-=.!"))
        .map(([at, letter]) => `${genuine.slice(0, at)}${letter}${genuine.slice(at + 1)}`);
      const arbitrary = fc.oneof(
        changed,
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.base64String({ maxLength: 60 }),
      );
      const property = fc.asyncProperty(arbitrary, async (cursor) => {
        const result = await outcome(list.page({ limit: 1, cursor }));
        if ("refusal" in result) expect(Object.keys(result.refusal.fields ?? {})).toEqual(["cursor"]);
        else expect(result).toEqual(expected);
      });
      await fc.assert(property, { numRuns: tries(200) });
    });

    it("a cursor of another list is refused", async () => {
      const [one, other] = [await lists["units.list"]!(), await lists["units.list"]!()];
      const [people, tree] = [await lists["users.list"]!(), await lists["units.tree"]!()];
      for (const list of [one, other, people, tree]) for (let n = 0; n < 2; n++) await list.add();
      const cursor = (await one.page({ limit: 1 })).meta.next_cursor!;
      for (const list of [other, people, tree])
        expect(await wrongFields(list.page({ limit: 1, cursor }))).toEqual(["cursor"]);
      const foreign = await newInstance({ database, caller: "local" });
      expect(await wrongFields(foreign.administrator.call(users.list, { cursor }))).toEqual(["cursor"]);
      await foreign.close();
    });
  });
}
