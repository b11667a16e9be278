import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { type Talker, talker, talkers } from "../support/conversations.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("participants", (environment) => {
  const world = useWorld(environment);
  /** Ann's group with Bob and Cat, and Dan beside it. */
  const group = async () => {
    const [ann, bob, cat, dan] = (await talkers(world(), 4)) as [Talker, Talker, Talker, Talker];
    const { conversationId: id } = await ann.write([bob.id, cat.id], "First");
    return { ann, bob, cat, dan, id };
  };
  const add = ({ caller }: Talker, id: number, ...others: Talker[]) =>
    caller.call(conversations.participantAdd, { id, users: others.map((other) => other.id) });
  const remove = ({ caller }: Talker, id: number, { id: user }: Talker) =>
    caller.call(conversations.participantRemove, { id, user });
  const setRole = ({ caller }: Talker, id: number, { id: user }: Talker, role: "member" | "administrator") =>
    caller.call(conversations.participantUpdate, { id, user, role });
  const roles = async ({ caller }: Talker, id: number) =>
    (await caller.call(conversations.get, { id })).participants.map((each) => [each.id, each.role]);

  /** Somebody whose sessions have ended. */
  const again = async ({ id }: Talker) => talker(id, await world().instance.as(id));

  it("conversations.participantAdd: new participants can read earlier messages, and have none unread", async () => {
    const { ann, bob, dan, id } = await group();
    const after = await add(ann, id, dan);
    expect(after.participants.map((each) => each.id)).toContain(dan.id);
    expect(after.latest_message?.meta).toEqual({
      event: "joined",
      users: [{ id: dan.id, name: expect.stringMatching(/^Given/) }],
      title: null,
    });
    expect(await dan.texts(id)).toEqual(["joined", "First"]);
    expect(await dan.listed()).toEqual([id]);
    expect((await dan.get(id)).unread_message_count).toBe(0);
    await bob.send(id, "Welcome");
    expect((await dan.get(id)).unread_message_count).toBe(1);
  });

  it("users.delete: a group whose administrator is deleted gets another one, who is active", async () => {
    const { ann, bob, cat, dan, id } = await group();
    await add(ann, id, dan);
    const { id: shared } = await ann.get((await ann.write([bob.id, dan.id], "Second")).conversationId);
    await setRole(ann, shared, dan, "administrator");
    const admin = world().actors.administrator;
    await admin.call(users.deactivate, { id: bob.id });
    await admin.call(users.delete, { id: ann.id });
    expect(new Map(await roles(cat, id).then((all) => all as [number, string][]))).toEqual(
      new Map([ann, bob, cat, dan].map((each) => [each.id, each === cat ? "administrator" : "member"])),
    );
    expect(new Map((await roles(dan, shared)) as [number, string][])).toEqual(
      new Map([ann, bob, dan].map((each) => [each.id, each === dan ? "administrator" : "member"])),
    );
    expect(await codeOf(cat.caller.call(conversations.update, { id, title: "Ours" }))).toBe("ok");
  });

  it("conversations.participantRemove: the next administrator is active, not a deleted or deactivated participant", async () => {
    const { ann, bob, cat, dan, id } = await group();
    await add(ann, id, dan);
    const admin = world().actors.administrator;
    await admin.call(users.delete, { id: bob.id });
    await admin.call(users.deactivate, { id: cat.id });
    await remove(ann, id, ann);
    expect(await roles(dan, id)).toEqual([
      [bob.id, "member"],
      [cat.id, "member"],
      [dan.id, "administrator"],
    ]);
    await remove(dan, id, dan);
    await admin.call(users.reactivate, { id: cat.id });
    const back = await again(cat);
    expect(await roles(back, id)).toEqual([
      [bob.id, "member"],
      [cat.id, "administrator"],
    ]);
    await remove(back, id, back);
  });

  it("users.delete: a group without other participants keeps its administrator, as wcs db check requires", async () => {
    const { ann, bob, cat, id } = await group();
    for (const other of [bob, cat]) await remove(ann, id, other);
    await world().actors.administrator.call(users.delete, { id: ann.id });
    const { reader } = world().instance.database;
    const query = reader.selectFrom("conversation_participants").select(["user_id", "role"]);
    expect(await query.where("conversation_id", "=", id).execute()).toEqual([
      { user_id: ann.id, role: "administrator" },
    ]);
  });

  it("users.deactivate, users.reactivate: a group with active participants has an active administrator", async () => {
    const { ann, bob, cat, id } = await group();
    const admin = world().actors.administrator;
    await admin.call(users.deactivate, { id: bob.id });
    await admin.call(users.deactivate, { id: ann.id });
    const both = [
      [ann.id, "administrator"],
      [bob.id, "member"],
      [cat.id, "administrator"],
    ];
    expect(await roles(cat, id)).toEqual(both);
    expect(await codeOf(setRole(cat, id, cat, "member"))).toBe("conflict");
    expect(await wrongFields(setRole(cat, id, bob, "administrator"))).toEqual(["user"]);
    expect(await codeOf(setRole(cat, id, ann, "administrator"))).toBe("ok");
    await admin.call(users.reactivate, { id: ann.id });
    expect(await roles(cat, id)).toEqual(both);
    await remove(cat, id, ann);
    await admin.call(users.deactivate, { id: cat.id });
    await admin.call(users.reactivate, { id: bob.id });
    expect(await roles(await again(bob), id)).toEqual([
      [bob.id, "administrator"],
      [cat.id, "administrator"],
    ]);
  });

  it("conversations.participantAdd does not change people who participate already", async () => {
    const { ann, bob, dan, id } = await group();
    await add(ann, id, bob, dan);
    expect(await add(ann, id, bob, dan)).toEqual(await ann.get(id));
    expect(await ann.texts(id)).toEqual(["joined", "First"]);
    expect((await ann.get(id)).latest_message?.meta?.users.map((user) => user.id)).toEqual([dan.id]);
    expect((await bob.get(id)).unread_message_count).toBe(1);
  });

  it("conversations.participantAdd is for administrators, and adds active users, each once", async () => {
    const { ann, bob, dan, id } = await group();
    const { ids } = world();
    expect(await codeOf(add(bob, id, dan))).toBe("forbidden");
    expect(await codeOf(add(dan, id, dan))).toBe("not_found");
    const wrong = ann.caller.call(conversations.participantAdd, {
      id,
      users: [dan.id, dan.id, ids.deactivated, 987654],
    });
    expect((await refusal(wrong)).fields?.users).toEqual([
      `contains users that do not exist or are deactivated: ${ids.deactivated}, 987654`,
    ]);
    expect(await roles(ann, id)).toHaveLength(3);
    await ann.caller.call(conversations.participantAdd, { id, users: [dan.id, dan.id] });
    expect(await roles(ann, id)).toHaveLength(4);
  });

  it("conversations.participantAdd allows up to 500 people", async () => {
    const { ann, id } = await group();
    const person = { first_name: "One", last_name: "Of Many", unit: "harbour" };
    const rows = Array.from({ length: 498 }, (_, n) => ({ ...person, email: `many${n}@example.com` }));
    const imported = await world().actors.administrator.call(users.import, { rows });
    const more = imported.results.map((row) => row.id!);
    const addAll = (people: number[]) => ann.caller.call(conversations.participantAdd, { id, users: people });
    expect(await wrongFields(addAll(more))).toEqual(["users"]);
    expect((await addAll(more.slice(1))).participants).toHaveLength(500);
  });

  it("conversations.participantAdd: a service message does not bring back an archived or deleted conversation", async () => {
    const { ann, bob, cat, dan, id } = await group();
    await bob.caller.call(conversations.delete, { id });
    await cat.caller.call(conversations.archive, { id });
    await add(ann, id, dan);
    expect([await bob.listed(), await bob.texts(id)]).toEqual([[], ["joined"]]);
    expect([await cat.listed(), await cat.listed({ status: "archived" })]).toEqual([[], [id]]);
    await ann.send(id, "Second");
    expect([await bob.listed(), await cat.listed()]).toEqual([[id], [id]]);
    expect(await bob.texts(id)).toEqual(["Second", "joined"]);
  });

  it("conversations.participantAdd, participantUpdate and participantRemove refuse a direct conversation", async () => {
    const { ann, bob, dan } = await group();
    const { conversationId: id } = await ann.write([bob.id], "Hello");
    expect(await codeOf(add(ann, id, dan))).toBe("conflict");
    expect(await codeOf(remove(ann, id, ann))).toBe("conflict");
    expect(await codeOf(remove(ann, id, bob))).toBe("conflict");
    expect(await codeOf(setRole(ann, id, bob, "administrator"))).toBe("conflict");
  });

  it("conversations.participantUpdate: a new administrator can do what the first one can", async () => {
    const { ann, bob, cat, dan, id } = await group();
    expect(await codeOf(setRole(bob, id, bob, "administrator"))).toBe("forbidden");
    expect(await setRole(ann, id, bob, "administrator")).toMatchObject({ id: bob.id, role: "administrator" });
    await setRole(ann, id, bob, "administrator");
    await add(bob, id, dan);
    await remove(bob, id, cat);
    await bob.caller.call(conversations.update, { id, title: "Ours" });
    await setRole(bob, id, ann, "member");
    expect(await roles(dan, id)).toEqual([
      [ann.id, "member"],
      [bob.id, "administrator"],
      [dan.id, "member"],
    ]);
    expect(await ann.texts(id)).toEqual(["renamed", "left", "joined", "First"]);
  });

  it("conversations.participantUpdate keeps the last administrator", async () => {
    const { ann, bob, dan, id } = await group();
    expect(await codeOf(setRole(ann, id, ann, "member"))).toBe("conflict");
    await setRole(ann, id, bob, "administrator");
    expect(await codeOf(setRole(ann, id, ann, "member"))).toBe("ok");
    expect(await codeOf(setRole(bob, id, dan, "administrator"))).toBe("not_found");
  });

  it("conversations.participantRemove: a participant who left cannot read the conversation", async () => {
    const { ann, bob, id } = await group();
    const { id: messageId } = await bob.send(id, "Bye");
    await remove(bob, id, bob);
    expect(await codeOf(bob.get(id))).toBe("not_found");
    expect(await codeOf(bob.send(id, "One more thing"))).toBe("not_found");
    expect(await codeOf(bob.texts(id))).toBe("not_found");
    expect(await codeOf(bob.caller.call(conversations.seen, { id }))).toBe("not_found");
    expect(await codeOf(remove(bob, id, bob))).toBe("not_found");
    expect(await codeOf(bob.caller.call(conversations.messageDelete, { id, messageId }))).toBe("not_found");
    expect(await bob.listed()).toEqual([]);
    expect(await ann.texts(id)).toEqual(["left", "Bye", "First"]);
    const [left, bye] = (await ann.caller.call(conversations.messages, { id })).data;
    expect(left).toMatchObject({
      author: { id: bob.id, role: null },
      meta: { event: "left", users: [{ id: bob.id }] },
    });
    expect(bye?.author).toMatchObject({ id: bob.id, role: null, active: true });
  });

  it("conversations.participantRemove: administrators remove others", async () => {
    const { ann, bob, cat, dan, id } = await group();
    expect(await codeOf(remove(bob, id, cat))).toBe("forbidden");
    expect(await codeOf(remove(ann, id, dan))).toBe("not_found");
    await remove(ann, id, cat);
    const { latest_message } = await ann.get(id);
    expect(latest_message).toMatchObject({ author: { id: ann.id }, meta: { event: "left", users: [{ id: cat.id }] } });
    await add(ann, id, cat);
    expect(await cat.texts(id)).toEqual(["joined", "left", "First"]);
    expect((await cat.get(id)).unread_message_count).toBe(0);
  });

  it("conversations.participantRemove: when the last administrator leaves, the participant who joined first becomes one", async () => {
    const { ann, bob, cat, dan, id } = await group();
    await add(ann, id, dan);
    await remove(ann, id, bob);
    await add(ann, id, bob);
    await remove(ann, id, ann);
    expect(await roles(cat, id)).toEqual([
      [cat.id, "administrator"],
      [dan.id, "member"],
      [bob.id, "member"],
    ]);
    await remove(cat, id, cat);
    expect(await roles(bob, id)).toEqual([
      [dan.id, "administrator"],
      [bob.id, "member"],
    ]);
    await remove(dan, id, bob);
    await remove(dan, id, dan);
    expect(await codeOf(dan.get(id))).toBe("not_found");
  });

  it("conversations.create and list go by the current participants", async () => {
    const { ann, bob, cat, dan, id } = await group();
    await add(ann, id, dan);
    const find = (...others: Talker[]) => ann.listed({ participants: others.map((other) => other.id) });
    expect([await find(bob, cat), await find(bob, cat, dan)]).toEqual([[], [id]]);
    expect((await dan.write([ann.id, bob.id, cat.id], "All")).conversationId).toBe(id);
    const { conversationId: other } = await ann.write([bob.id, cat.id], "Without Dan");
    expect(other).not.toBe(id);
    await remove(ann, id, dan);
    expect((await ann.write([bob.id, cat.id], "The newest")).conversationId).toBe(other);
  });

  it("conversations.list finds the conversations with exactly these participants, or all others", async () => {
    const { ann, bob, cat, id } = await group();
    const { conversationId: direct } = await ann.write([bob.id], "Direct");
    const list = (input: object) => ann.listed(input);
    const trio = [cat.id, ann.id, bob.id];
    expect(await list({ participants: [bob.id] })).toEqual([direct]);
    expect(await list({ participants: trio })).toEqual([id]);
    expect(await list({ participants: trio.slice(0, 1) })).toEqual([]);
    expect(await list({ participants: trio, participants_mode: "exclude" })).toEqual([direct]);
    expect(await wrongFields(list({ participants: [] }))).toEqual(["participants"]);
    expect(await wrongFields(list({ participants: [0] }))).toEqual(["participants.0"]);
  });

  it("conversations.list finds words of the title and of other participants' names", async () => {
    const { addUser, ids } = world();
    const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
    const zoe = await addUser({ first_name: "Zoë", last_name: "Quist", title: "Baker" });
    const { conversationId: withZoe } = await ann.write([zoe.id], "Hello");
    const { conversationId: group } = await ann.write([bob.id, cat.id], "Hello");
    await ann.caller.call(conversations.update, { id: group, title: "Årsmøde 100% quiz" });
    const list = (keyword: string) => ann.listed({ keyword });
    expect(await list("zoe")).toEqual([withZoe]);
    expect(await list("QUI")).toEqual([group, withZoe]);
    expect(await list("zoe qui")).toEqual([withZoe]);
    expect(await list("årsmode")).toEqual([group]);
    expect(await list("rsmøde")).toEqual([]);
    expect(await list("100")).toEqual([group]);
    for (const none of ["%", "_", "baker", "zoe årsmøde", "hello", "'"]) expect(await list(none)).toEqual([]);
    expect(await ann.listed({ keyword: "given" })).toEqual([group]);
    const admin = world().actors.administrator;
    expect((await admin.call(conversations.list, { keyword: "zoe" })).data).toEqual([]);
    await admin.call(users.update, { id: zoe.id, first_name: "Yrsa" });
    expect([await list("zoe"), await list("yrsa")]).toEqual([[], [withZoe]]);
    expect(ids.administrator).toBe(1);
  });

  it("conversations.list returns numbered pages, those with the latest message first", async () => {
    const [ann, ...others] = await talkers(world(), 6);
    const found: number[] = [];
    for (const other of others) found.unshift((await ann!.write([other.id], "Hello")).conversationId);
    const page = (input: object) => ann!.caller.call(conversations.list, { limit: 2, ...input });
    const second = await page({ page: 2 });
    expect(second.data.map((each) => each.id)).toEqual(found.slice(2, 4));
    expect(second.meta).toMatchObject({ current_page: 2, from: 3, to: 4, last_page: 3, per_page: 2, total: 5 });
    expect(second.links.next).toContain("page=3");
    expect((await page({ page: 9 })).data).toEqual([]);
    await others[0]!.send(found[4]!, "Me first");
    expect((await ann!.listed()).slice(0, 2)).toEqual([found[4], found[0]]);
    const [first] = (await page({})).data;
    expect(first).toEqual(await ann!.get(found[4]!));
  });
});
