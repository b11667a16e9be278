import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { useWorld } from "../support/actors.ts";
import { type Talker, talkers, textsOf } from "../support/conversations.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { observeWaits } from "../support/observe-waits.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const upload = { type: "upload" as const, name: "dot.png", data: picture.toString("base64") };

describeOnOneDatabase("messages", (environment) => {
  const world = useWorld(environment);
  /** Two people with a conversation of `count` messages, `1` to `count`. */
  const pair = async (count = 1) => {
    const [ann, bob] = (await talkers(world(), 2)) as [Talker, Talker];
    const first = await ann.write([bob.id], "1");
    for (let n = 2; n <= count; n++) await ann.send(first.conversationId, `${n}`);
    return { ann, bob, id: first.conversationId, first };
  };
  const trio = async () => {
    const [ann, bob, cat] = (await talkers(world(), 3)) as [Talker, Talker, Talker];
    const first = await ann.write([bob.id, cat.id], "First");
    return { ann, bob, cat, id: first.conversationId, first };
  };

  it("conversations.messages lists the newest first, to the end and back", async () => {
    const { bob, id } = await pair(7);
    const ask = (input: object) => bob.caller.call(conversations.messages, { id, limit: 3, ...input });
    const one = await ask({});
    const two = await ask({ cursor: one.meta.next_cursor });
    const three = await ask({ cursor: two.meta.next_cursor });
    expect([one, two, three].map(({ data }) => textsOf(data))).toEqual([["7", "6", "5"], ["4", "3", "2"], ["1"]]);
    expect([one.meta.prev_cursor, three.meta.next_cursor]).toEqual([null, null]);
    const back = await ask({ cursor: three.meta.prev_cursor });
    expect(textsOf(back.data)).toEqual(["4", "3", "2"]);
    expect(textsOf((await ask({ cursor: back.meta.prev_cursor })).data)).toEqual(["7", "6", "5"]);
  });

  it("conversations.messages returns 25 by default, at most 100", async () => {
    const { ann, id } = await pair(30);
    expect(await ann.texts(id)).toHaveLength(25);
    expect(await ann.texts(id, { limit: 100 })).toHaveLength(30);
    for (const limit of [0, 101]) expect(await wrongFields(ann.texts(id, { limit }))).toEqual(["limit"]);
  });

  it("conversations.messages: new messages do not move pages", async () => {
    const { ann, bob, id } = await pair(4);
    const { meta } = await bob.caller.call(conversations.messages, { id, limit: 2 });
    await ann.send(id, "5");
    expect(await bob.texts(id, { limit: 2, cursor: meta.next_cursor })).toEqual(["2", "1"]);
  });

  it("conversations.messages returns a page around a starter, and continues in both directions", async () => {
    const { ann, id } = await pair(9);
    const all = (await ann.caller.call(conversations.messages, { id })).data;
    const numbered = (text: string) => all.find((message) => message.message === text)!.id;
    const ask = (input: object) => ann.caller.call(conversations.messages, { id, limit: 4, ...input });
    const around = await ask({ starter_message_id: numbered("5") });
    expect(textsOf(around.data)).toEqual(["6", "5", "4", "3"]);
    expect(textsOf((await ask({ cursor: around.meta.next_cursor })).data)).toEqual(["2", "1"]);
    const newer = await ask({ cursor: around.meta.prev_cursor });
    expect(textsOf(newer.data)).toEqual(["9", "8", "7"]);
    expect(newer.meta.prev_cursor).toBe(null);

    expect(textsOf((await ask({ starter_message_id: numbered("9") })).data)).toEqual(["9", "8", "7", "6"]);
    expect(textsOf((await ask({ starter_message_id: numbered("1") })).data)).toEqual(["4", "3", "2", "1"]);
    expect(textsOf((await ask({ starter_message_id: numbered("2") })).data)).toEqual(["4", "3", "2", "1"]);
    expect(textsOf((await ask({ starter_message_id: numbered("5"), limit: 1 })).data)).toEqual(["5"]);
    const whole = await ask({ starter_message_id: numbered("5"), limit: 100 });
    expect(textsOf(whole.data)).toEqual(["9", "8", "7", "6", "5", "4", "3", "2", "1"]);
  });

  it("conversations.messages: prev_cursor of a page around the newest message leads to later messages", async () => {
    const { ann, id, first } = await pair();
    const { meta } = await ann.caller.call(conversations.messages, { id, starter_message_id: first.id });
    await ann.send(id, "2");
    expect(await ann.texts(id, { cursor: meta.prev_cursor })).toEqual(["2"]);
  });

  it("conversations.messages ignores a starter beside a cursor or a query", async () => {
    const { ann, id, first } = await pair(4);
    const { meta } = await ann.caller.call(conversations.messages, { id, limit: 1 });
    const ask = (input: object) => ann.texts(id, { limit: 1, starter_message_id: first.id, ...input });
    expect(await ask({ cursor: meta.next_cursor })).toEqual(["3"]);
    expect(await ask({ query: "4" })).toEqual(["4"]);
    expect(await codeOf(ask({ starter_message_id: 987654, query: "4" }))).toBe("ok");
  });

  it("conversations.messages refuses a starter of another conversation, and foreign and forged cursors", async () => {
    const { ann, bob, id } = await pair(2);
    const other = await pair(2);
    expect(await wrongFields(ann.texts(id, { starter_message_id: other.first.id }))).toEqual(["starter_message_id"]);
    const limitless = { starter_message_id: other.first.id, limit: 0 };
    expect(await wrongFields(ann.texts(id, limitless))).toEqual(["limit", "starter_message_id"]);
    expect(await wrongFields(ann.texts(id, { ...limitless, query: "4" }))).toEqual(["limit"]);
    expect(await wrongFields(ann.texts(id, { ...limitless, query: "" }))).toEqual(["limit", "query"]);
    expect(await wrongFields(ann.texts(id, { ...limitless, cursor: "x" }))).toEqual(["cursor", "limit"]);
    const { meta } = await other.ann.caller.call(conversations.messages, { id: other.id, limit: 1 });
    const forged = Buffer.from(`${"x".repeat(9)}[1,2]`).toString("base64url");
    for (const cursor of [meta.next_cursor!, forged, "x", ""]) {
      expect(await wrongFields(ann.texts(id, { cursor }))).toEqual(["cursor"]);
    }
    const found = await bob.caller.call(conversations.messages, { id, limit: 1 });
    expect(await wrongFields(ann.texts(id, { cursor: found.meta.next_cursor, query: "1" }))).toEqual(["cursor"]);
  });

  it("conversations.send: a reply shows its parent, without the parent's own parent", async () => {
    const { ann, bob, id, first } = await pair();
    const reply = await bob.send(id, "Re", { parent_id: first.id });
    expect(reply).toMatchObject({ is_reply: true, parent: { id: first.id, message: "1", parent: null } });
    const again = await ann.send(id, "Re: Re", { parent_id: reply.id });
    expect(again.parent).toMatchObject({ id: reply.id, is_reply: true, parent: null });
    const [shown] = (await ann.caller.call(conversations.messages, { id, limit: 1 })).data;
    expect(shown).toEqual(again);
    expect((await ann.get(id)).latest_message).not.toHaveProperty("parent");
  });

  it("conversations.send refuses a parent that is deleted or in another conversation", async () => {
    const { ann, id, first } = await pair();
    const other = await pair();
    expect(await wrongFields(ann.send(id, "Re", { parent_id: other.first.id }))).toEqual(["parent_id"]);
    expect(await wrongFields(ann.send(id, "Re", { parent_id: 987654 }))).toEqual(["parent_id"]);
    await ann.caller.call(conversations.messageDelete, { id, messageId: first.id });
    expect((await refusal(ann.send(id, "Re", { parent_id: first.id }))).fields).toEqual({
      parent_id: [`is a deleted message: ${first.id}`],
    });
  });

  it("conversations.send names a wrong parent beside a text that is too long", async () => {
    const { ann, id } = await pair();
    const wrong = ann.send(id, "a".repeat(10_001), { parent_id: 987654 });
    expect(await wrongFields(wrong)).toEqual(["message", "parent_id"]);
  });

  it("conversations.send accepts 1 to 10,000 characters of any kind", async () => {
    const { ann, id } = await pair();
    const longest = "😀".repeat(10_000);
    expect((await ann.send(id, longest)).message).toBe(longest);
    expect((await ann.send(id, " \n a")).message).toBe(" \n a");
    for (const message of ["", " \n\t", "😀".repeat(10_001), "x".repeat(10_001), "a\0b"]) {
      expect(await wrongFields(ann.send(id, message))).toEqual(["message"]);
    }
    expect(await ann.texts(id)).toEqual([" \n a", longest, "1"]);
  });

  it("conversations.send refuses half a surrogate pair", async () => {
    const { ann, id, first } = await pair();
    for (const message of ["\ud800", "a\udc00"]) {
      expect(await wrongFields(ann.send(id, message))).toEqual(["message"]);
      const change = ann.caller.call(conversations.messageUpdate, { id, messageId: first.id, message });
      expect(await wrongFields(change)).toEqual(["message"]);
    }
  });

  it("conversations.send attaches files", async () => {
    const { ann, bob, id } = await pair();
    const video = { type: "youtube" as const, name: "Tour", data: "https://www.youtube.com/watch?v=abc" };
    const sent = await ann.caller.call(conversations.send, { id, message: "Look", files: [upload, video] });
    expect(sent.files.map(({ name, type, mime, width }) => [name, type, mime, width])).toEqual([
      ["dot.png", "upload", "image/png", 1],
      ["Tour", "youtube", expect.any(String), null],
    ]);
    const [shown] = (await bob.caller.call(conversations.messages, { id, limit: 1 })).data;
    expect(shown?.files).toEqual(sent.files);
    expect((await bob.get(id)).latest_message?.files).toEqual(sent.files);
    await ann.caller.call(conversations.messageDelete, { id, messageId: sent.id });
    const gone = await bob.caller.call(conversations.message, { id, messageId: sent.id });
    expect(gone.files).toEqual([]);
  });

  it("conversations.send sends nothing when a file is invalid", async () => {
    const { ann, id } = await pair();
    const bad = { ...upload, data: "%" };
    const call = ann.caller.call(conversations.send, { id, message: "Look", files: [upload, bad] });
    expect(await wrongFields(call)).toEqual(["files.1.data"]);
    expect(await ann.texts(id)).toEqual(["1"]);
  });

  it("conversations.create attaches files", async () => {
    const [ann, bob] = await talkers(world(), 2);
    const input = { recipients: [bob!.id], message: "Look", files: [upload] };
    expect((await ann!.caller.call(conversations.create, input)).files).toHaveLength(1);
  });

  it("conversations.create and conversations.send require a text or files", async () => {
    const { ann, bob, id } = await pair();
    const onlyFiles = { message: "", files: [{ name: "dot.png" }] };
    for (const text of [{}, { message: null }, { message: " " }]) {
      expect(await ann.caller.call(conversations.send, { id, ...text, files: [upload] })).toMatchObject({
        ...onlyFiles,
        message: text.message ?? "",
      });
    }
    expect(await ann.caller.call(conversations.create, { recipients: [bob.id], files: [upload] })).toMatchObject(
      onlyFiles,
    );
    for (const nothing of [{}, { message: null }, { files: [] }]) {
      expect(await wrongFields(ann.caller.call(conversations.send, { id, ...nothing }))).toEqual(["message"]);
    }
    expect(await wrongFields(ann.caller.call(conversations.create, { recipients: [bob.id] }))).toEqual(["message"]);
  });

  it("conversations.message returns one message", async () => {
    const { bob, id, first } = await pair();
    const other = await pair();
    expect(await bob.caller.call(conversations.message, { id, messageId: first.id })).toEqual(first);
    for (const messageId of [987654, other.first.id]) {
      expect(await codeOf(bob.caller.call(conversations.message, { id, messageId }))).toBe("not_found");
    }
  });

  it("conversations.messageUpdate is for the author, and shows the time to everybody", async () => {
    const { ann, bob, id, first } = await pair();
    world().instance.wait(60);
    const change = { id, messageId: first.id, message: "One" };
    const changed = await ann.caller.call(conversations.messageUpdate, change);
    expect(changed).toEqual({ ...first, message: "One", edited_at: world().instance.now() });
    world().instance.wait(60);
    expect(await ann.caller.call(conversations.messageUpdate, change)).toEqual(changed);
    expect(await bob.caller.call(conversations.message, { id, messageId: first.id })).toEqual(changed);
    expect(await codeOf(bob.caller.call(conversations.messageUpdate, change))).toBe("forbidden");
    expect((await bob.get(id)).unread_message_count).toBe(1);
  });

  it("conversations.messageUpdate removes the text only from a message with files", async () => {
    const { ann, id, first } = await pair();
    const { id: messageId } = await ann.caller.call(conversations.send, { id, message: "Look", files: [upload] });
    const changed = await ann.caller.call(conversations.messageUpdate, { id, messageId, message: "" });
    expect(changed).toMatchObject({ message: "", files: [{ name: "dot.png" }] });
    for (const message of ["", " \n", "\u200b"]) {
      expect(await wrongFields(ann.caller.call(conversations.send, { id, message }))).toEqual(["message"]);
      const blank = ann.caller.call(conversations.messageUpdate, { id, messageId: first.id, message });
      expect(await wrongFields(blank)).toEqual(["message"]);
    }
  });

  it("conversations.messageDelete leaves an empty message in its place", async () => {
    const { ann, bob, id, first } = await pair(3);
    const reply = await bob.send(id, "Re", { parent_id: first.id });
    await bob.caller.call(conversations.react, { id, messageId: first.id, emoji: "👍" });
    expect(await codeOf(bob.caller.call(conversations.messageDelete, { id, messageId: first.id }))).toBe("forbidden");
    expect((await bob.get(id)).unread_message_count).toBe(3);
    await ann.caller.call(conversations.messageDelete, { id, messageId: first.id });
    const gone = { id: first.id, deleted: true, message: "", reactions: [], files: [] };
    expect(await bob.caller.call(conversations.message, { id, messageId: first.id })).toMatchObject(gone);
    expect((await bob.caller.call(conversations.message, { id, messageId: reply.id })).parent).toMatchObject(gone);
    expect(await bob.texts(id)).toEqual(["Re", "3", "2", ""]);
    expect((await bob.get(id)).unread_message_count).toBe(2);
    const change = { id, messageId: first.id };
    expect(await codeOf(ann.caller.call(conversations.messageDelete, change))).toBe("conflict");
    expect(await codeOf(ann.caller.call(conversations.messageUpdate, { ...change, message: "x" }))).toBe("conflict");
    expect(await codeOf(ann.caller.call(conversations.react, { ...change, emoji: "👍" }))).toBe("conflict");
  });

  it("conversations.messageDelete of a seen message changes no count", async () => {
    const { ann, bob, id, first } = await pair(2);
    await bob.caller.call(conversations.seen, { id });
    await ann.send(id, "3");
    await ann.caller.call(conversations.messageDelete, { id, messageId: first.id });
    expect((await bob.get(id)).unread_message_count).toBe(1);
  });

  it("conversations.messageDelete is for the author and administrators of the group", async () => {
    const { ann, bob, cat, id } = await trio();
    const { id: messageId } = await bob.send(id, "Rude");
    expect(await codeOf(cat.caller.call(conversations.messageDelete, { id, messageId }))).toBe("forbidden");
    expect(await codeOf(ann.caller.call(conversations.messageDelete, { id, messageId }))).toBe("ok");
  });

  it("conversations.messageUpdate, messageDelete and react refuse service messages", async () => {
    const { ann, id } = await trio();
    const { latest_message } = await ann.caller.call(conversations.update, { id, title: "Named" });
    const messageId = latest_message!.id;
    const { caller } = ann;
    expect(await codeOf(caller.call(conversations.messageUpdate, { id, messageId, message: "x" }))).toBe("conflict");
    expect(await codeOf(caller.call(conversations.messageDelete, { id, messageId }))).toBe("conflict");
    expect(await codeOf(caller.call(conversations.react, { id, messageId, emoji: "👍" }))).toBe("conflict");
  });

  it("conversations.react adds each emoji once, however it is encoded", async () => {
    const { ann, bob, id, first } = await pair();
    const ask = (talker: Talker, emoji: string) =>
      talker.caller.call(conversations.react, { id, messageId: first.id, emoji });
    const then = world().instance.now();
    await ask(bob, "❤️");
    world().instance.wait(1);
    const now = world().instance.now();
    await ask(bob, "🌲");
    await ask(ann, "👍");
    await ask(ann, "👋");
    const { reactions } = await ask(bob, "❤");
    expect(reactions.map(({ emoji, user, created_at }) => [emoji, user.id, created_at])).toEqual([
      ["❤️", bob.id, then],
      ["👋", ann.id, now],
      ["👍", ann.id, now],
      ["🌲", bob.id, now],
    ]);
    expect(reactions[0]?.user.name).toMatch(/^Given Family/);
    expect((await ann.caller.call(conversations.message, { id, messageId: first.id })).reactions).toEqual(reactions);
    for (const emoji of ["", "a", "👍👍", "\ud83d"]) expect(await wrongFields(ask(ann, emoji))).toEqual(["emoji"]);
  });

  it("conversations.react allows each participant 10 reactions", async () => {
    const { ann, bob, id, first } = await pair();
    const ask = (talker: Talker, emoji: string) =>
      codeOf(talker.caller.call(conversations.react, { id, messageId: first.id, emoji }));
    for (const emoji of ["😀", "😁", "😂", "😃", "😄", "😅", "😆", "😇", "😈", "😉"]) await ask(ann, emoji);
    expect([await ask(ann, "👍"), await ask(ann, "😀"), await ask(bob, "👍")]).toEqual(["conflict", "ok", "ok"]);
  });

  it("conversations.unreact removes the actor's reaction", async () => {
    const { ann, bob, id, first } = await pair();
    const reaction = { id, messageId: first.id, emoji: "🏳️‍🌈" };
    await ann.caller.call(conversations.react, reaction);
    expect(await codeOf(bob.caller.call(conversations.unreact, reaction))).toBe("not_found");
    await ann.caller.call(conversations.unreact, reaction);
    expect(await codeOf(ann.caller.call(conversations.unreact, reaction))).toBe("not_found");
    expect((await ann.caller.call(conversations.message, { id, messageId: first.id })).reactions).toEqual([]);
  });

  it("conversations.follow starts now, and returns later messages", async () => {
    const { ann, bob, id } = await pair(2);
    const ask = (input: object) => bob.caller.call(conversations.follow, { id, ...input });
    const begin = await ask({});
    expect(begin.data).toEqual([]);
    expect(await ask({ after: begin.meta.last_id })).toEqual(begin);
    const sent = [await ann.send(id, "3"), await ann.send(id, "4")];
    const next = await ask({ after: begin.meta.last_id });
    expect(next).toEqual({ data: sent, meta: { last_id: sent[1]!.id } });
    expect(textsOf((await ask({ after: 0, limit: 3 })).data)).toEqual(["1", "2", "3"]);
    const other = await pair();
    expect(await wrongFields(ask({ after: other.first.id }))).toEqual(["after"]);
  });

  it("conversations.follow waits for a message", async () => {
    const { ann, bob, id, first } = await pair();
    const waiting = bob.caller.call(conversations.follow, { id, after: first.id, wait: 20 });
    const sent = await ann.send(id, "2");
    expect(await waiting).toEqual({ data: [sent], meta: { last_id: sent.id } });
  });

  it("conversations.follow returns nothing to a participant who is removed while waiting", async () => {
    const { ann, bob, id } = await trio();
    const { meta } = await bob.caller.call(conversations.follow, { id });
    const begun = observeWaits();
    const waiting = codeOf(bob.caller.call(conversations.follow, { id, after: meta.last_id, wait: 20 }));
    await begun();
    await ann.caller.call(conversations.participantRemove, { id, user: bob.id });
    expect(await waiting).toBe("not_found");
  });
});
