import { describe, expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { describeEverywhere } from "../support/instance.ts";
import { useNewsroom } from "../support/newsroom.ts";
import { codeOf, tally } from "../support/outcome.ts";

describeEverywhere("marks of readers on posts", (environment) => {
  const newsroom = useNewsroom(environment);
  const forMember = (id: number) => newsroom().actors.member.call(posts.get, { id });
  const forColleague = (id: number) => newsroom().colleague.call(posts.get, { id });
  const does = (op: "seen" | "read" | "like" | "unlike" | "bookmark" | "unbookmark", id: number) =>
    newsroom().actors.member.call(posts[op], { id });

  it("posts.seen, like, unlike, bookmark and unbookmark change the actor's own marks, and repeats change nothing", async () => {
    const { write } = newsroom();
    const { id } = await write();
    const none = { seen: false, liked: false, read: false, bookmarked: false };
    expect((await forMember(id)).interaction).toEqual(none);
    for (const op of ["seen", "seen", "like", "like", "bookmark", "bookmark"] as const) await does(op, id);
    expect(await forMember(id)).toMatchObject({
      seen_by_user: true,
      interaction: { seen: true, liked: true, read: false, bookmarked: true },
      stats: { likes: 1, reads: 0 },
    });
    expect(await forColleague(id)).toMatchObject({ seen_by_user: false, interaction: none, stats: { likes: 1 } });
    await newsroom().colleague.call(posts.like, { id });
    for (const op of ["unlike", "unlike", "unbookmark", "unbookmark"] as const) await does(op, id);
    expect(await forMember(id)).toMatchObject({
      interaction: { seen: true, liked: false, bookmarked: false },
      stats: { likes: 1 },
    });
  });

  it("posts.read confirms once, and marks the post as seen", async () => {
    const { write } = newsroom();
    const { id } = await write({ confirm: { enabled: true } });
    await does("read", id);
    await does("read", id);
    expect(await forMember(id)).toMatchObject({
      interaction: { read: true, seen: true },
      confirm: { enabled: true, confirmed: 1 },
      stats: { reads: 1 },
    });
    expect((await forColleague(id)).interaction.read).toBe(false);
  });

  it("posts.get: actively_requires_action until the reader has confirmed, and voted in an open mandatory poll", async () => {
    const { write, actors, instance, units, editor, colleague } = newsroom();
    const asks = async (id: number, caller = actors.member) =>
      (await caller.call(posts.get, { id })).actively_requires_action;
    const inList = async (id: number) =>
      (await actors.member.call(posts.list, { limit: 100 })).data.find((post) => post.id === id)
        ?.actively_requires_action;
    const confirm = { enabled: true };
    const choices = [{ title: "This" }, { title: "That" }];
    const poll = { question: "Which?", choices, mandatory: true, close_at: instance.now() + 600 };
    const plain = await write({ poll: { ...poll, mandatory: false } });
    const confirmed = await write({ confirm });
    const voted = await write({ poll });
    const both = await write({ confirm, poll });
    const all = [plain, confirmed, voted, both];
    for (const ask of [asks, inList]) {
      expect(await Promise.all(all.map(({ id }) => ask(id)))).toEqual([false, true, true, true]);
    }
    // Editors who are no readers do not have to act, and nobody has to for a draft.
    const draft = await write({ confirm, publish: { status: false } });
    const elsewhere = await write({ confirm, unit: units.north, visibility: { units: [units.south] } });
    expect([await asks(draft.id, actors.administrator), await asks(elsewhere.id, editor)]).toEqual([false, false]);
    await does("seen", confirmed.id);
    expect(await asks(confirmed.id)).toBe(true);
    await does("read", confirmed.id);
    for (const { id, poll } of [voted, both]) {
      await actors.member.call(posts.vote, { id, choices: [poll!.choices[0]!.id] });
    }
    expect(await Promise.all(all.map(({ id }) => asks(id)))).toEqual([false, false, false, true]);
    await does("read", both.id);
    expect(await asks(both.id)).toBe(false);
    expect(await Promise.all(all.map(({ id }) => asks(id, colleague)))).toEqual([false, true, true, true]);
    instance.wait(600);
    expect(await Promise.all(all.map(({ id }) => asks(id, colleague)))).toEqual([false, true, false, true]);
  });

  it("posts.like and other marks do not change updated_at", async () => {
    const { write, instance } = newsroom();
    const { id, publish } = await write();
    instance.wait(5);
    for (const op of ["seen", "read", "like", "bookmark"] as const) await does(op, id);
    await newsroom().actors.member.call(posts.commentAdd, { id, body: "Comment" });
    expect((await forMember(id)).publish).toEqual(publish);
  });

  describe("mentions", () => {
    it("are unseen until the post is seen, and again when the user is mentioned again", async () => {
      const { write, actors, ids } = newsroom();
      const { id } = await write({ mentions: [ids.member, ids.outsider, ids.member] });
      const unseen = async () => (await forMember(id)).has_unseen_mention;
      expect(await unseen()).toBe(true);
      expect((await forMember(id)).mentions.map((user) => user.id)).toEqual([ids.member, ids.outsider]);
      expect((await forColleague(id)).has_unseen_mention).toBe(false);
      await does("seen", id);
      expect(await unseen()).toBe(false);
      const change = (mentions: number[]) => actors.administrator.call(posts.update, { id, mentions });
      await change([ids.member, ids.colleague]);
      expect([await unseen(), (await forColleague(id)).has_unseen_mention]).toEqual([false, true]);
      await change([]);
      await change([ids.member]);
      expect(await unseen()).toBe(true);
      await does("read", id);
      expect(await unseen()).toBe(false);
    });

    it("have names in the post and its latest comment, also in lists", async () => {
      const { write, actors, ids } = newsroom();
      const { id } = await write({ mentions: [ids.colleague] });
      await actors.member.call(posts.commentAdd, { id, body: "You there", mentions: [ids.outsider] });
      const shown = await actors.administrator.call(posts.get, { id });
      const { data } = await actors.administrator.call(posts.list, {});
      const listed = data.filter((post) => post.id === id);
      expect(listed).toHaveLength(1);
      for (const { author, mentions, comments } of [shown, ...listed]) {
        const people = [author, ...mentions, comments.latest?.author, ...(comments.latest?.mentions ?? [])];
        expect(people.map((person) => person?.id)).toEqual([
          ids.administrator,
          ids.colleague,
          ids.member,
          ids.outsider,
        ]);
        expect(people.filter((person) => person?.name === "Deleted user")).toEqual([]);
      }
    });

    it("in comments are unseen until the post is seen or the comment deleted", async () => {
      const { write, actors, ids } = newsroom();
      const { id } = await write();
      const unseen = async () => (await forMember(id)).has_unseen_mention;
      const comment = { id, body: "You there", mentions: [ids.member] };
      const { id: first, mentions } = await actors.administrator.call(posts.commentAdd, comment);
      expect(mentions.map((user) => user.id)).toEqual([ids.member]);
      expect(await unseen()).toBe(true);
      await actors.administrator.call(posts.commentDelete, { id, comment: first });
      expect(await unseen()).toBe(false);
      await actors.administrator.call(posts.commentAdd, comment);
      expect([await unseen(), (await forMember(id)).mentions]).toEqual([true, []]);
      await does("seen", id);
      expect(await unseen()).toBe(false);
    });

    it("do not let a user read the post", async () => {
      const { write, actors, ids } = newsroom();
      const { id } = await write({ mentions: [ids.outsider] });
      expect(await codeOf(actors.outsider.call(posts.get, { id }))).toBe("not_found");
    });
  });

  describe("confirm.total", () => {
    const total = async (id: number) => (await newsroom().actors.administrator.call(posts.get, { id })).confirm.total;
    const confirm = { enabled: true };

    it("counts the active users of units, user types, shares and groups, and the author, once each", async () => {
      const { write, units, types, ids, actors, addUser, addGroup } = newsroom();
      const north = await write({ confirm });
      // Boss, manager, editor, planner; in Harbour member, colleague, and who once was an administrator; and the author.
      expect(north.confirm.total).toBe(8);
      const exact = await write({ confirm, visibility: { units: [units.harbour] } });
      expect(exact.confirm.total).toBe(4);
      const above = await write({ confirm, visibility: { units: [units.north] } });
      expect(above.confirm.total, "without the units below").toBe(5);
      const both = await write({ confirm, visibility: { units: [units.harbour], units_falldown: [units.north] } });
      expect(both.confirm.total).toBe(8);
      const shared = await write({ confirm, sharing: { shares: [ids.outsider, ids.member] } });
      expect(shared.confirm.total).toBe(9);
      const typed = await write({ confirm, visibility: { all_units: true, userTypes: [types.employee] } });
      expect(typed.confirm.total).toBe(2);
      const typedNorth = await write({
        confirm,
        visibility: { units_falldown: [units.north], userTypes: [types.employee, types.editor] },
      });
      expect(typedNorth.confirm.total).toBe(3);
      const group = await addGroup([ids.member, ids.outsider]);
      const debate = { content_type: "debate" as const, title: "Debate", group, confirm };
      expect((await actors.member.call(posts.create, debate)).confirm.total).toBe(3);
      const all = await write({ confirm, visibility: { all_units: true } });
      await addUser();
      expect(await total(all.id)).toBe(all.confirm.total);
      await actors.administrator.call(posts.republish, { id: all.id });
      expect(await total(all.id)).toBe(all.confirm.total + 1);
    });

    it("is counted again when confirmation is enabled and when the readers change", async () => {
      const { write, actors, units, ids } = newsroom();
      const { id } = await write({ visibility: { units: [units.south] } });
      expect(await total(id)).toBe(0);
      await actors.administrator.call(posts.update, { id, confirm });
      expect(await total(id)).toBe(2);
      await actors.administrator.call(posts.update, { id, sharing: { shares: [ids.member] } });
      expect(await total(id)).toBe(3);
      await actors.administrator.call(posts.update, { id, confirm: { enabled: false } });
      expect(await total(id)).toBe(0);
    });
  });

  it("posts.like counts simultaneous likes", async () => {
    const { write, addUser, instance } = newsroom();
    const { id } = await write();
    const readers = [];
    for (let count = 0; count < 8; count += 1) readers.push(await instance.as((await addUser()).id));
    expect(
      await tally(readers.flatMap((reader) => [reader.call(posts.like, { id }), reader.call(posts.seen, { id })])),
    ).toEqual({ ok: 16 });
    expect((await forMember(id)).stats.likes).toBe(8);
  });
});
