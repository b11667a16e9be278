import { beforeAll, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { counterNames, counters, maxLookedAt } from "../../src/contract/counters.ts";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { wrongFields } from "../support/outcome.ts";

describeEverywhere("counters", (environment) => {
  const world = useWorld(environment);
  let me: Caller;
  let myId: number;
  beforeAll(async () => {
    myId = (await world().addUser()).id;
    me = await world().instance.as(myId);
    world().instance.wait(1);
  });
  const admin = () => world().actors.administrator;
  const count = (caller = me) => caller.call(counters.list, {});
  const reset = async () => {
    for (const type of counterNames) await me.call(counters.reset, { type });
  };
  const none = { groups: 0, events: 0, news: 0, messages: 0 };
  const news = (fields: Partial<ArgumentsOf<typeof posts.create>> = {}, by = admin()) =>
    by.call(posts.create, { content_type: "news", title: "News", visibility: { all_units: true }, ...fields });
  const event = (fields: Partial<ArgumentsOf<typeof events.create>> = {}, by = admin()) =>
    by.call(events.create, {
      title: "Event",
      type: "chain",
      start: world().instance.now(),
      end: world().instance.now() + 60,
      units: [1],
      ...fields,
    });

  /** Inserts copies of a post, with their entries in the feed index. */
  const copy = async (id: number, times: number) => {
    const { database } = world().instance;
    const { reader } = database;
    const { id: _, ...row } = await reader
      .selectFrom("posts")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const places = await reader.selectFrom("post_places").selectAll().where("post_id", "=", id).execute();
    await database.write(async (tx) => {
      const rows = Array.from({ length: times }, () => row);
      const copies = await tx.insertInto("posts").values(rows).returning("id").execute();
      const placed = copies.flatMap((copied) => places.map((each) => ({ ...each, post_id: copied.id })));
      await insertRows(tx, "post_places", placed);
    });
  };
  const removeCopies = (after: number) =>
    world().instance.database.write((tx) => tx.deleteFrom("posts").where("id", ">", after).execute());

  it("counters.list counts what is new to the actor, and not what was seen", async () => {
    expect(await count()).toEqual(none);
    const post = await news();
    const { id } = await event();
    expect(await count()).toEqual({ ...none, news: 1, events: 1 });
    expect(await count(world().actors.outsider)).toMatchObject({ news: 1, events: 1 });
    await me.call(posts.seen, { id: post.id });
    await me.call(events.seen, { id });
    expect(await count()).toEqual(none);
    expect(await count(world().actors.outsider)).toMatchObject({ news: 1, events: 1 });
    await admin().call(posts.republish, { id: post.id });
    expect(await count()).toEqual({ ...none, news: 1 });
    await admin().call(posts.delete, { id: post.id });
    expect(await count()).toEqual(none);
  });

  it("counters.list counts only what the actor may read, and nothing of the actor's own", async () => {
    await reset();
    await news({ visibility: { units: [world().units.south] } });
    await event({ type: "unit", units: [world().units.south] });
    await event({ type: "user", units: [] }, me);
    await me.call(posts.create, { content_type: "debate", title: "Mine" });
    expect(await count()).toEqual(none);
    await event({ type: "user", units: [], shares: [myId] });
    await news({ visibility: { units: [world().units.south] }, sharing: { shares: [myId] } });
    expect(await count()).toEqual({ ...none, events: 1, news: 1 });
  });

  it("counters.list counts a post while it is published", async () => {
    await reset();
    const now = world().instance.now();
    await news({ publish: { status: false } });
    await news({ publish: { publish_on: now + 100, unpublish_on: now + 200 } });
    expect(await count()).toEqual(none);
    world().instance.wait(150);
    expect(await count()).toEqual({ ...none, news: 1 });
    world().instance.wait(100);
    expect(await count()).toEqual(none);
  });

  it("counters.list counts event posts as events, and debates only of the actor's groups", async () => {
    await reset();
    await admin().call(posts.create, {
      content_type: "event",
      title: "Party",
      event: { datetime_start: "2030-06-01T10:00" },
      visibility: { all_units: true },
    });
    expect(await count()).toEqual({ ...none, events: 1 });
    const { id: group } = await admin().call(groups.create, { name: "Talk" });
    const debate = (more: object) => admin().call(posts.create, { content_type: "debate", title: "Debate", ...more });
    await debate({ group });
    await debate({ unit: world().units.harbour });
    expect(await count()).toEqual({ ...none, events: 1 });
    await me.call(groups.memberAdd, { id: group });
    expect(await count()).toEqual({ ...none, events: 1, groups: 1 });
    await me.call(groups.memberRemove, { id: group, user: myId });
    expect(await count()).toEqual({ ...none, events: 1 });
  });

  it("counters.list counts unread messages in conversations that are not archived", async () => {
    await reset();
    const { member, outsider } = world().actors;
    const write = (by: Caller, message: string) => by.call(conversations.create, { recipients: [myId], message });
    const { conversationId: id } = await write(member, "One");
    await write(member, "Two");
    await write(outsider, "Three");
    await me.call(conversations.send, { id, message: "Mine" });
    expect((await count()).messages).toBe((await me.call(conversations.get, { id })).unread_message_count + 1);
    await write(member, "Four");
    const unread = (await me.call(conversations.list, {})).data.reduce(
      (sum, each) => sum + each.unread_message_count,
      0,
    );
    expect((await count()).messages).toBe(unread);
    await me.call(conversations.archive, { id });
    expect((await count()).messages).toBe(1);
    await write(member, "Five");
    expect((await count()).messages).toBe(unread + 1);
    await me.call(conversations.seen, { id });
    expect((await count()).messages).toBe(1);
    const recipients = [myId, world().ids.outsider];
    const first = await member.call(conversations.create, { recipients, message: "Six" });
    const group = first.conversationId;
    await member.call(conversations.update, { id: group, title: "Talk" });
    await member.call(conversations.send, { id: group, message: "Seven" });
    await member.call(conversations.messageDelete, { id: group, messageId: first.id });
    expect((await count()).messages, "without the new title and the deleted message").toBe(2);
  });

  it("counters.reset restarts one counter, and marks nothing as seen", async () => {
    await reset();
    const post = await news();
    await event();
    await world().actors.member.call(conversations.create, { recipients: [myId], message: "Hello" });
    expect(await count()).toEqual({ groups: 0, events: 1, news: 1, messages: 1 });
    await me.call(counters.reset, { type: "news" });
    expect(await count()).toEqual({ groups: 0, events: 1, news: 0, messages: 1 });
    await me.call(counters.reset, { type: "messages" });
    expect(await count()).toEqual({ groups: 0, events: 1, news: 0, messages: 0 });
    expect((await me.call(posts.get, { id: post.id })).seen_by_user).toBe(false);
    await news();
    await world().actors.member.call(conversations.create, { recipients: [myId], message: "Again" });
    expect(await count()).toEqual({ groups: 0, events: 1, news: 1, messages: 1 });
    expect(await wrongFields(me.call(counters.reset, { type: "posts" as never }))).toEqual(["type"]);
  });

  it("counters.reset: items that are added in the second of a reset, after it, count", async () => {
    const { member } = world().actors;
    const { id: group } = await admin().call(groups.create, { name: "Choir" });
    await me.call(groups.memberAdd, { id: group });
    const add = async () => {
      await news();
      await event();
      await admin().call(posts.create, { content_type: "debate", title: "Debate", group });
      await member.call(conversations.create, { recipients: [myId], message: "Hello" });
    };
    await add();
    await reset();
    expect(await count()).toEqual(none);
    await add();
    expect(await count()).toEqual({ groups: 1, events: 1, news: 1, messages: 1 });
    await reset();
    expect(await count()).toEqual(none);
  });

  it("counters.list does not count what is older than the user", async () => {
    await news();
    await event();
    world().instance.wait(1);
    const { id } = await world().addUser();
    expect(await count(await world().instance.as(id))).toEqual(none);
    await news();
    expect(await count(await world().instance.as(id))).toEqual({ ...none, news: 1 });
  });

  it("counters.list counts to 100", async () => {
    await reset();
    const first = await news();
    const { conversationId: id } = await world().actors.member.call(conversations.create, {
      recipients: [myId],
      message: "1",
    });
    await copy(first.id, 120);
    for (let i = 0; i < 105; i++) await world().actors.member.call(conversations.send, { id, message: String(i) });
    expect(await count()).toEqual({ groups: 0, events: 0, news: 100, messages: 100 });
    await removeCopies(first.id);
  });

  it("counters.list counts to 100 events", async () => {
    await reset();
    for (let n = 0; n < 99; n++) await event();
    expect(await count()).toEqual({ ...none, events: 99 });
    await event();
    expect(await count()).toEqual({ ...none, events: 100 });
    await event();
    expect(await count()).toEqual({ ...none, events: 100 });
  });

  it("counters.list counts items for the actor behind many newer items for others", async () => {
    await reset();
    await news();
    const other = await news({ visibility: { units: [world().units.south] } });
    await copy(other.id, maxLookedAt + 20);
    expect(await count()).toEqual({ ...none, news: 1 });
    expect(await count(world().actors.outsider)).toMatchObject({ news: 100 });
    await removeCopies(other.id);
  });
});
