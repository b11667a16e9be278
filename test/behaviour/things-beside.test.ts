import { expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { password, useWorld } from "../support/actors.ts";
import { type Talker, talkers } from "../support/conversations.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol } from "../support/second-factor.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

/** A change concerns one thing. Each test has another thing of the same kind beside it, which stays as it is. */
describeOnOneDatabase("things that an operation must not change", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;

  /** Two groups that Ann administers, both with Bob and Cat. */
  const twoGroups = async () => {
    const [ann, bob, cat, dan] = (await talkers(world(), 4)) as [Talker, Talker, Talker, Talker];
    const { conversationId: id } = await ann.write([bob.id, cat.id], "One");
    const { conversationId: other } = await ann.write([bob.id, cat.id, dan.id], "Two");
    return { ann, bob, cat, id, other };
  };

  it("conversations.react, conversations.unreact: other messages and other emojis", async () => {
    const { ann, bob, id } = await twoGroups();
    const first = await ann.send(id, "First");
    const second = await ann.send(id, "Second");
    for (const messageId of [first.id, second.id])
      for (const emoji of ["👍", "🎉"]) await bob.caller.call(conversations.react, { id, messageId, emoji });
    const emojis = async (messageId: number) => {
      const { reactions } = await ann.caller.call(conversations.message, { id, messageId });
      return reactions.map(({ emoji }) => emoji).join("");
    };
    expect([await emojis(first.id), await emojis(second.id)]).toEqual(["🎉👍", "🎉👍"]);
    await bob.caller.call(conversations.unreact, { id, messageId: first.id, emoji: "👍" });
    expect([await emojis(first.id), await emojis(second.id)]).toEqual(["🎉", "🎉👍"]);
    await ann.caller.call(conversations.messageDelete, { id, messageId: first.id });
    expect(await emojis(second.id)).toBe("🎉👍");
  });

  it("conversations.messageDelete: the last message that somebody has seen changes no count of later ones", async () => {
    const { ann, bob, id } = await twoGroups();
    const seen = await ann.send(id, "Seen");
    await bob.caller.call(conversations.seen, { id });
    await ann.send(id, "Unread");
    await ann.caller.call(conversations.messageDelete, { id, messageId: seen.id });
    expect((await bob.get(id)).unread_message_count).toBe(1);
  });

  it("conversations.seen, archive, mute and delete: other conversations of the same user", async () => {
    const { bob, id, other } = await twoGroups();
    const before = await bob.get(other);
    for (const mark of [conversations.seen, conversations.archive, conversations.delete] as const) {
      await bob.caller.call(mark, { id });
      expect(await bob.get(other), mark.name).toEqual(before);
    }
    await bob.caller.call(conversations.mute, { id, mute_rule: 1 });
    expect(await bob.get(other)).toEqual(before);
  });

  it("conversations.participantUpdate, participantRemove: the same user in other conversations", async () => {
    const { ann, bob, cat, id, other } = await twoGroups();
    const before = await cat.get(other);
    await ann.caller.call(conversations.participantUpdate, { id, user: bob.id, role: "administrator" });
    expect(await cat.get(other)).toEqual(before);
    await ann.caller.call(conversations.participantRemove, { id, user: bob.id });
    expect(await cat.get(other)).toEqual(before);
    expect(await bob.listed()).toEqual([other]);
  });

  it("conversations.messages: an author has the role of that conversation", async () => {
    const { ann, bob, id, other } = await twoGroups();
    await ann.caller.call(conversations.participantUpdate, { id: other, user: bob.id, role: "administrator" });
    await bob.send(id, "As a member");
    await bob.send(other, "As an administrator");
    const role = async (conversation: number) =>
      (await ann.caller.call(conversations.messages, { id: conversation, limit: 1 })).data[0]?.author?.role;
    expect([await role(id), await role(other)]).toEqual(["member", "administrator"]);
  });

  it("conversations.get: a participant with several memberships has the unit and the department of the first", async () => {
    const { ann, bob, id } = await twoGroups();
    const { units, cranes } = world();
    await admin().call(users.membershipSet, { user: bob.id, from: units.harbour, department: cranes });
    await admin().call(users.membershipAdd, { user: bob.id, unit: units.south });
    const { participants } = await ann.get(id);
    expect(participants).toHaveLength(3);
    const shown = participants.find((each) => each.id === bob.id);
    expect([shown?.unit?.id, shown?.department?.id]).toEqual([units.harbour, cranes]);
  });

  it("groups.memberSet: other members", async () => {
    const { member, outsider } = world().ids;
    const { id } = await admin().call(groups.create, { name: "Roles" });
    for (const user of [member, outsider]) await admin().call(groups.memberAdd, { id, user });
    await admin().call(groups.memberSet, { id, user: member, role: "administrator" });
    const { data } = await admin().call(groups.members, { id });
    expect(data.map(({ user, role }) => [user.id, role])).toEqual([
      [1, "administrator"],
      [member, "administrator"],
      [outsider, "member"],
    ]);
  });

  it("users.delete: groups, personal events and recovery codes of other users", async () => {
    const { ids, instance, addUser } = world();
    const { id: group } = await admin().call(groups.create, { name: "Not his" });
    await admin().call(groups.memberAdd, { id: group, user: ids.member });
    const day = { type: "user", start: 0, end: 1, all_day: true, date: "2026-05-04", title: "Dentist" } as const;
    const event = await world().actors.member.call(events.create, day);
    const { id: enrolled } = await addUser({ password });
    const caller = await instance.as(enrolled);
    await enrol(caller, instance);
    const { id } = await addUser({ password });
    const own = await instance.as(id);
    await own.call(events.create, day);
    await enrol(own, instance);
    await admin().call(users.delete, { id });
    const { data } = await admin().call(groups.members, { id: group });
    expect(data.map(({ role }) => role)).toEqual(["administrator", "member"]);
    expect((await world().actors.member.call(events.get, { id: event.id })).title).toBe("Dentist");
    expect(await caller.call(auth.twoFactorStatus, {})).toMatchObject({ recovery_codes_left: 10 });
    const { audiences = [] } = await allRows(instance.database);
    expect(audiences.filter((row) => row.author_id === id)).toEqual([]);
  });

  it("usertypes.delete: content of other user types, and content that was deleted", async () => {
    const newType = (name: string) => admin().call(usertypes.create, { name, abilities: {} });
    const [used, freed] = [await newType("Used"), await newType("Freed")];
    const write = (userType: number) =>
      admin().call(posts.create, {
        content_type: "news",
        title: "For some",
        visibility: { all_units: true, units_falldown: [world().units.north], userTypes: [userType] },
      });
    const kept = await write(used.id);
    const removed = await write(freed.id);
    const conflict = { code: "conflict", message: expect.stringContaining("are limited to user type") };
    expect(await refusal(admin().call(usertypes.delete, { id: freed.id }))).toMatchObject(conflict);
    await admin().call(posts.delete, { id: removed.id });
    await admin().call(usertypes.delete, { id: freed.id });
    expect(await codeOf(world().actors.member.call(posts.get, { id: removed.id }))).toBe("not_found");
    expect((await admin().call(posts.get, { id: kept.id })).visibility).toEqual(kept.visibility);
    expect(await refusal(admin().call(usertypes.delete, { id: used.id }))).toMatchObject(conflict);
  });
});
