import { expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import { groups } from "../../src/contract/groups.ts";
import { posts } from "../../src/contract/posts.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { useNewsroom } from "../support/newsroom.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("deleted and shared things", (environment) => {
  const newsroom = useNewsroom(environment);
  const actors = () => newsroom().actors;
  const event = { title: "Event", start: 1_800_000_000, end: 1_800_003_600 };

  it("nobody learns by `gone` of a draft, also when the time to publish it has passed", async () => {
    const { write, instance } = newsroom();
    const drafts = [
      await write({ publish: { status: false } }),
      await write({ publish: { publish_on: instance.now() + 100 } }),
    ];
    for (const { id } of drafts) await actors().administrator.call(posts.delete, { id });
    const asks = async (actor: "member" | "administrator") =>
      Promise.all(drafts.map(({ id }) => codeOf(actors()[actor].call(posts.get, { id }))));
    expect([await asks("member"), await asks("administrator")]).toEqual([
      ["not_found", "not_found"],
      ["gone", "gone"],
    ]);
    instance.wait(200);
    expect(await asks("member")).toEqual(["not_found", "not_found"]);
  });

  it("nobody learns by `gone` of a personal event of somebody else, administrators included", async () => {
    const { ids } = newsroom();
    const { member, outsider, administrator, manager } = actors();
    const { id } = await member.call(events.create, { ...event, type: "user", shares: [ids.outsider] });
    await member.call(events.delete, { id });
    const asks = [member, outsider, administrator, manager].map((actor) => codeOf(actor.call(events.get, { id })));
    expect(await Promise.all(asks)).toEqual(["gone", "gone", "not_found", "not_found"]);
  });

  it("a user type that deleted things were for can go, and leaves them to nobody else", async () => {
    const { addUser, write, units, instance, types } = newsroom();
    const { administrator, member } = actors();
    const other = await write({ visibility: { all_units: true, units: [units.harbour], userTypes: [types.employee] } });
    const { id: guests } = await administrator.call(usertypes.create, { name: "Guest" });
    const guest = await instance.as((await addUser({ unit: units.harbour })).id);
    const visibility = { all_units: true, userTypes: [guests] };
    const post = await write({ visibility });
    const chain = await administrator.call(events.create, {
      ...event,
      type: "chain",
      units: [units.north],
      userTypes: [guests],
    });
    const remove = () => codeOf(administrator.call(usertypes.delete, { id: guests }));
    await administrator.call(posts.delete, { id: post.id });
    expect(await remove(), "while an event is for it").toBe("conflict");
    await administrator.call(events.delete, { id: chain.id });
    expect(await remove()).toBe("ok");
    for (const actor of [guest, member]) {
      expect(await codeOf(actor.call(posts.get, { id: post.id }))).toBe("not_found");
      expect(await codeOf(actor.call(events.get, { id: chain.id }))).toBe("not_found");
    }
    expect(await codeOf(administrator.call(posts.get, { id: post.id }))).toBe("gone");
    expect(await administrator.call(posts.get, { id: other.id }), "for another type").toEqual(other);
  });

  it("a post that is shared out of a private group does not say which group that is", async () => {
    const { ids } = newsroom();
    const { administrator, outsider } = actors();
    const { id: group } = await administrator.call(groups.create, { name: "Board", privacy: "private" });
    const debate = { content_type: "debate" as const, title: "Debate", group };
    const post = await administrator.call(posts.create, { ...debate, sharing: { shares: [ids.outsider] } });
    expect(post.group).toEqual({ id: group, name: "Board", image: null });
    expect((await outsider.call(posts.get, { id: post.id })).group).toBeNull();
    const listed = await outsider.call(posts.list, { author: ids.administrator });
    expect(listed.data.map(({ id, group }) => [id, group])).toContainEqual([post.id, null]);
    expect(await wrongFields(outsider.call(posts.list, { group }))).toEqual(["group"]);
    await administrator.call(groups.update, { id: group, privacy: "public" });
    expect((await outsider.call(posts.get, { id: post.id })).group).toMatchObject({ id: group, name: "Board" });
    expect((await outsider.call(posts.list, { group })).data).toHaveLength(1);
  });
});
