import { beforeAll, describe, expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Schema } from "../../src/store/schema/schema.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";

/** Two portions and a rest. */
const count = 8001;

describe("changes of the marks of thousands of users", () => {
  const world = useWorld(sqliteLocal);
  const people = Array.from({ length: count }, (_, n) => 300_000 + n);

  beforeAll(async () => {
    const at = { created_at: 0, updated_at: 0 };
    const named = (id: number) => ({ id, first_name: "Reader", last_name: `${id}`, deleted_at: 1, active: 0 as const });
    await insert(
      "users",
      people.map((id) => ({ ...named(id), ...at })),
    );
  });

  const insert = (table: keyof Schema, rows: Parameters<typeof insertRows>[2]) =>
    world().instance.database.write((tx) => insertRows(tx, table, rows));
  /** Makes the users active, or deleted ones again. */
  const setPresent = (present: boolean) =>
    world().instance.database.write((tx) =>
      tx
        .updateTable("users")
        .set({ active: present ? 1 : 0, deleted_at: present ? null : 1 })
        .where("id", ">=", people[0]!)
        .execute(),
    );
  const remove = (id: number) => world().actors.administrator.call(posts.delete, { id });
  const newPost = async () => {
    const poll = { question: "Soup?", choices: [{ title: "Yes" }, { title: "No" }] };
    const post = { content_type: "news", title: "Soup", body: "", unit: 1, poll } as const;
    return (await world().actors.administrator.call(posts.create, post)).id;
  };

  it("posts.create counts the readers for a confirmation, and lets other requests run meanwhile", async () => {
    const { actors, instance } = world();
    await setPresent(true);
    const users = instance.database.reader.selectFrom("users").select("id").where("active", "=", 1);
    const visibility = { all_units: true };
    const post = {
      content_type: "news",
      title: "Soup",
      body: "",
      unit: 1,
      visibility,
      confirm: { enabled: true },
    } as const;
    const created = actors.administrator.call(posts.create, post);
    expect(await turnsDuring(created)).toBeGreaterThan(2);
    const { id, confirm } = await created;
    expect(confirm.total).toBe((await users.execute()).length);
    await setPresent(false);
    await remove(id);
  });

  it("posts.republish makes a post unseen for all, and lets other requests run meanwhile", async () => {
    const { actors, ids, instance } = world();
    const post = await newPost();
    const other = await newPost();
    await insert(
      "post_marks",
      people.map((user_id) => ({ post_id: post, user_id, seen_at: 5 })),
    );
    await insert(
      "post_mentions",
      people.map((user_id) => ({ post_id: post, user_id, seen: 1 })),
    );
    await actors.member.call(posts.seen, { id: other });
    expect(await turnsDuring(actors.administrator.call(posts.republish, { id: post }))).toBeGreaterThan(4);
    const { reader } = instance.database;
    const seen = reader.selectFrom("post_marks").select(["post_id", "user_id"]).where("seen_at", "is not", null);
    // Authors have seen their posts.
    expect(await seen.orderBy("post_id").orderBy("user_id").execute()).toEqual([
      { post_id: post, user_id: ids.administrator },
      { post_id: other, user_id: ids.administrator },
      { post_id: other, user_id: ids.member },
    ]);
    const mentions = reader.selectFrom("post_mentions").select("user_id").where("seen", "=", 1);
    expect(await mentions.execute()).toEqual([]);
    for (const id of [post, other]) await remove(id);
  });

  it("posts.delete removes everything that users added, and nothing of other posts", async () => {
    const { actors, instance } = world();
    const kept = await newPost();
    await actors.member.call(posts.like, { id: kept });
    await actors.member.call(posts.commentAdd, { id: kept, body: "Hot" });
    const post = await newPost();
    const { id: root } = await actors.member.call(posts.commentAdd, { id: post, body: "Cold" });
    await insert(
      "comments",
      people.map((author_id) => ({ post_id: post, parent_id: root, author_id, body: "", created_at: 1 })),
    );
    await insert(
      "post_marks",
      people.map((user_id) => ({ post_id: post, user_id, liked_at: 5 })),
    );
    await insert(
      "post_mentions",
      people.map((user_id) => ({ post_id: post, user_id, seen: 0 })),
    );
    const { reader } = instance.database;
    const choice = await reader
      .selectFrom("poll_choices")
      .select(["id", "poll_id"])
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    await insert(
      "poll_votes",
      people.map((user_id) => ({ poll_id: choice.poll_id, choice_id: choice.id, user_id })),
    );
    expect(await turnsDuring(remove(post))).toBeGreaterThan(8);
    const left = async (table: "post_marks" | "comments" | "post_mentions" | "polls") =>
      (await reader.selectFrom(table).select("post_id").execute()).map((row) => row.post_id);
    expect([await left("post_marks"), await left("comments"), await left("polls")]).toEqual([
      [kept, kept],
      [kept],
      [kept],
    ]);
    expect([await left("post_mentions"), await reader.selectFrom("poll_votes").selectAll().execute()]).toEqual([
      [],
      [],
    ]);
  });

  it("events.delete removes all answers", async () => {
    const { actors, instance } = world();
    const event = { title: "Meeting", type: "chain", start: 2e9, end: 2e9 + 60 } as const;
    const { id } = await actors.administrator.call(events.create, event);
    await insert(
      "event_marks",
      people.map((user_id) => ({ event_id: id, user_id, answer: "accepted", answered_at: 1 })),
    );
    expect(await turnsDuring(actors.administrator.call(events.delete, { id }))).toBeGreaterThan(2);
    expect(await instance.database.reader.selectFrom("event_marks").selectAll().execute()).toEqual([]);
  });

  describe("groups.delete", () => {
    const newGroup = async () => {
      const { id } = await world().actors.administrator.call(groups.create, { name: "All", privacy: "public" });
      await insert(
        "group_members",
        people.map((user_id) => ({ group_id: id, user_id, created_at: 1 })),
      );
      return id;
    };
    const deleteGroup = (id: number) => turnsDuring(world().actors.administrator.call(groups.delete, { id }));

    it("changes all members", async () => {
      expect(await deleteGroup(await newGroup())).toBeGreaterThan(2);
      const { reader } = world().instance.database;
      expect(await reader.selectFrom("group_members").selectAll().execute()).toEqual([]);
      const changed = reader.selectFrom("users").select("id").where("id", ">=", people[0]!).where("updated_at", ">", 0);
      expect(await changed.execute()).toHaveLength(count);
    });

    it("writes an event for each member, and lets other requests run meanwhile", async () => {
      const { actors, instance } = world();
      await actors.administrator.call(webhooks.events, {});
      await setPresent(true);
      expect(await deleteGroup(await newGroup())).toBeGreaterThan(16);
      await setPresent(false);
      const { reader } = instance.database;
      const events = reader.selectFrom("webhook_events").select("user_id").where("user_id", ">=", people[0]!);
      expect(await events.execute()).toHaveLength(count);
    });
  });

  describe("users.delete lets other requests run while it", () => {
    const newUser = async () => (await world().addUser()).id;
    const deleteUser = (id: number) => turnsDuring(world().actors.administrator.call(users.delete, { id }));

    it("removes the addresses from audit entries", async () => {
      const id = await newUser();
      const entry = { actor_id: id, operation: "posts.create", path: "/posts", fields: "[]", address: "192.0.2.1" };
      await insert(
        "audit_entries",
        people.map((created_at) => ({ ...entry, created_at })),
      );
      expect(await deleteUser(id)).toBeGreaterThan(3);
      const entries = world().instance.database.reader.selectFrom("audit_entries").select("address");
      expect(await entries.where("actor_id", "=", id).where("address", "is not", null).execute()).toEqual([]);
    });

    it("removes RSVPs", async () => {
      const { actors, instance } = world();
      const id = await newUser();
      const first = { title: "Meeting", type: "chain", start: 2e9, end: 2e9 + 60 } as const;
      const event = await actors.administrator.call(events.create, first);
      const row = await instance.database.reader
        .selectFrom("events")
        .selectAll()
        .where("id", "=", event.id)
        .executeTakeFirstOrThrow();
      await insert(
        "events",
        people.map((n) => ({ ...row, id: n, uid: `${n}`, accepted_count: 1 })),
      );
      await insert(
        "event_marks",
        people.map((event_id) => ({ event_id, user_id: id, answer: "accepted", answered_at: 1 })),
      );
      expect(await deleteUser(id)).toBeGreaterThan(3);
      const { reader } = instance.database;
      expect(await reader.selectFrom("event_marks").selectAll().where("user_id", "=", id).execute()).toEqual([]);
      expect(await reader.selectFrom("events").select("id").where("accepted_count", ">", 0).execute()).toEqual([]);
      await instance.database.write((tx) => tx.deleteFrom("events").where("id", ">=", people[0]!).execute());
    });

    it("removes personal events, except those that are shared", async () => {
      const { actors, instance, ids } = world();
      const id = await newUser();
      const user = await instance.as(id);
      const event = {
        title: "Dentist",
        start: 2e9,
        end: 2e9 + 60,
        recurrence: [{ freq: "weekly" as const, count: 3 }],
      };
      for (let n = 0; n < 21; n += 1) await user.call(events.create, { ...event, type: "user" });
      const shared = await user.call(events.create, { ...event, type: "user", shares: [ids.member] });
      expect(await deleteUser(id)).toBeGreaterThan(3);
      const own = instance.database.reader
        .selectFrom("events as e")
        .innerJoin("audiences as a", "a.id", "e.audience_id")
        .select("e.id");
      expect(await own.where("a.author_id", "=", id).execute()).toEqual([{ id: shared.id }]);
      expect((await actors.member.call(events.get, { id: shared.id })).dates).toHaveLength(3);
    });
  });
});

