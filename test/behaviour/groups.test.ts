import { beforeAll, expect, it } from "vitest";
import { groups } from "../../src/contract/groups.ts";
import type { ArgumentsOf, Caller, OutputOf } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

type Group = OutputOf<typeof groups.get>;

describeEverywhere("groups", (environment) => {
  const world = useWorld(environment);
  let host: Caller;
  let hostId: number;
  beforeAll(async () => {
    const { actors, addUser } = world();
    const type = await actors.administrator.call(usertypes.create, { name: "Host", abilities: { groups: true } });
    hostId = (await addUser({ first_name: "Host", userTypes: [type.id] })).id;
    host = await world().instance.as(hostId);
  });
  const admin = () => world().actors.administrator;
  const member = () => world().actors.member;
  const make = (fields: Partial<ArgumentsOf<typeof groups.create>> = {}) =>
    admin().call(groups.create, { name: "Sailing", ...fields });
  const add = (id: number, user: number, role: "member" | "administrator" = "member") =>
    admin().call(groups.memberAdd, { id, user, role });
  const rolesIn = async (id: number) => {
    const { data } = await admin().call(groups.members, { id });
    return Object.fromEntries(data.map((each) => [each.user.id, each.role]));
  };
  const remove = (id: number) => admin().call(groups.delete, { id });
  const names = (list: readonly Group[]) => list.map((group) => group.name);

  it("groups.create is for users with the ability groups, who become administrators", async () => {
    const group = await host.call(groups.create, { name: "Choir", description: "We sing.", privacy: "private" });
    expect(group).toMatchObject({
      content_type: "group",
      name: "Choir",
      description: "We sing.",
      privacy: "private",
      member_count: 1,
      role: "administrator",
      image: null,
      permissions: { edit: true, delete: true },
      author: { id: hostId },
      created_at: world().instance.now(),
      url: `/groups/${group.id}`,
    });
    expect(await host.call(groups.get, { id: group.id })).toEqual(group);
    expect(await rolesIn(group.id)).toEqual({ [hostId]: "administrator" });
    expect(await make()).toMatchObject({ description: "", privacy: "public" });
    expect(await codeOf(member().call(groups.create, { name: "Mine" }))).toBe("forbidden");
    expect(await wrongFields(make({ name: " ", description: "x".repeat(10_001), privacy: "secret" as never }))).toEqual(
      ["description", "name", "privacy"],
    );
  });

  it("groups.memberAdd: everybody can see and join a public group, only as a member", async () => {
    const { id } = await make({ name: "Open" });
    expect(await member().call(groups.get, { id })).toMatchObject({
      role: null,
      permissions: { edit: false, delete: false },
    });
    expect(await codeOf(member().call(groups.memberAdd, { id, role: "administrator" }))).toBe("forbidden");
    expect(await codeOf(member().call(groups.memberAdd, { id, user: world().ids.outsider }))).toBe("forbidden");
    const joined = await member().call(groups.memberAdd, { id });
    expect(joined).toMatchObject({
      user: { id: world().ids.member },
      role: "member",
      joined_at: world().instance.now(),
    });
    expect(await codeOf(member().call(groups.memberAdd, { id }))).toBe("conflict");
    expect(await member().call(groups.get, { id })).toMatchObject({
      role: "member",
      member_count: 2,
      permissions: { edit: false },
    });
    expect(await codeOf(member().call(groups.update, { id, name: "Ours" }))).toBe("forbidden");
    await member().call(groups.memberRemove, { id, user: world().ids.member });
    expect(await member().call(groups.get, { id })).toMatchObject({ role: null, member_count: 1 });
    expect(await codeOf(member().call(groups.memberRemove, { id, user: world().ids.member }))).toBe("not_found");
  });

  it("groups.get: private groups exist for members and for users with the ability groups only", async () => {
    const { id } = await make({ name: "Board", privacy: "private" });
    const seen = async (caller: Caller) => names((await caller.call(groups.list, { name: "Board" })).data);
    for (const [op, input] of [
      [groups.get, { id }],
      [groups.members, { id }],
      [groups.memberAdd, { id }],
      [groups.update, { id, name: "x" }],
      [groups.delete, { id }],
      [groups.memberRemove, { id, user: 1 }],
    ] as const) {
      expect(await codeOf(member().call(op, input as never)), op.name).toBe("not_found");
    }
    expect(await seen(member())).toEqual([]);
    expect(await seen(host)).toEqual(["Board"]);
    expect(await host.call(groups.get, { id })).toMatchObject({ role: null, permissions: { edit: true } });
    await add(id, world().ids.member);
    expect(await seen(member())).toEqual(["Board"]);
    expect(await member().call(groups.get, { id })).toMatchObject({ role: "member" });
    expect(await codeOf(member().call(groups.memberAdd, { id, user: world().ids.member }))).toBe("forbidden");
    expect(Object.keys(await rolesIn(id))).toHaveLength(2);
  });

  it("groups.update, memberAdd, memberSet and memberRemove are for administrators of the group", async () => {
    const { id, updated_at } = await make({ name: "Garden", privacy: "private" });
    await add(id, world().ids.member, "administrator");
    const mine = { id, user: world().ids.outsider };
    world().instance.wait(5);
    const same = await member().call(groups.update, { id, name: "Garden" });
    expect(same).toMatchObject({ updated_at, permissions: { edit: true, delete: true } });
    const changed = await member().call(groups.update, {
      id,
      name: "Orchard",
      description: "Apples",
      privacy: "public",
    });
    expect(changed).toMatchObject({
      name: "Orchard",
      description: "Apples",
      privacy: "public",
      updated_at: updated_at + 5,
    });
    const found = async (name: string) => names((await member().call(groups.list, { name })).data);
    expect([await found("orch"), await found("Garden")]).toEqual([["Orchard"], []]);
    await member().call(groups.memberAdd, mine);
    expect(await member().call(groups.memberSet, { ...mine, role: "administrator" })).toMatchObject({
      role: "administrator",
    });
    await member().call(groups.memberRemove, mine);
    expect(await rolesIn(id)).toEqual({ 1: "administrator", [world().ids.member]: "administrator" });
    await member().call(groups.delete, { id });
    expect(await codeOf(member().call(groups.get, { id }))).toBe("not_found");
  });

  it("groups.memberSet and memberRemove keep an administrator in a group with members", async () => {
    const { id } = await make({ name: "Keep" });
    const { member: user } = world().ids;
    await add(id, user);
    expect(await codeOf(admin().call(groups.memberRemove, { id, user: 1 }))).toBe("conflict");
    expect(await codeOf(admin().call(groups.memberSet, { id, user: 1, role: "member" }))).toBe("conflict");
    await admin().call(groups.memberSet, { id, user, role: "administrator" });
    await admin().call(groups.memberRemove, { id, user: 1 });
    expect(await rolesIn(id)).toEqual({ [user]: "administrator" });
    expect(await codeOf(member().call(groups.memberSet, { id, user, role: "member" }))).toBe("conflict");
    await member().call(groups.memberRemove, { id, user });
    expect(await admin().call(groups.get, { id })).toMatchObject({ member_count: 0 });
    await remove(id);
  });

  it("groups.memberAdd: the first member of an empty group becomes administrator, also by joining", async () => {
    const { ids, addUser } = world();
    const { id } = await make({ name: "Empty", privacy: "public" });
    const leave = (user: number) => admin().call(groups.memberRemove, { id, user });
    await leave(1);
    expect(await add(id, ids.outsider)).toMatchObject({ role: "administrator" });
    await leave(ids.outsider);
    expect(await member().call(groups.memberAdd, { id })).toMatchObject({ role: "administrator" });
    expect(await add(id, ids.outsider)).toMatchObject({ role: "member" });
    await leave(ids.outsider);
    await leave(ids.member);
    const last = await addUser();
    await add(id, last.id);
    await admin().call(users.delete, { id: last.id });
    expect(await member().call(groups.memberAdd, { id })).toMatchObject({ role: "administrator" });
  });

  it("groups.memberAdd and memberRemove: a group that a user joins while its last administrator leaves has an administrator", async () => {
    const { id } = await make({ name: "Handover", privacy: "public" });
    const codes = await Promise.all([
      codeOf(admin().call(groups.memberRemove, { id, user: 1 })),
      codeOf(member().call(groups.memberAdd, { id })),
    ]);
    expect(codes[1]).toBe("ok");
    expect(Object.values(await rolesIn(id))).toContain("administrator");
  });

  it("groups.memberRemove: when two administrators leave simultaneously, one stays", async () => {
    const { id } = await make({ name: "Race" });
    const { member: user, outsider } = world().ids;
    await add(id, user, "administrator");
    await add(id, outsider);
    const codes = await Promise.all([
      codeOf(admin().call(groups.memberRemove, { id, user: 1 })),
      codeOf(member().call(groups.memberRemove, { id, user })),
    ]);
    expect(codes.toSorted()).toEqual(["conflict", "ok"]);
    expect(Object.values(await rolesIn(id)).toSorted()).toEqual(["administrator", "member"]);
  });

  it("users.delete removes the user from groups, and the member who joined first becomes administrator", async () => {
    const { addUser } = world();
    const [one, two, three] = [await addUser(), await addUser(), await addUser()];
    const taken = await make({ name: "Taken over" });
    const kept = await make({ name: "Kept" });
    const led = await make({ name: "Led by two" });
    for (const { id } of [taken, kept, led]) await add(id, one.id, "administrator");
    for (const { id } of [taken, led]) {
      await admin().call(groups.memberRemove, { id, user: 1 });
      await add(id, three.id);
    }
    world().instance.wait(1);
    await add(taken.id, two.id);
    await add(led.id, two.id, "administrator");
    await add(kept.id, two.id);
    await admin().call(users.delete, { id: one.id });
    expect(await rolesIn(taken.id)).toEqual({ [three.id]: "administrator", [two.id]: "member" });
    expect(await rolesIn(kept.id)).toEqual({ 1: "administrator", [two.id]: "member" });
    expect(await rolesIn(led.id)).toEqual({ [two.id]: "administrator", [three.id]: "member" });
    expect(await admin().call(groups.get, { id: taken.id })).toMatchObject({ member_count: 2 });
  });

  it("groups.memberSet and memberRemove: deactivated members neither become administrators nor count as one", async () => {
    const { addUser } = world();
    const [one, two, away] = [await addUser(), await addUser(), await addUser()];
    const { id } = await make({ name: "Away" });
    await add(id, away.id);
    await admin().call(users.deactivate, { id: away.id });
    expect(await wrongFields(admin().call(groups.memberSet, { id, user: away.id, role: "administrator" }))).toEqual([
      "user",
    ]);
    world().instance.wait(1);
    await add(id, one.id, "administrator");
    await add(id, two.id);
    await admin().call(groups.memberRemove, { id, user: 1 });
    await admin().call(users.delete, { id: one.id });
    expect(await rolesIn(id)).toEqual({ [away.id]: "member", [two.id]: "administrator" });
    await add(id, 1, "administrator");
    await admin().call(users.deactivate, { id: two.id });
    expect(await codeOf(admin().call(groups.memberSet, { id, user: 1, role: "member" }))).toBe("conflict");
    expect(await codeOf(admin().call(groups.memberRemove, { id, user: 1 }))).toBe("conflict");
    expect(await codeOf(admin().call(groups.memberSet, { id, user: two.id, role: "member" }))).toBe("ok");
  });

  it("groups.memberSet changes nothing for the present role, also in a group without an active administrator", async () => {
    const { id } = await make({ name: "Same" });
    const [one, two] = [await world().addUser(), await world().addUser()];
    await add(id, one.id, "administrator");
    await add(id, two.id);
    await admin().call(groups.memberRemove, { id, user: 1 });
    await admin().call(users.deactivate, { id: one.id });
    for (const [{ id: user }, role] of [
      [one, "administrator"],
      [two, "member"],
    ] as const)
      expect(await admin().call(groups.memberSet, { id, user, role })).toMatchObject({ role });
    expect(await rolesIn(id)).toEqual({ [one.id]: "administrator", [two.id]: "member" });
  });

  it("groups.memberRemove removes a deactivated administrator from a group without active members", async () => {
    const { id } = await make({ name: "Gone" });
    const [one, two] = [await world().addUser(), await world().addUser()];
    for (const { id: user } of [one, two]) {
      await add(id, user, "administrator");
      await admin().call(users.deactivate, { id: user });
    }
    expect(await codeOf(admin().call(groups.memberRemove, { id, user: 1 }))).toBe("conflict");
    await admin().call(users.reactivate, { id: two.id });
    await admin().call(groups.memberRemove, { id, user: 1 });
    await admin().call(users.deactivate, { id: two.id });
    expect(await codeOf(admin().call(groups.memberRemove, { id, user: one.id }))).toBe("ok");
    expect(await codeOf(admin().call(groups.memberRemove, { id, user: two.id }))).toBe("ok");
  });

  it("groups.memberAdd adds active users only", async () => {
    const { id } = await make({ name: "Active" });
    for (const user of [world().ids.deactivated, 987654]) expect(await wrongFields(add(id, user))).toEqual(["user"]);
    expect(await codeOf(add(987654, 1))).toBe("not_found");
    expect(await codeOf(admin().call(groups.memberSet, { id, user: 987654, role: "member" }))).toBe("not_found");
  });

  it("groups.delete is refused while the group has posts", async () => {
    const { id } = await make();
    const post = { content_type: "debate", title: "Regatta", group: id } as const;
    const first = await admin().call(posts.create, post);
    const refused = (count: string) => ({ code: "conflict", message: `Group ${id} has ${count}; delete them first.` });
    expect(await refusal(remove(id))).toMatchObject(refused("1 post"));
    const second = await admin().call(posts.create, post);
    expect(await refusal(remove(id))).toMatchObject(refused("2 posts"));
    for (const each of [first, second]) await admin().call(posts.delete, { id: each.id });
    expect(await codeOf(remove(id))).toBe("ok");
  });

  it("groups.delete counts at most 1,000 posts", async () => {
    const { id } = await make();
    const first = await admin().call(posts.create, { content_type: "debate", title: "Regatta", group: id });
    const { database } = world().instance;
    const query = database.reader.selectFrom("posts").selectAll().where("id", "=", first.id);
    const { id: _, ...row } = await query.executeTakeFirstOrThrow();
    const copy = (times: number) => database.write((tx) => insertRows(tx, "posts", Array(times).fill(row)));
    const message = async () => (await refusal(remove(id))).message;
    await copy(999);
    expect(await message()).toBe(`Group ${id} has 1000 posts; delete them first.`);
    await copy(1);
    expect(await message()).toBe(`Group ${id} has more than 1000 posts; delete them first.`);
    await database.write((tx) => tx.deleteFrom("posts").where("id", ">", first.id).execute());
  });

  it("groups.list sorts by name, filters, and continues by cursor", async () => {
    const made = ["Zebra", "zebra 2", "Zébra 1"];
    for (const name of made) await make({ name, privacy: name === "zebra 2" ? "private" : "public" });
    const list = (input: ArgumentsOf<typeof groups.list>, caller = admin()) =>
      caller.call(groups.list, { name: "zebra", ...input });
    expect(names((await list({})).data)).toEqual(["Zebra", "Zébra 1", "zebra 2"]);
    expect(names((await list({}, member())).data)).toEqual(["Zebra", "Zébra 1"]);
    expect(names((await list({ privacy: "private" })).data)).toEqual(["zebra 2"]);
    // An accent alone, which is not part of the key.
    expect(names((await list({ name: "\u0301" })).data)).toEqual([]);
    expect(names((await list({ mine: true })).data)).toHaveLength(3);
    expect(names((await list({ mine: true }, member())).data)).toEqual([]);
    expect(names((await list({ mine: false })).data)).toEqual([]);
    expect(names((await list({ mine: false }, member())).data)).toEqual(["Zebra", "Zébra 1"]);
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, cursor: first.meta.next_cursor! });
    expect([names(first.data), names(second.data)]).toEqual([["Zebra", "Zébra 1"], ["zebra 2"]]);
    expect(second.meta.next_cursor).toBeNull();
    const back = await list({ limit: 2, cursor: second.meta.prev_cursor! });
    expect(names(back.data)).toEqual(["Zebra", "Zébra 1"]);
    expect(await wrongFields(list({ limit: 2, privacy: "public", cursor: first.meta.next_cursor! }))).toEqual([
      "cursor",
    ]);
  });

  it("groups.members lists by user ID, in pages, and filters by role", async () => {
    const { id } = await make({ name: "Listed" });
    for (let i = 0; i < 3; i++) await add(id, (await world().addUser()).id);
    const all = (await admin().call(groups.members, { id })).data.map((each) => each.user.id);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    const first = await admin().call(groups.members, { id, limit: 2 });
    const rest = await admin().call(groups.members, { id, limit: 2, cursor: first.meta.next_cursor! });
    expect([...first.data, ...rest.data].map((each) => each.user.id)).toEqual(all);
    const leads = await admin().call(groups.members, { id, role: "administrator" });
    expect(leads.data.map((each) => each.user.id)).toEqual([1]);
  });

  it("users.get shows the groups that the actor may see", async () => {
    const { id: user } = await world().addUser();
    const open = await make({ name: "Shown" });
    const closed = await make({ name: "Hidden", privacy: "private" });
    for (const { id } of [open, closed]) await add(id, user);
    const shown = async (caller: Caller) => (await caller.call(users.get, { id: user })).memberGroups;
    const brief = ({ id, name }: Group) => ({ id, name, url: `/groups/${id}` });
    expect(await shown(admin())).toEqual([brief(closed), brief(open)]);
    expect(await shown(member())).toEqual([brief(open)]);
    expect(await shown(await world().instance.as(user))).toEqual([brief(closed), brief(open)]);
    await add(closed.id, world().ids.member);
    expect(await shown(member())).toEqual([brief(closed), brief(open)]);
  });
});
