import { beforeAll, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { counters } from "../../src/contract/counters.ts";
import { muteRules, muterules } from "../../src/contract/muterules.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { type Talker, talker, talkers } from "../support/conversations.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { useNewsroom } from "../support/newsroom.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";
import { mistakes } from "../support/tables.ts";

const hour = 3600;
/** Rules that end, with their durations in seconds. */
const ending = [
  [2, hour],
  [3, 8 * hour],
  [4, 7 * 24 * hour],
] as const;

describeOnOneDatabase("muting", (environment) => {
  const newsroom = useNewsroom(environment);
  const unchecked = (input: object) => input as never;
  let ann: Talker;
  let bob: Talker;
  let editor: Caller;
  let id: number;
  let post: number;
  beforeAll(async () => {
    newsroom().instance.freeze();
    editor = newsroom().editor;
    [ann, bob] = (await talkers(newsroom(), 2)) as [Talker, Talker];
    newsroom().instance.wait(1);
    id = (await ann.write([bob.id], "Hello")).conversationId;
    post = (await newsroom().write()).id;
  });
  /** Lets time pass. Tokens end in it, so everybody signs in again. */
  const wait = async (seconds: number) => {
    const { instance, editorId } = newsroom();
    instance.wait(seconds);
    [ann, bob] = [talker(ann.id, await instance.as(ann.id)), talker(bob.id, await instance.as(bob.id))];
    editor = await instance.as(editorId);
  };
  const messages = (caller: Caller) => caller.call(counters.list, {}).then((counts) => counts.messages);
  const news = (caller: Caller) => caller.call(counters.list, {}).then((counts) => counts.news);
  const rule = async (caller: Caller) => (await caller.call(posts.get, { id: post })).mute_rule;

  it("muterules.list lists the four rules", async () => {
    const { data } = await newsroom().actors.member.call(muterules.list, {});
    expect(data).toEqual(muteRules);
    expect(data.map((each) => [each.id, each.seconds])).toEqual([[1, null], ...ending]);
  });

  it("conversations.mute: the counters ignore the conversation until the rule ends, for this participant only", async () => {
    expect([await messages(bob.caller), (await bob.get(id)).mute_rule]).toEqual([1, null]);
    for (const [mute_rule, seconds] of ending) {
      await bob.caller.call(conversations.mute, { id, mute_rule });
      await wait(seconds - 1);
      expect([await messages(bob.caller), (await bob.get(id)).mute_rule]).toEqual([0, mute_rule]);
      expect((await bob.caller.call(conversations.list, {})).data[0]).toMatchObject({ id, mute_rule });
      expect((await ann.get(id)).mute_rule).toBe(null);
      await wait(1);
      expect([await messages(bob.caller), (await bob.get(id)).mute_rule]).toEqual([1, null]);
    }
    await bob.caller.call(conversations.mute, { id, mute_rule: 1 });
    await wait(400 * 24 * hour);
    await ann.send(id, "Still there?");
    expect([await messages(bob.caller), (await bob.get(id)).mute_rule]).toEqual([0, 1]);
    expect((await bob.get(id)).unread_message_count).toBe(2);
    for (let times = 0; times < 2; times++) await bob.caller.call(conversations.unmute, { id });
    expect([await messages(bob.caller), (await bob.get(id)).mute_rule]).toEqual([2, null]);
  });

  it("conversations.mute restarts the rule, and conversations.update sets it, too", async () => {
    await bob.caller.call(conversations.update, { id, mute_rule: 2 });
    await wait(hour - 1);
    await bob.caller.call(conversations.mute, { id, mute_rule: 2 });
    await wait(hour - 1);
    expect((await bob.get(id)).mute_rule).toBe(2);
    expect((await bob.caller.call(conversations.update, { id, mute_rule: 1 })).mute_rule).toBe(1);
    await wait(1);
    expect((await bob.get(id)).mute_rule).toBe(1);
    expect((await bob.caller.call(conversations.update, { id, mute_rule: null })).mute_rule).toBe(null);
  });

  it("posts.mute: the counters ignore the post until the rule ends, for this reader only", async () => {
    const others = await news(editor);
    expect([await news(bob.caller), await rule(bob.caller)]).toEqual([1, null]);
    for (const [mute_rule, seconds] of ending) {
      await bob.caller.call(posts.mute, { id: post, mute_rule });
      await wait(seconds - 1);
      expect([await news(bob.caller), await rule(bob.caller)]).toEqual([0, mute_rule]);
      expect((await bob.caller.call(posts.list, {})).data[0]).toMatchObject({ id: post, mute_rule });
      expect([await news(editor), await rule(editor)]).toEqual([others, null]);
      await wait(1);
      expect([await news(bob.caller), await rule(bob.caller)]).toEqual([1, null]);
    }
    await bob.caller.call(posts.mute, { id: post, mute_rule: 1 });
    await wait(400 * 24 * hour);
    expect([await news(bob.caller), await rule(bob.caller)]).toEqual([0, 1]);
    for (let times = 0; times < 2; times++) await bob.caller.call(posts.unmute, { id: post });
    expect([await news(bob.caller), await rule(bob.caller)]).toEqual([1, null]);
  });

  it("conversations.mute and posts.mute refuse unknown rules and unknown or hidden IDs", async () => {
    for (const mute_rule of [0, 5, "x", null, undefined]) {
      expect(await wrongFields(bob.caller.call(conversations.mute, unchecked({ id, mute_rule })))).toEqual([
        "mute_rule",
      ]);
      expect(await wrongFields(bob.caller.call(posts.mute, unchecked({ id: post, mute_rule })))).toEqual(["mute_rule"]);
    }
    expect(await wrongFields(bob.caller.call(conversations.update, { id, mute_rule: 5 }))).toEqual(["mute_rule"]);
    const { instance, ids } = newsroom();
    const outsider = await instance.as(ids.outsider);
    for (const caller of [outsider, bob.caller]) {
      const [talk, news] = caller === outsider ? [id, post] : [987654, 987654];
      expect(await codeOf(caller.call(conversations.mute, { id: talk, mute_rule: 1 }))).toBe("not_found");
      expect(await codeOf(caller.call(conversations.unmute, { id: talk }))).toBe("not_found");
      expect(await codeOf(caller.call(posts.mute, { id: news, mute_rule: 1 }))).toBe("not_found");
      expect(await codeOf(caller.call(posts.unmute, { id: news }))).toBe("not_found");
    }
    expect(await mistakes(instance.database)).toEqual([]);
  });
});
