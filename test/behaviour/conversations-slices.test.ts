import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { peopleKey } from "../../src/core/conversations/recipients.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";

describe("conversations.list by a keyword, of a user with thousands of conversations", () => {
  const world = useWorld(sqliteLocal);
  const first = 1000;
  const count = 4200;

  beforeAll(async () => {
    const { instance, ids } = world();
    const all = Array.from({ length: count }, (_, n) => first + n);
    const people = [ids.member, ids.colleague];
    // One old conversation is found by its title, one by its second participant, all by "talk".
    const titleOf = (id: number) => `talk ${id === first + 1 ? "anchor" : id}`;
    const othersOf = (id: number) => (id === first + 2 ? [ids.member, ids.outsider] : people);
    await instance.database.write(async (tx) => {
      await insertRows(
        tx,
        "conversations",
        all.map((id) => {
          const people_key = peopleKey(othersOf(id));
          const texts = { title: titleOf(id), title_key: ` ${titleOf(id).replace(" ", "  ")}` };
          return { id, type: "group" as const, ...texts, people_key, last_position: 1, created_at: 1, updated_at: 1 };
        }),
      );
      const message = { position: 1, author_id: ids.member, message: "Hello", created_at: 1 };
      const messages = all.map((id) => ({ id: id * 2, conversation_id: id, type: "normal" as const, ...message }));
      await insertRows(tx, "messages", messages);
      await insertRows(
        tx,
        "conversation_participants",
        all.flatMap((id) =>
          othersOf(id).map((user_id) => ({
            ...{ conversation_id: id, user_id, latest_message_id: id * 2 },
            ...{ joined_position: 0, seen_position: 1, unread_count: 0 },
          })),
        ),
      );
    });
  });

  afterAll(() =>
    world().instance.database.write(async (tx) => {
      await tx.deleteFrom("conversation_participants").where("conversation_id", ">=", first).execute();
      await tx.deleteFrom("messages").where("conversation_id", ">=", first).execute();
      await tx.deleteFrom("conversations").where("id", ">=", first).execute();
    }),
  );

  const list = async (keyword: string, more: object = {}) => {
    const { data, meta } = await world().actors.member.call(conversations.list, { keyword, ...more });
    return { ids: data.map(({ id }) => id), total: meta.total };
  };

  it("finds an old conversation, and lets other requests run meanwhile", async () => {
    // Loads what the search needs.
    expect(await list("zebra")).toEqual({ ids: [], total: 0 });
    const searching = list("anchor");
    expect(await turnsDuring(searching)).toBeGreaterThan(2);
    expect(await searching).toEqual({ ids: [first + 1], total: 1 });
    expect((await list("outs")).ids).toEqual([first + 2]);
  });

  it("counts 1,000 after the page, and pages follow each other", async () => {
    const page = (from: number, limit: number) => Array.from({ length: limit }, (_, n) => first + count - 1 - from - n);
    expect(await list("talk", { limit: 3 })).toEqual({ ids: page(0, 3), total: 1003 });
    expect(await list("talk", { limit: 100, page: 22 })).toEqual({ ids: page(2100, 100), total: 3200 });
    expect(await list("talk", { limit: 100, page: 42 })).toEqual({ ids: page(4100, 100), total: count });
    expect(await list("talk", { limit: 100, page: 43 })).toEqual({ ids: [], total: count });
  });

  it("finds the conversations with given participants, or all others", async () => {
    const { outsider } = world().ids;
    expect((await list("talk", { participants: [outsider] })).ids).toEqual([first + 2]);
    expect((await list("anchor", { participants: [outsider] })).ids).toEqual([]);
    const others = await list("talk", { participants: [outsider], participants_mode: "exclude", page: 42, limit: 100 });
    expect(others).toEqual({ ids: expect.not.arrayContaining([first + 2]), total: count - 1 });
  });
});

describe("conversations.list of a user in many large groups", () => {
  const world = useWorld(sqliteLocal);
  const groups = Array.from({ length: 30 }, (_, n) => 1000 + n);
  const people = Array.from({ length: 400 }, (_, n) => 400_000 + n);

  beforeAll(() =>
    world().instance.database.write(async (tx) => {
      const at = { created_at: 1, updated_at: 1 };
      const named = (id: number) => ({ id, first_name: "Guest", last_name: `${id}`, active: 1 as const });
      await insertRows(
        tx,
        "users",
        people.map((id) => ({ ...named(id), ...at })),
      );
      const group = (id: number) => ({ id, type: "group" as const, title: `Group ${id}`, people_key: `${id}` });
      await insertRows(
        tx,
        "conversations",
        groups.map((id) => ({ ...group(id), title_key: ` group ${id}`, last_position: 1, ...at })),
      );
      const message = { position: 1, author_id: people[0]!, message: "Hello", created_at: 1 };
      const messages = groups.map((id) => ({ id: id * 2, conversation_id: id, type: "normal" as const, ...message }));
      await insertRows(tx, "messages", messages);
      const inGroup = (id: number) => ({ conversation_id: id, latest_message_id: id * 2, joined_position: 0 });
      const rows = groups.flatMap((id) =>
        [world().ids.member, ...people].map((user_id) => ({
          ...inGroup(id),
          user_id,
          seen_position: 1,
          unread_count: 0,
        })),
      );
      await insertRows(tx, "conversation_participants", rows);
    }),
  );

  afterAll(() =>
    world().instance.database.write(async (tx) => {
      await tx.deleteFrom("conversation_participants").where("conversation_id", ">=", groups[0]!).execute();
      await tx.deleteFrom("messages").where("conversation_id", ">=", groups[0]!).execute();
      await tx.deleteFrom("conversations").where("id", ">=", groups[0]!).execute();
      await tx.deleteFrom("users").where("id", ">=", people[0]!).execute();
    }),
  );

  it("lets other requests run between some of them, and has all participants", async () => {
    const list = () => world().actors.member.call(conversations.list, { limit: 30 });
    // Loads what the list needs.
    await world().actors.member.call(conversations.list, { limit: 1 });
    const listing = list();
    expect(await turnsDuring(listing)).toBeGreaterThan(4);
    const { data } = await listing;
    expect(data.map(({ id }) => id)).toEqual(groups.toReversed());
    const expected = [world().ids.member, ...people].toSorted((a, b) => a - b);
    for (const { participants, latest_message } of data) {
      expect(participants.map(({ id }) => id)).toEqual(expected);
      expect(latest_message?.author.name).toBe(`Guest ${people[0]}`);
    }
  });
});
