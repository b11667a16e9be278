import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { loadActor } from "../../src/core/pipeline/actor.ts";
import type { Ctx } from "../../src/core/pipeline/context.ts";
import { addAudience, readable, readerOf } from "../../src/core/visibility/audience.ts";
import { mayEditEvent } from "../../src/core/visibility/event-visibility.ts";
import { useWorld } from "../support/actors.ts";
import { tries } from "../support/effort.ts";
import { codeOf } from "../support/outcome.ts";
import { isAddressed, isEditor, type Model, models, type Thing } from "../support/plain-audience.ts";

/** The IDs of the things that a model names by their indexes. */
interface Made {
  readonly units: number[];
  readonly types: number[];
  readonly users: number[];
  readonly groups: number[];
}

for (const database of ["sqlite", "postgres"] as const) {
  describe(`the visibility rule and its restatement (${database})`, () => {
    const world = useWorld({ database, caller: "local" });
    const admin = () => world().actors.administrator;
    let count = 0;

    const make = async (model: Model): Promise<Made> => {
      const made: Made = { units: [], types: [], users: [], groups: [] };
      const unique = () => `${++count}`;
      for (const at of model.parents.keys().toArray().concat(model.parents.length)) {
        const parent = at === 0 ? 1 : made.units[model.parents[at - 1]!]!;
        made.units.push((await admin().call(units.create, { name: unique(), parent })).id);
      }
      for (const granted of model.types) {
        const abilities = Object.fromEntries(granted.map((ability) => [ability, true]));
        made.types.push((await admin().call(usertypes.create, { name: unique(), abilities })).id);
      }
      for (const { admin: isAdmin, memberships } of model.users) {
        const [first, ...others] = memberships.map(({ unit, types }) => ({
          unit: made.units[unit]!,
          userTypes: types.map((type) => made.types[type]!),
        }));
        const { id } = await world().addUser({ ...first, admin: isAdmin });
        for (const other of others) await admin().call(users.membershipAdd, { user: id, ...other });
        made.users.push(id);
      }
      for (const members of model.groups) {
        const { id } = await admin().call(groups.create, { name: unique() });
        for (const user of members) await admin().call(groups.memberAdd, { id, user: made.users[user]! });
        made.groups.push(id);
      }
      return made;
    };
    const idsOf = (made: Made, { units, types, shares }: Thing) => ({
      units: units.map(({ unit, falldown }) => ({ id: made.units[unit]!, falldown })),
      userTypes: types.map((type) => made.types[type]!),
      shares: shares.map((user) => made.users[user]!),
    });

    it("readable and mayEditEvent agree with the restated rule for trees, types, shares, groups, authors and editors", async () => {
      const { database: db } = world().instance;
      await fc.assert(
        fc.asyncProperty(models({ minLength: 5, maxLength: 40 }), async (model) => {
          const made = await make(model);
          const audiences = await db.write(async (tx) => {
            const ids: number[] = [];
            for (const thing of model.things) {
              const ctx = { db: tx, actor: { id: made.users[thing.author]! } } as unknown as Ctx;
              const { everywhere, personal, owner, group } = thing;
              const ownerUnit = owner === null ? null : made.units[owner]!;
              const groupId = group === null ? null : made.groups[group]!;
              ids.push(
                await addAudience(ctx, { ...idsOf(made, thing), everywhere, personal, ownerUnit, group: groupId }),
              );
            }
            return ids;
          });
          for (const [me, id] of made.users.entries()) {
            const { actor } = (await loadActor(db.reader, id))!;
            for (const ability of ["news", "calendar"] as const) {
              const rows = await db.reader
                .selectFrom("audiences as a")
                .leftJoin("units as o", "o.id", "a.owner_unit_id")
                .select(["a.id", "a.author_id", "a.personal", "o.path as owner_path"])
                .select((eb) =>
                  eb
                    .case()
                    .when(readable(db.reader, readerOf(actor, ability)))
                    .then(1)
                    .else(0)
                    .end()
                    .as("reads"),
                )
                .where("a.id", "in", audiences)
                .orderBy("a.id")
                .execute();
              const found = rows.map((row) => Number(row.reads) === 1);
              const edits = model.things.map((thing) => isEditor(model, me, thing, ability));
              expect(found).toEqual(model.things.map((thing, at) => edits[at] || isAddressed(model, me, thing)));
              if (ability === "calendar") expect(rows.map((row) => mayEditEvent(actor, row))).toEqual(edits);
            }
          }
          // Content that belongs to nothing would be inconsistent.
          await db.write((tx) => tx.deleteFrom("audiences").where("id", "in", audiences).execute());
        }),
        { numRuns: tries(15) },
      );
    });

    it("posts and events agree with the restated rule, in get and in list", async () => {
      await fc.assert(
        fc.asyncProperty(models({ minLength: 3, maxLength: 8 }), async (model) => {
          const made = await make(model);
          // Only editors can write them.
          const things = model.things.map((thing) => ({ ...thing, author: -1, owner: thing.owner ?? 0, group: null }));
          const written = await write(admin(), made, things);
          for (const [me, id] of made.users.entries()) {
            const caller = await world().instance.as(id);
            const listed = (await caller.call(posts.list, { limit: 500 })).data.map((post) => post.id);
            const hits = (await caller.call(events.list, { limit: 500 })).hits.map((event) => event.id);
            for (const [at, thing] of things.entries()) {
              const { post, event } = written[at]!;
              const shared = { ...thing, personal: false };
              const mayPost = isAddressed(model, me, shared) || isEditor(model, me, shared, "news");
              const mayEvent = isAddressed(model, me, event.as) || isEditor(model, me, event.as, "calendar");
              const says = (may: boolean) => (may ? "ok" : "not_found");
              expect(
                [await codeOf(caller.call(posts.get, { id: post })), listed.includes(post)],
                `post ${at} for ${me}`,
              ).toEqual([says(mayPost), mayPost]);
              expect(
                [await codeOf(caller.call(events.get, { id: event.id })), hits.includes(event.id)],
                `event ${at} for ${me}`,
              ).toEqual([says(mayEvent), mayEvent]);
            }
          }
        }),
        { numRuns: tries(6) },
      );
    });

    it("posts.readers agrees with the restated rule, and its parts are together those that confirm.total counts", async () => {
      const mark = fc.constantFrom("seen", "read", "none");
      const reader = fc.record({ mark, leaves: fc.boolean() });
      const readers = fc.array(reader, { minLength: 5, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(models({ minLength: 1, maxLength: 4 }), readers, async (model, readers) => {
          const made = await make(model);
          const things = model.things.map((thing) => ({ ...thing, author: -1, owner: thing.owner ?? 0, group: null }));
          const written = (await write(admin(), made, things)).map(({ post }) => post);
          for (const [me, { mark, leaves }] of readers.entries()) {
            const caller = await world().instance.as(made.users[me]!);
            // Administrators and editors can also mark what is not addressed to them.
            for (const id of mark === "none" ? [] : written) await codeOf(caller.call(posts[mark as "seen"], { id }));
            if (leaves) await admin().call(users.deactivate, { id: made.users[me]! });
          }
          const ordinary = { ...model, users: model.users.map((user) => ({ ...user, admin: false })) };
          for (const [at, id] of written.entries()) {
            await admin().call(posts.update, { id, confirm: { enabled: true } });
            const { confirm } = await admin().call(posts.get, { id });
            const list = async (filter: Partial<ArgumentsOf<typeof posts.readers>> = {}) =>
              (await admin().call(posts.readers, { id, limit: 500, ...filter })).data.map(({ user }) => user.id);
            const all = await list();
            expect(all).toHaveLength(confirm.total);
            const addressed = made.users.filter(
              (_, me) => !readers[me]!.leaves && isAddressed(ordinary, me, { ...things[at]!, personal: false }),
            );
            expect(all.filter((user) => made.users.includes(user))).toEqual(addressed);
            // Authors have seen their posts; the database has other users, too.
            const markOf = (user: number) => (user === 1 ? "seen" : readers[made.users.indexOf(user)]?.mark);
            const split = (...marks: unknown[]) =>
              [true, false].map((has) => all.filter((user) => marks.includes(markOf(user)) === has));
            expect([await list({ status: "confirmed" }), await list({ status: "unconfirmed" })]).toEqual(split("read"));
            expect([await list({ status: "seen" }), await list({ status: "unseen" })]).toEqual(split("read", "seen"));
          }
        }),
        { numRuns: tries(10) },
      );
    });

    /** Each thing as news, which are never personal, and as an event of one of the three types. */
    const write = async (by: Caller, made: Made, things: readonly (Thing & { owner: number })[]) => {
      const written: { post: number; event: { id: number; as: Thing } }[] = [];
      for (const thing of things) {
        const { units: places, userTypes, shares } = idsOf(made, thing);
        const owner = made.units[thing.owner]!;
        const named = (falldown: boolean) => places.filter((each) => each.falldown === falldown).map((each) => each.id);
        const visibility = { all_units: thing.everywhere, units: named(false), units_falldown: named(true), userTypes };
        const news = { content_type: "news" as const, title: "N", unit: owner, visibility, sharing: { shares } };
        const post = await by.call(posts.create, news);
        const event = { title: "E", start: 1_800_000_000, end: 1_800_000_060, shares };
        if (thing.personal) {
          const { id } = await by.call(events.create, { ...event, type: "user" });
          written.push({ post: post.id, event: { id, as: thing } });
        } else if (thing.everywhere) {
          const units = places.map((each) => each.id);
          const { id } = await by.call(events.create, { ...event, type: "chain", units, userTypes });
          // It belongs to the unit of its author, the root; without units it is for that and all below.
          const below = thing.units.map(({ unit }) => ({ unit, falldown: true }));
          const as = { ...thing, owner: null, everywhere: units.length === 0, units: below };
          written.push({ post: post.id, event: { id, as } });
        } else {
          const { id } = await by.call(events.create, { ...event, type: "unit", units: [owner], userTypes });
          const as = { ...thing, units: [{ unit: thing.owner, falldown: false }] };
          written.push({ post: post.id, event: { id, as } });
        }
      }
      return written;
    };
  });
}
