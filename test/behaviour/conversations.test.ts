import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { useWorld } from "../support/actors.ts";
import { talkers } from "../support/conversations.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("conversations", (environment) => {
  const world = useWorld(environment);
  const people = (count: number) => talkers(world(), count);

  it("conversations.create: one recipient makes a direct conversation, which later messages of both use", async () => {
    const [ann, bob] = await people(2);
    const first = await ann!.write([bob!.id], "Hello");
    const now = world().instance.now();
    expect(first).toMatchObject({ type: "normal", message: "Hello", date: now, edited_at: null, deleted: false });
    expect(first).toMatchObject({ is_reply: false, parent: null, reactions: [], files: [], voice: null, meta: null });
    expect(first.author).toMatchObject({ id: ann!.id, active: true, participant_type: "user", archived_at: null });
    const answer = await bob!.write([ann!.id], "Hello yourself");
    expect(answer.conversationId).toBe(first.conversationId);
    expect(await ann!.texts(first.conversationId)).toEqual(["Hello yourself", "Hello"]);
    expect(await ann!.get(first.conversationId)).toMatchObject({ type: "direct", title: null });
  });

  it("conversations.create ignores the actor among the recipients", async () => {
    const [ann, bob] = await people(2);
    const first = await ann!.write([bob!.id], "One");
    expect((await ann!.write([ann!.id, bob!.id], "Two")).conversationId).toBe(first.conversationId);
  });

  it("conversations.create: several recipients make a group, and the newest with exactly them is used again", async () => {
    const [ann, bob, cat] = await people(3);
    const first = await ann!.write([bob!.id, cat!.id], "All");
    expect((await cat!.write([ann!.id, bob!.id], "Again")).conversationId).toBe(first.conversationId);
    expect((await ann!.write([bob!.id], "Two")).conversationId).not.toBe(first.conversationId);
    const group = await bob!.get(first.conversationId);
    expect(group).toMatchObject({ type: "group", title: "" });
    expect(group.participants.map(({ id, role }) => [id, role])).toEqual([
      [ann!.id, "administrator"],
      [bob!.id, "member"],
      [cat!.id, "member"],
    ]);
  });

  it("conversations.create: a group that has shrunk to two people is no direct conversation", async () => {
    const [ann, bob, cat] = await people(3);
    const { conversationId: id } = await ann!.write([bob!.id, cat!.id], "All");
    await cat!.caller.call(conversations.participantRemove, { id, user: cat!.id });
    expect((await ann!.write([bob!.id], "Two")).conversationId).not.toBe(id);
  });

  it("conversations.create counts a repeated recipient once", async () => {
    const [ann, bob] = await people(2);
    const { conversationId: id } = await ann!.write([bob!.id, bob!.id], "Hello");
    expect(await ann!.get(id)).toMatchObject({ type: "direct", participants: [{ id: ann!.id }, { id: bob!.id }] });
  });

  it("conversations.create names all invalid recipients", async () => {
    const [ann, bob] = await people(2);
    const { ids } = world();
    const call = ann!.write([bob!.id, bob!.id, 987654, ids.deactivated], "Hello");
    expect((await refusal(call)).fields?.recipients).toEqual([
      `contains users that do not exist or are deactivated: 987654, ${ids.deactivated}`,
    ]);
    expect(await wrongFields(ann!.write([ann!.id, ann!.id], "To me"))).toEqual(["recipients"]);
    expect(await wrongFields(ann!.write([], ""))).toEqual(["message", "recipients"]);
    expect(await ann!.listed()).toEqual([]);
  });

  it("conversations.get shows participants with unit and department, also deleted ones", async () => {
    const { actors, addUser, units, cranes } = world();
    const [ann] = await people(1);
    const fields = { first_name: "Cy", last_name: "Crane", title: "Driver", department: cranes };
    const { id: other } = await addUser(fields);
    const { conversationId: id } = await ann!.write([other], "Hello");
    const shown = async () => (await ann!.get(id)).participants.find((each) => each.id === other);
    expect(await shown()).toEqual({
      id: other,
      first_name: "Cy",
      last_name: "Crane",
      name: "Cy Crane",
      title: "Driver",
      active: true,
      avatar: null,
      archived_at: null,
      participant_type: "user",
      subtext: "Driver, Harbour",
      department: { id: cranes, name: "Cranes" },
      unit: { id: units.harbour, name: "Harbour" },
      role: "member",
    });
    await actors.administrator.call(users.delete, { id: other });
    expect(await shown()).toMatchObject({ name: "Deleted user", active: false, unit: null, subtext: "" });
    expect(await codeOf(ann!.send(id, "Still there?"))).toBe("ok");
    expect(await wrongFields(ann!.write([other], "Again"))).toEqual(["recipients"]);
  });

  it("conversations.get: the subtext of a participant without a title has the first user type", async () => {
    const { actors, addUser, units } = world();
    const { administrator } = actors;
    const [ann] = await people(1);
    const [deputy, chief] = await Promise.all(
      ["Deputy", "Chief"].map(async (name) => (await administrator.call(usertypes.create, { name })).id),
    );
    const { id: other } = await addUser({ userTypes: [chief!, deputy!] });
    const membership = { user: other, unit: units.yard, userTypes: [Math.min(deputy!, chief!)] };
    await administrator.call(users.membershipAdd, membership);
    const { conversationId: id } = await ann!.write([other], "Hello");
    const subtext = async () => (await ann!.get(id)).participants.find((each) => each.id === other)?.subtext;
    const { memberUnits } = await administrator.call(users.get, { id: other });
    expect(await subtext()).toBe(`${memberUnits[0]?.userTypes[0]?.name}, Harbour`);
    await administrator.call(users.membershipSet, { user: other, from: units.harbour, userTypes: [] });
    expect(await subtext()).toBe("Harbour");
    await administrator.call(users.update, { id: other, title: "Driver" });
    expect(await subtext()).toBe("Driver, Harbour");
  });

  it("conversations.get returns as the time of the last change that of the latest message, or of a later change of the title", async () => {
    const { instance } = world();
    const [ann, bob, cat] = await people(3);
    const { conversationId: id, date: created_at } = await ann!.write([bob!.id, cat!.id], "All");
    const changed = async () => {
      const { updated_at, publish, ...conversation } = await cat!.get(id);
      expect([conversation.created_at, publish]).toEqual([created_at, { created_at, updated_at }]);
      return updated_at;
    };
    expect(await changed()).toBe(created_at);
    instance.wait(60);
    const { date } = await bob!.send(id, "Again");
    expect(date).toBeGreaterThanOrEqual(created_at + 60);
    expect(await changed()).toBe(date);
    instance.wait(60);
    await cat!.caller.call(conversations.seen, { id });
    expect(await changed()).toBe(date);
    await ann!.caller.call(conversations.update, { id, title: "Crew" });
    expect(await changed()).toBeGreaterThanOrEqual(date + 60);
  });

  it("conversations.get is refused to all who do not participate, also to administrators", async () => {
    const [ann, bob, eve] = await people(3);
    const { conversationId: id, id: messageId } = await ann!.write([bob!.id], "Between us");
    for (const caller of [eve!.caller, world().actors.administrator]) {
      expect(await codeOf(caller.call(conversations.get, { id }))).toBe("not_found");
      expect(await codeOf(caller.call(conversations.messages, { id }))).toBe("not_found");
      expect(await codeOf(caller.call(conversations.messages, { id, query: "us" }))).toBe("not_found");
      expect(await codeOf(caller.call(conversations.message, { id, messageId }))).toBe("not_found");
      expect(await codeOf(caller.call(conversations.follow, { id, after: 0 }))).toBe("not_found");
      expect(await codeOf(caller.call(conversations.send, { id, message: "I" }))).toBe("not_found");
    }
    expect(await codeOf(ann!.caller.call(conversations.get, { id: 987654 }))).toBe("not_found");
  });

  it("conversations.update: administrators of a group change the title, which adds a service message", async () => {
    const [ann, bob, cat] = await people(3);
    const { conversationId: id } = await ann!.write([bob!.id, cat!.id], "All");
    const renamed = await ann!.caller.call(conversations.update, { id, title: "Übung" });
    expect(renamed).toMatchObject({ title: "Übung", latest_message: { type: "service", message: "" } });
    expect(renamed.latest_message?.meta).toEqual({ event: "renamed", users: [], title: "Übung" });
    expect((await ann!.caller.call(conversations.update, { id, title: "Übung" })).latest_message?.id).toBe(
      renamed.latest_message?.id,
    );
    expect(await codeOf(bob!.caller.call(conversations.update, { id, title: "Mine" }))).toBe("forbidden");
    expect(await bob!.texts(id)).toEqual(["renamed", "All"]);
    expect((await bob!.get(id)).unread_message_count).toBe(1);
  });

  it("conversations.update refuses a title for a direct conversation", async () => {
    const [ann, bob] = await people(2);
    const { conversationId: id } = await ann!.write([bob!.id], "Hello");
    expect(await codeOf(ann!.caller.call(conversations.update, { id, title: "Us", mute_rule: 3 }))).toBe("conflict");
    expect((await ann!.get(id)).mute_rule).toBe(null);
  });

  it("conversations.update sets the mute rule for the actor only", async () => {
    const [ann, bob] = await people(2);
    const { conversationId: id } = await ann!.write([bob!.id], "Hello");
    expect((await bob!.caller.call(conversations.update, { id, mute_rule: 3 })).mute_rule).toBe(3);
    expect((await ann!.get(id)).mute_rule).toBe(null);
    expect((await bob!.caller.call(conversations.update, { id })).mute_rule).toBe(3);
    expect((await bob!.caller.call(conversations.update, { id, mute_rule: null })).mute_rule).toBe(null);
  });

  it("conversations.seen: later messages of others are unread", async () => {
    const [ann, bob] = await people(2);
    const { conversationId: id } = await ann!.write([bob!.id], "One");
    await ann!.send(id, "Two");
    await bob!.send(id, "Three");
    const unread = async () => [(await ann!.get(id)).unread_message_count, (await bob!.get(id)).unread_message_count];
    expect(await unread()).toEqual([1, 2]);
    expect(await bob!.listed({ status: "unread" })).toEqual([id]);
    await bob!.caller.call(conversations.seen, { id });
    expect(await unread()).toEqual([1, 0]);
    expect(await bob!.listed({ status: "unread" })).toEqual([]);
    await bob!.caller.call(conversations.seen, { id });
    await ann!.send(id, "Four");
    expect(await unread()).toEqual([1, 1]);
  });

  it("conversations.archive hides a conversation from the actor until the next message", async () => {
    const { instance } = world();
    const [ann, bob] = await people(2);
    const { conversationId: id } = await ann!.write([bob!.id], "One");
    await bob!.caller.call(conversations.archive, { id });
    const archivedAt = instance.now();
    instance.wait(5);
    await bob!.caller.call(conversations.archive, { id });
    expect((await bob!.get(id)).archived_at).toBe(archivedAt);
    expect((await ann!.get(id)).archived_at).toBe(null);
    expect((await ann!.get(id)).participants.map(({ archived_at }) => archived_at)).toEqual([null, archivedAt]);
    expect([await bob!.listed(), await bob!.listed({ status: "archived" })]).toEqual([[], [id]]);
    expect((await bob!.caller.call(conversations.list, { status: "archived" })).meta.total).toBe(1);
    expect(await bob!.listed({ status: "unread" })).toEqual([id]);
    expect(await ann!.listed()).toEqual([id]);
    await ann!.send(id, "Two");
    expect([await bob!.listed(), await bob!.listed({ status: "archived" })]).toEqual([[id], []]);
  });

  it("conversations.unarchive shows an archived conversation again", async () => {
    const [ann, bob] = await people(2);
    const { conversationId: id } = await ann!.write([bob!.id], "One");
    await ann!.caller.call(conversations.archive, { id });
    await ann!.caller.call(conversations.unarchive, { id });
    await ann!.caller.call(conversations.unarchive, { id });
    expect(await ann!.get(id)).toMatchObject({ archived_at: null });
    expect(await ann!.listed()).toEqual([id]);
  });

  it("conversations.delete hides all messages from the actor, and the next message shows the conversation again", async () => {
    const [ann, bob] = await people(2);
    const first = await ann!.write([bob!.id], "Old words");
    const { conversationId: id } = first;
    await ann!.send(id, "Other words");
    const { meta } = await bob!.caller.call(conversations.messages, { id, starter_message_id: first.id, limit: 1 });
    await bob!.caller.call(conversations.delete, { id });
    expect([await bob!.listed(), await bob!.listed({ status: "unread" }), await ann!.listed()]).toEqual([[], [], [id]]);
    expect(await bob!.texts(id)).toEqual([]);
    expect(await bob!.get(id)).toMatchObject({ latest_message: null, unread_message_count: 0 });
    expect(await codeOf(bob!.caller.call(conversations.message, { id, messageId: first.id }))).toBe("not_found");
    expect(await wrongFields(bob!.send(id, "Re", { parent_id: first.id }))).toEqual(["parent_id"]);
    expect(await wrongFields(bob!.texts(id, { starter_message_id: first.id }) as never)).toEqual([
      "starter_message_id",
    ]);

    const reply = await ann!.send(id, "New words", { parent_id: first.id });
    expect(reply.parent?.message).toBe("Old words");
    expect(await bob!.listed()).toEqual([id]);
    expect(await bob!.texts(id)).toEqual(["New words"]);
    expect(await bob!.texts(id, { starter_message_id: reply.id })).toEqual(["New words"]);
    expect(await bob!.texts(id, { cursor: meta.prev_cursor }), "after a page from before").toEqual(["New words"]);
    expect(await bob!.texts(id, { query: "words" })).toEqual(["New words"]);
    expect(await bob!.caller.call(conversations.message, { id, messageId: reply.id })).toMatchObject({
      is_reply: true,
      parent: null,
    });
    expect(await ann!.texts(id)).toEqual(["New words", "Other words", "Old words"]);
  });
});
