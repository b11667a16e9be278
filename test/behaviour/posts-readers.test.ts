import { describe, expect, it } from "vitest";
import { groups } from "../../src/contract/groups.ts";
import type { ArgumentsOf } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { describeEverywhere } from "../support/instance.ts";
import { useNewsroom } from "../support/newsroom.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";
import { walkPages } from "../support/walk-pages.ts";

type Status = ArgumentsOf<typeof posts.readers>["status"];

describeEverywhere("readers of a post", (environment) => {
  const newsroom = useNewsroom(environment);

  const readersOf = async (id: number, status?: Status, by = newsroom().actors.administrator) =>
    (await by.call(posts.readers, { id, ...(status && { status }) })).data;
  const idsOf = async (...asked: Parameters<typeof readersOf>) =>
    (await readersOf(...asked)).map(({ user }) => user.id);

  it("posts.readers lists who has seen and confirmed a post, at what time, and who has not", async () => {
    const { write, actors, ids, units, colleague, instance } = newsroom();
    const { id, confirm } = await write({ confirm: { enabled: true }, visibility: { units: [units.harbour] } });
    instance.wait(60);
    await colleague.call(posts.seen, { id });
    instance.wait(60);
    const now = instance.now();
    await actors.member.call(posts.read, { id });
    const all = await readersOf(id);
    expect(all).toHaveLength(confirm.total);
    expect(all).toMatchObject([
      { user: { id: ids.administrator }, seen_at: now - 120, read_at: null },
      { user: { id: ids.member, name: "Member Family3", unit: { id: units.harbour } }, seen_at: now, read_at: now },
      { user: { id: ids.colleague }, seen_at: now - 60, read_at: null },
      { user: { active: true }, seen_at: null, read_at: null },
    ]);
    // A former administrator, who has no mark.
    const fourth = all[3]!.user.id;
    expect(await idsOf(id, "confirmed")).toEqual([ids.member]);
    expect(await idsOf(id, "unconfirmed")).toEqual([ids.administrator, ids.colleague, fourth]);
    expect(await idsOf(id, "seen")).toEqual([ids.administrator, ids.member, ids.colleague]);
    expect(await idsOf(id, "unseen")).toEqual([fourth]);
    // Only what everybody sees of a user.
    const shown = (await actors.outsider.call(posts.create, { content_type: "debate", title: "Mine" })).author;
    expect(Object.keys(all[1]!.user).toSorted()).toEqual(Object.keys(shown).toSorted());
  });

  it("posts.readers shows each reader once in pages of any size, in both directions", async () => {
    const { write, actors, ids } = newsroom();
    const { id } = await write({ sharing: { shares: [ids.outsider] } });
    await actors.member.call(posts.read, { id });
    for (const status of [undefined, "unconfirmed", "confirmed"] as const) {
      const found = await idsOf(id, status);
      for (const limit of [1, 2, found.length, found.length + 1]) {
        const walked = await walkPages(async (cursor) => {
          const input = { id, limit, ...(status && { status }), ...(cursor && { cursor }) };
          const { data, meta } = await actors.administrator.call(posts.readers, input);
          return { data: data.map(({ user }) => user), meta };
        });
        expect(walked).toEqual({ forth: found, back: found });
      }
    }
  });

  it("posts.readers follows the audience: users who join, leave or are deactivated, and republishing", async () => {
    const { write, actors, units, addUser, instance } = newsroom();
    const { administrator } = actors;
    const { id } = await write({ visibility: { units: [units.yard] } });
    const joined = await addUser({ unit: units.yard });
    const reader = await instance.as(joined.id);
    await reader.call(posts.read, { id });
    expect(await idsOf(id, "confirmed")).toEqual([joined.id]);
    await administrator.call(posts.republish, { id });
    expect(await readersOf(id, "confirmed")).toMatchObject([{ user: { id: joined.id }, seen_at: null }]);
    await administrator.call(users.deactivate, { id: joined.id });
    expect(await idsOf(id)).toEqual([1]);
    await administrator.call(users.reactivate, { id: joined.id });
    expect(await idsOf(id)).toEqual([1, joined.id]);
    await administrator.call(users.delete, { id: joined.id });
    expect(await idsOf(id)).toEqual([1]);
  });

  it("service accounts are not among the readers of a post, nor in its numbers", async () => {
    const { write, actors, ids, units } = newsroom();
    const name = { first_name: "Nightly", last_name: "Import" };
    await actors.administrator.call(users.create, { ...name, unit: units.yard, service: true });
    const { id, confirm, event } = await write({
      content_type: "event",
      visibility: { units: [units.yard] },
      confirm: { enabled: true },
      event: { datetime_start: "2026-06-01T10:00", participation: { enabled: true } },
    });
    expect([confirm.total, event!.participation.invited]).toEqual([1, 1]);
    expect(await idsOf(id)).toEqual([ids.administrator]);
    const { data } = await actors.administrator.call(posts.participants, { id });
    expect(data).toMatchObject([{ user: { id: ids.administrator } }]);
  });

  it("posts.participants lists who comes to the event of a post, who does not, and who has not answered", async () => {
    const { write, actors, ids, units, colleague, planner } = newsroom();
    const post = await write({
      content_type: "event",
      unit: units.north,
      visibility: { units: [units.harbour] },
      event: { datetime_start: "2026-06-01T10:00", participation: { enabled: true } },
    });
    const { id } = post;
    await actors.member.call(posts.participate, { id, answer: "accepted" });
    await colleague.call(posts.participate, { id, answer: "rejected" });
    const list = (input: Partial<ArgumentsOf<typeof posts.participants>> = {}) =>
      planner.call(posts.participants, { id, ...input });
    const all = (await list()).data;
    expect(all).toHaveLength(post.event!.participation.invited);
    expect(all).toMatchObject([
      { user: { id: ids.administrator }, answer: null },
      { user: { id: ids.member, unit: { id: units.harbour } }, answer: "accepted" },
      { user: { id: ids.colleague }, answer: "rejected" },
      { user: { active: true }, answer: null },
    ]);
    for (const [answer, at] of Object.entries({ accepted: [1], rejected: [2], none: [0, 3] })) {
      const filter = { answer: answer as "accepted" };
      const found = at.map((place) => all[place]!);
      expect((await list(filter)).data).toEqual(found);
      const walked = await walkPages(async (cursor) => {
        const { data, meta } = await list({ ...filter, limit: 1, ...(cursor && { cursor }) });
        return { data: data.map(({ user }) => user), meta };
      });
      const users = found.map(({ user }) => user.id);
      expect(walked).toEqual({ forth: users, back: users });
    }
    const { next_cursor } = (await list({ limit: 1 })).meta;
    expect(await wrongFields(list({ limit: 1, answer: "none", cursor: next_cursor! }))).toEqual(["cursor"]);
    await actors.member.call(posts.unparticipate, { id });
    expect((await list({ answer: "accepted" })).data).toEqual([]);
    const plain = await write();
    expect(await refusal(actors.administrator.call(posts.participants, { id: plain.id }))).toMatchObject({
      code: "conflict",
      message: `Participation is not enabled for post ${plain.id}.`,
    });
  });

  describe("permission", () => {
    it("posts.readers is for those who can edit the post: not for readers, former editors and editors elsewhere", async () => {
      const { write, actors, units, types, addUser, instance, editor, planner } = newsroom();
      const north = await write({ unit: units.north });
      const elsewhere = await addUser({ unit: units.south, userTypes: [types.editor] });
      const former = await addUser({ unit: units.north, userTypes: [types.editor] });
      const codes = async (id: number) => {
        const callers = [editor, planner, actors.member, await instance.as(elsewhere.id), await instance.as(former.id)];
        return Promise.all(callers.map((caller) => codeOf(caller.call(posts.readers, { id }))));
      };
      expect(await codes(north.id)).toEqual(["ok", "forbidden", "forbidden", "not_found", "ok"]);
      const membership = { user: former.id, from: units.north, userTypes: [types.employee] };
      await actors.administrator.call(users.membershipSet, membership);
      expect(await codes(north.id)).toEqual(["ok", "forbidden", "forbidden", "not_found", "forbidden"]);
      const { message } = await refusal(actors.member.call(posts.readers, { id: north.id }));
      expect(message).toBe(
        `Only its author and users with the ability news in the unit that owns it can list the readers of post ${north.id}.`,
      );
    });

    it("posts.readers keeps the members of a private group from its author who left, and from editors outside", async () => {
      const { actors, ids, units, editor } = newsroom();
      const { administrator, member } = actors;
      const { id: group } = await administrator.call(groups.create, { name: "Council", privacy: "private" });
      for (const user of [ids.member, ids.colleague]) await administrator.call(groups.memberAdd, { id: group, user });
      const debate = { content_type: "debate" as const, title: "Debate", group, unit: units.harbour };
      const { id } = await member.call(posts.create, debate);
      expect(await idsOf(id, undefined, member)).toEqual([ids.administrator, ids.member, ids.colleague]);
      await administrator.call(groups.memberRemove, { id: group, user: ids.member });
      for (const caller of [member, editor]) {
        expect(await codeOf(caller.call(posts.update, { id, title: "Debate" }))).toBe("ok");
        expect(await refusal(caller.call(posts.readers, { id }))).toMatchObject({
          code: "forbidden",
          message: `Only members of its private group can list the readers of post ${id}.`,
        });
        expect(await codeOf(caller.call(posts.participants, { id }))).toBe("forbidden");
      }
      await administrator.call(groups.update, { id: group, privacy: "public" });
      expect(await idsOf(id, undefined, member)).toEqual([ids.administrator, ids.member, ids.colleague]);
    });

    it("posts.readers needs a scope that covers it", async () => {
      const { write, actors, instance } = newsroom();
      const { id } = await write();
      const codeWith = async (scope: string) => {
        const name = `Readers ${scope}`;
        const { token } = await actors.administrator.call(tokens.create, { name, scopes: [scope] });
        return codeOf(instance.withToken(token).call(posts.readers, { id }));
      };
      const scopes = ["read", "posts.*", "posts.readers", "posts.get", "users.*"];
      expect(await Promise.all(scopes.map(codeWith))).toEqual(["ok", "ok", "ok", "forbidden", "forbidden"]);
    });
  });
});