describe("changes of thousands of users", () => {
  const world = useWorld(sqliteLocal);
  const people = Array.from({ length: count }, (_, n) => ({
    reference: `many-${n}`,
    first_name: "Member",
    last_name: `${n}`,
    email: `many${n}@example.com`,
    unit: "yard",
    provider: "hr",
  }));
  const inBoth = 10;

  beforeAll(async () => {
    const { administrator } = world().actors;
    for (let at = 0; at < count; at += 1000) {
      await administrator.call(users.import, { rows: people.slice(at, at + 1000) });
    }
    const { data } = await administrator.call(users.list, { unit: world().units.yard, limit: inBoth });
    for (const { id } of data) await administrator.call(users.membershipAdd, { user: id, unit: world().units.south });
  });

  it("units.delete moves the members to the receiving unit, and lets other requests run meanwhile", async () => {
    const { actors, units: places } = world();
    const deleted = actors.administrator.call(units.delete, { id: places.yard, transfer: places.south });
    // Marking them takes three turns.
    expect(await turnsDuring(deleted)).toBeGreaterThan(7);
    await deleted;
    const { data } = await actors.administrator.call(users.list, { provider: "hr", limit: 1 });
    expect(data).toMatchObject([{ memberUnits: [{ unit: { id: places.south } }] }]);
  });

  it("users.deactivateMissing deactivates all, and lets other requests run meanwhile", async () => {
    const { administrator } = world().actors;
    const scope = { provider: "hr", present: [], max_removals: "100%" };
    // Loads what takes turns, too.
    await administrator.call(users.deactivateMissing, scope, { dryRun: true });
    const ended = administrator.call(users.deactivateMissing, scope);
    expect(await turnsDuring(ended)).toBeGreaterThan(4);
    expect(await ended).toMatchObject({ active: count, deactivated: count });
    expect((await administrator.call(users.list, { provider: "hr" })).data).toEqual([]);
  });
});
