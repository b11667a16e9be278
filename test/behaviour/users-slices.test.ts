import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";

describe("users.list of a unit with thousands of members", () => {
  const world = useWorld(sqliteLocal);

  it("has pages in both directions, and lets other requests run meanwhile", async () => {
    const { addUnit, instance, actors, ids: people } = world();
    const unit = await addUnit();
    // Others could have all the IDs before.
    const ids = Array.from({ length: 5001 }, (_, n) => 100_000 + n);
    const at = { created_at: 0, updated_at: 0 };
    await instance.database.write(async (tx) => {
      await insertRows(
        tx,
        "users",
        ids.map((id) => ({ id, first_name: "Many", last_name: `Member ${id}`, unit_id: unit.id, ...at })),
      );
      const memberships = [people.member, ...ids].map((id) => ({ user_id: id, unit_id: unit.id }));
      await insertRows(tx, "memberships", memberships);
    });
    const list = (cursor?: string | null) =>
      actors.member.call(users.list, { unit: unit.id, limit: 1, ...(cursor && { cursor }) });
    const first = await list();
    const listing = list(first.meta.next_cursor);
    expect(await turnsDuring(listing)).toBeGreaterThan(4);
    const second = await listing;
    const back = await list(second.meta.prev_cursor);
    expect([first, second, back].map(({ data }) => data.map(({ id }) => id))).toEqual([
      [people.member],
      [100_000],
      [people.member],
    ]);
    expect([first, back].map(({ meta }) => meta.prev_cursor)).toEqual([null, null]);
    await instance.database.write(async (tx) => {
      await tx.deleteFrom("memberships").where("unit_id", "=", unit.id).execute();
      await tx.deleteFrom("users").where("unit_id", "=", unit.id).execute();
    });
  });
});

describe("users.search by words that thousands of users have", () => {
  const world = useWorld(sqliteLocal);
  const firstId = 200_000;
  const hulls = 3000;
  const count = 6200;

  beforeAll(async () => {
    const at = { created_at: 0, updated_at: 0 };
    const ids = Array.from({ length: count }, (_, n) => firstId + n);
    // The last user with the word "hull" also has the word "deckhand".
    const wordOf = (id: number) => (id < firstId + hulls ? "hull" : "deck");
    await world().instance.database.write(async (tx) => {
      await insertRows(
        tx,
        "users",
        ids.map((id) => ({ id, first_name: wordOf(id), last_name: `${id}`, ...at })),
      );
      await insertRows(tx, "user_words", [
        ...ids.map((id) => ({ kind: 0, word: wordOf(id), user_id: id })),
        ...[firstId + hulls - 1, firstId + count - 1].map((user_id) => ({ kind: 1, word: "deckhand", user_id })),
        { kind: 0, word: "hulls", user_id: firstId },
      ]);
    });
  });

  afterAll(() =>
    world().instance.database.write(async (tx) => {
      await tx.deleteFrom("user_words").where("user_id", ">=", firstId).execute();
      await tx.deleteFrom("users").where("id", ">=", firstId).execute();
    }),
  );

  const search = async (q: string, limit = 500) =>
    (await world().actors.member.call(users.search, { q, limit })).data.map(({ id }) => id);

  it("finds a user behind the first slice, and lets other requests run meanwhile", async () => {
    const searching = search("hull deck");
    expect(await turnsDuring(searching)).toBeGreaterThan(2);
    expect(await searching).toEqual([firstId + hulls - 1]);
    expect(await search("hull deckhand")).toEqual([firstId + hulls - 1]);
    // A rare word starts the search.
    const quick = search("hull zebu");
    expect(await turnsDuring(quick)).toBeLessThan(3);
    expect(await quick).toEqual([]);
  });

  it("returns the requested number of users, each once", async () => {
    const all = Array.from({ length: hulls }, (_, n) => firstId + n);
    expect(await search("hull")).toEqual(all.slice(0, 500));
    expect(await search("hulls")).toEqual([firstId]);
    expect(await search("deckh", 1)).toEqual([firstId + hulls - 1]);
    expect(new Set(await search("hul deck h"))).toEqual(new Set([firstId + hulls - 1]));
  });
});

describe("imports of changes", () => {
  const world = useWorld(sqliteLocal);

  it("users.import and units.import let other requests run between the rows", async () => {
    const { administrator } = world().actors;
    const numbers = (length: number) => Array.from({ length }, (_, n) => n);
    const usersNamed = (last_name: string) => ({
      rows: numbers(1000).map((n) => ({ first_name: "A", last_name, email: `row${n}@example.com`, unit: "root" })),
    });
    const unitsNamed = (name: string) => ({ rows: numbers(30).map((n) => ({ reference: `row-${n}`, name })) });
    await administrator.call(users.import, usersNamed("Before"));
    await administrator.call(units.import, unitsNamed("Before"));
    expect(await turnsDuring(administrator.call(users.import, usersNamed("After")))).toBeGreaterThan(15);
    expect(await turnsDuring(administrator.call(units.import, unitsNamed("After")))).toBeGreaterThan(30);
  });
});
