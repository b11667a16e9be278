import { expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { callbackQueue } from "../../src/delivery/webhooks/callback-queue.ts";
import { password, useWorld } from "../support/actors.ts";
import { images, upload } from "../support/attachments.ts";
import { newEngine } from "../support/engine.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { newWebhook } from "../support/outbox.ts";
import { codeOf } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { receiverOfTest } from "../support/receiver.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

const profile = {
  first_name: "Xaverine",
  last_name: "Quetzalcoatl",
  email: "xq.mailbox@example.com",
  title: "Zymurgist",
  phone: "+4587654321",
  reference: "zq-4711",
  birthday: "1977-11-23",
  language: "da",
  timezone: "Europe/Oslo",
  meta_field_0: "zq-locker",
  meta_field_4: "zq-badge",
};
const address = "203.0.113.77";
const { language, timezone, ...searched } = profile;
const planted = [...Object.values(searched), "zq-avatar", "zq-token", "zq-dentist", "zq-form.txt", "Yolanthe", address];

/** The planted texts in a text, whatever their case. */
const foundIn = (text: string) => planted.filter((value) => text.toLowerCase().includes(value.toLowerCase()));

describeOnOneDatabase("users that are erased", (environment) => {
  const world = useWorld(environment);
  const drain = () => newEngine(world().instance).drain({ maxSeconds: 20 });
  const traces = async () => {
    const tables = Object.entries(await allRows(world().instance.database));
    return tables.flatMap(([table, rows]) =>
      rows.flatMap((row) => foundIn(JSON.stringify(row)).map((text) => `${table}: ${text}`)),
    );
  };

  it("users.delete leaves no personal data in any table, and nothing is sent afterwards", async () => {
    const { instance, units, types, cranes, stranger, actors } = world();
    const receiver = await receiverOfTest();
    receiver.answer = ({ body }, response) => void response.end(body);
    await newWebhook(instance, receiver.url);
    const { id: waiting } = await newWebhook(instance, "http://127.0.0.1:1/");
    const chunks = (await allRows(instance.database)).file_chunks?.length;
    const person = {
      ...profile,
      unit: units.harbour,
      userTypes: [types.employee],
      department: cranes,
      password,
      welcome: true,
    };
    const { id } = await actors.administrator.call(users.create, person, { idempotencyKey: "made" });
    const own = await instance.as(id);
    await own.call(users.avatarSet, { id, files: [upload("zq-avatar.png", images.png(7, 7))] });
    const day = { type: "user", start: 0, end: 1, all_day: true, date: "2026-05-04" } as const;
    await own.call(events.create, { ...day, title: "zq-dentist", files: [upload("zq-form.txt", "zq-dentist")] });
    const shared = await own.call(events.create, { ...day, title: "Shared", shares: [world().ids.member] });
    await own.call(tokens.create, { name: "zq-token", scopes: ["read"] });
    await own.call(users.policy, {});
    await instance.from(address).call(auth.authenticate, { username: profile.email, password });
    await codeOf(instance.from(address).call(auth.authenticate, { username: profile.email, password: "wrong" }));
    // Sent mails contain personal data, too.
    await instance.database.write((tx) => tx.updateTable("mails").set({ state: "done" }).execute());
    await stranger.call(auth.passwordRequest, { email: profile.email });
    await drain();
    expect(new Set(await traces()).size, "planted").toBeGreaterThan(20);

    expect(await actors.administrator.call(users.delete, { id })).toBeUndefined();
    expect(await traces()).toEqual([]);
    const after = await allRows(instance.database);
    expect(after.users?.find((row) => row.id === id)).toMatchObject({
      language: null,
      timezone: null,
      password_hash: null,
      policy_accepted_at: null,
    });
    expect(after.file_chunks).toHaveLength(chunks ?? 0);
    expect(after.password_tokens?.filter((row) => row.user_id === id)).toEqual([]);

    expect((await actors.member.call(events.get, { id: shared.id })).title).toBe("Shared");

    const sent = receiver.received.length;
    await actors.administrator.call(webhooks.update, { id: waiting, uri: receiver.url });
    instance.wait(600);
    await drain();
    const bodies = receiver.received.slice(sent).map(({ body }) => body);
    expect(bodies.flatMap(foundIn)).toEqual([]);
    const kinds = bodies.map((body) => JSON.parse(body)).map(({ type, data }) => `${type} ${data.id} ${data.name}`);
    expect(new Set(kinds)).toEqual(
      new Set(["create", "update", "delete"].map((verb) => `user.${verb} ${id} Deleted user`)),
    );
    expect(await traces()).toEqual([]);
  });

  it("users.delete removes a shared personal event with the last one who could see it", async () => {
    const { instance, actors, addUser } = world();
    const people = await Promise.all([addUser(), addUser(), addUser()]);
    const [author, guest, other] = people.map(({ id }) => id) as [number, number, number];
    const day = { type: "user", start: 0, end: 1, all_day: true, date: "2026-05-04" } as const;
    const by = async (user: number, shares: number[]) =>
      (await instance.as(user)).call(events.create, { ...day, title: "Between us", shares });
    const { id: kept } = await by(other, [guest]);
    const { id } = await by(author, [guest, other]);
    const left = async (table: "events" | "event_dates" | "event_places") =>
      (await allRows(instance.database))[table]?.filter((row) => [row.id, row.event_id].includes(id)).length;
    const remove = (user: number) => actors.administrator.call(users.delete, { id: user });
    await remove(author);
    await remove(guest);
    expect((await (await instance.as(other)).call(events.get, { id })).title).toBe("Between us");
    expect((await (await instance.as(other)).call(events.get, { id: kept })).title).toBe("Between us");
    await remove(other);
    expect([await left("events"), await left("event_dates"), await left("event_places")]).toEqual([0, 0, 0]);
  });

  it("users.delete: the response to a callback that was being sent is not stored", async () => {
    const { instance, actors, addUser } = world();
    const receiver = await receiverOfTest();
    const held: (() => void)[] = [];
    receiver.answer = ({ body }, response) => void held.push(() => response.end(body));
    await newWebhook(instance, receiver.url);
    const { id } = await addUser({ first_name: "Yolanthe" });
    const drained = drain();
    await receiver.until(1);
    await actors.administrator.call(users.delete, { id });
    receiver.answer = ({ body }, response) => void response.end(body);
    for (const answer of held) answer();
    await drained;
    const [first, ...later] = receiver.received.map(({ body }) => foundIn(body));
    expect([first, later.flat()]).toEqual([["Yolanthe"], []]);
    expect(later.length).toBeGreaterThan(0);
    expect(await traces()).toEqual([]);
  });

  it("users.delete: the audit log keeps who deleted whom, and no address of users who delete themselves", async () => {
    const { instance, actors, addUser, types } = world();
    const { id } = await addUser({ userTypes: [types.manager] });
    await (await instance.as(id)).call(users.delete, { id });
    const path = `/users/${id}`;
    const { data } = await actors.administrator.call(audit.list, { operation: "users.delete", path });
    expect(data).toMatchObject([{ actor: { id, name: "Deleted user" }, path, fields: [], address: null }]);
    const other = await addUser();
    await actors.administrator.call(users.delete, { id: other.id });
    const entries = await actors.administrator.call(audit.list, { path: `/users/${other.id}` });
    const by = { actor: { id: 1 }, operation: "users.delete", address: "127.0.0.1" };
    expect(entries.data[0]).toMatchObject({ ...by, created_at: instance.now() });
  });

  it("users.delete keeps the time of the next attempt to send an event of the user", async () => {
    const { actors, addUser, instance } = world();
    const receiver = await receiverOfTest();
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const { id: webhook } = await newWebhook(instance, receiver.url, "failing");
    const { id } = await addUser();
    await newEngine(instance).drain({ maxSeconds: 60 });
    const deliveries = instance.database.reader.selectFrom("deliveries").select(["id", "due_at"]);
    const [retry] = await deliveries.where("webhook_id", "=", webhook).execute();
    expect(retry?.due_at).toBeGreaterThan(instance.now() * 1000);
    await actors.administrator.call(users.delete, { id });
    expect(await deliveries.where("id", "=", retry?.id ?? 0).execute()).toEqual([retry]);
  });

  it("users.delete makes an event that is being sent due immediately", async () => {
    const { actors, addUser, instance } = world();
    const { id: webhook } = await newWebhook(instance, "http://receiver.invalid/", "slow");
    const { id } = await addUser();
    const now = instance.now() * 1000;
    const [claimed] = await callbackQueue.claim(instance.database, [{ partition: webhook, max: 1 }], now);
    await actors.administrator.call(users.delete, { id });
    const deliveries = instance.database.reader.selectFrom("deliveries").select(["due_at", "lease_token"]);
    const found = await deliveries.where("id", "=", claimed?.id ?? 0).execute();
    expect(found).toEqual([{ due_at: now, lease_token: null }]);
  });

  it("users.delete erases stored responses: a repeat is refused and creates no user", async () => {
    const { actors, units } = world();
    const person = { first_name: "Once", last_name: "Only", email: "once@example.com", unit: units.harbour };
    const create = () => actors.administrator.call(users.create, person, { idempotencyKey: "once" });
    const kept = () =>
      actors.administrator.call(users.create, { ...person, email: "kept@example.com" }, { idempotencyKey: "kept" });
    const { id } = await create();
    const other = await kept();
    await actors.administrator.call(users.delete, { id });
    expect(await codeOf(create())).toBe("conflict");
    expect(await kept()).toEqual(other);
    expect((await actors.administrator.call(users.search, { q: "once" })).data.map((user) => user.id)).toEqual([
      other.id,
    ]);
  });

  it("users.delete erases the stored responses about conversations that mention the user", async () => {
    const { actors, addUser } = world();
    const [writer, other, user] = [actors.administrator, await addUser(), await addUser()];
    const second = await addUser();
    const recipients = [other.id, second.id];
    const { conversationId: id } = await writer.call(conversations.create, { recipients, message: "Hello" });
    const add = () => writer.call(conversations.participantAdd, { id, users: [user.id] }, { idempotencyKey: "add" });
    const theirs = await world().instance.as(user.id);
    await add();
    const { id: messageId } = await theirs.call(conversations.send, { id, message: "Hello" });
    await theirs.call(conversations.react, { id, messageId, emoji: "👍" });
    const reply = () =>
      writer.call(conversations.send, { id, message: "Yes", parent_id: messageId }, { idempotencyKey: "reply" });
    await reply();
    const own = await writer.call(conversations.send, { id, message: "Mine" });
    await theirs.call(conversations.react, { id, messageId: own.id, emoji: "👍" });
    const react = () =>
      writer.call(conversations.react, { id, messageId: own.id, emoji: "🎉" }, { idempotencyKey: "react" });
    await react();
    await writer.call(users.delete, { id: user.id });
    expect(await Promise.all([add(), reply(), react()].map(codeOf))).toEqual(["conflict", "conflict", "conflict"]);
  });
});
