import { expect, it } from "vitest";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

const none = {
  news: false,
  calendar: false,
  groups: false,
  user: false,
  units: false,
  usertypes: false,
  integrations: false,
};

describeOnOneDatabase("usertypes", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  let count = 0;
  const create = (input: Partial<ArgumentsOf<typeof usertypes.create>> = {}, by: Caller = admin()) => {
    count += 1;
    return by.call(usertypes.create, { name: `Type ${count}`, ...input });
  };
  const update = (input: ArgumentsOf<typeof usertypes.update>, by: Caller = admin()) =>
    by.call(usertypes.update, input);
  const remove = (id: number, by: Caller = admin()) => by.call(usertypes.delete, { id });

  it("usertypes.create, get, reference and list return the user type", async () => {
    const made = await create({ name: "Night shift", reference: "night", abilities: { news: true, user: false } });
    expect(made).toEqual({
      content_type: "usertype",
      id: made.id,
      name: "Night shift",
      reference: "night",
      abilities: { ...none, news: true },
      url: `/usertypes/${made.id}`,
    });
    expect(await admin().call(usertypes.get, { id: made.id })).toEqual(made);
    expect(await admin().call(usertypes.reference, { reference: "night" })).toEqual(made);
    expect((await admin().call(usertypes.list, {})).data).toContainEqual(made);
    expect(await create()).toMatchObject({ reference: null, abilities: none });
  });

  it("usertypes.create and usertypes.update refuse a name that is taken, whatever case and accents", async () => {
    await create({ name: "Lærer" });
    const { id } = await create();
    const taken = { code: "conflict", message: expect.stringContaining("name is taken") };
    for (const name of ["Lærer", "LÆRER", "laerer"]) {
      expect(await refusal(create({ name })), name).toMatchObject(taken);
      expect(await refusal(update({ id, name })), name).toMatchObject(taken);
    }
  });

  it("usertypes.create and usertypes.update trim names, so they refuse one that looks like another", async () => {
    const { name, id } = await create({ name: "\u00a0Night watch " });
    expect(name).toBe("Night watch");
    const taken = { code: "conflict", message: expect.stringContaining("name is taken") };
    expect(await refusal(create({ name: " Night watch" }))).toMatchObject(taken);
    expect(await update({ id, name: "Watch  by night\t" })).toMatchObject({ name: "Watch  by night" });
  });

  it("usertypes.create and usertypes.update refuse a reference that is taken", async () => {
    await create({ reference: "ref" });
    const { id } = await create({ reference: "Ref" });
    const taken = { code: "conflict", message: expect.stringContaining("reference is taken") };
    expect(await refusal(create({ reference: "ref" }))).toMatchObject(taken);
    expect(await refusal(update({ id, reference: "ref" }))).toMatchObject(taken);
  });

  it("usertypes.create accepts a name of accents only", async () => {
    const { id } = await create({ name: "\u0301" });
    const other = await create();
    expect(await codeOf(update({ id: other.id, reference: "beside an odd one" }))).toBe("ok");
    await remove(id);
  });

  it("usertypes.update changes the given fields only", async () => {
    const { id, name } = await create({ reference: "partial", abilities: { news: true, groups: true } });
    expect(await update({ id, abilities: { groups: false, calendar: true } })).toMatchObject({
      name,
      reference: "partial",
      abilities: { ...none, news: true, calendar: true },
    });
    expect(await update({ id, name: name.toUpperCase() })).toMatchObject({ name: name.toUpperCase() });
    expect(await update({ id, reference: null })).toMatchObject({ reference: null, abilities: { news: true } });
    expect(await update({ id })).toMatchObject({ name: name.toUpperCase() });
  });

  it("usertypes.create and usertypes.update name all wrong fields", async () => {
    const wrong = { name: "a;b", reference: "a\nb", abilities: { fly: true, news: "yes" }, colour: 1 };
    const fields = ["abilities.fly", "abilities.news", "colour", "name", "reference"];
    expect(await wrongFields(create(wrong as never))).toEqual(fields);
    expect(await wrongFields(update({ id: 1, ...wrong } as never))).toEqual(fields);
  });

  it("usertypes.delete refuses a user type that a member holds", async () => {
    const { addUser } = world();
    const { id } = await create();
    const { id: user } = await addUser({ userTypes: [id] });
    expect(await refusal(remove(id))).toMatchObject({
      code: "conflict",
      message: `User type ${id} is held by 1 member; remove it from this member first.`,
    });
    await admin().call(users.delete, { id: user });
    expect(await remove(id)).toBeUndefined();
    expect(await codeOf(remove(id))).toBe("not_found");
    expect(await codeOf(admin().call(usertypes.get, { id }))).toBe("not_found");
    expect(await codeOf(admin().call(usertypes.reference, { reference: "nowhere" }))).toBe("not_found");
    expect(await codeOf(update({ id, name: "x" }))).toBe("not_found");
  });

  it("usertypes.create, update and delete need every ability of the user type", async () => {
    const { manager } = world().actors;
    const { types } = world();
    expect(await codeOf(create({ abilities: { news: true } }, manager))).toBe("forbidden");
    expect(await codeOf(create({ abilities: { news: false } }, manager))).toBe("ok");
    const own = await create({ abilities: { user: true, units: true } }, manager);
    expect(await codeOf(update({ id: own.id, abilities: { calendar: true } }, manager))).toBe("forbidden");
    expect(await codeOf(update({ id: own.id, abilities: { usertypes: true, user: false } }, manager))).toBe("ok");
    expect(await codeOf(update({ id: types.editor, abilities: { news: false } }, manager)), "take").toBe("forbidden");
    expect(await codeOf(update({ id: types.editor, abilities: { news: true } }, manager)), "as it is").toBe(
      "forbidden",
    );
    expect(await codeOf(remove(own.id, manager))).toBe("ok");
    expect(await codeOf(remove(types.editor, manager))).toBe("forbidden");
  });

  it("usertypes.update needs the abilities in the units of all holders", async () => {
    const { actors, addUser, instance, units: places, types } = world();
    const shared = await create({ name: "Everybody" });
    await addUser({ unit: places.harbour, userTypes: [shared.id] });
    expect(await codeOf(update({ id: shared.id, abilities: { units: true } }, actors.manager))).toBe("ok");
    expect(await codeOf(update({ id: shared.id, abilities: { units: false } }, actors.manager))).toBe("ok");
    expect(await codeOf(update({ id: shared.id, name: "Everyone" }, actors.manager))).toBe("ok");
    // Held at the root, the type would give there what the manager has in North only: to the manager, too.
    const { id } = await addUser({ unit: places.root, userTypes: [shared.id] });
    await admin().call(users.membershipAdd, { user: id, unit: places.north, userTypes: [types.manager] });
    const schemer = await instance.as(id);
    for (const by of [schemer, actors.manager]) {
      expect(await codeOf(update({ id: shared.id, abilities: { user: true } }, by))).toBe("forbidden");
    }
    expect(await codeOf(schemer.call(users.update, { id: world().ids.outsider, title: "Mine" }))).toBe("forbidden");
    // A new type of that name, with abilities, would be given to its holders by the next import.
    for (const change of [{ name: "All of us" }, { reference: "all" }]) {
      expect(await codeOf(update({ id: shared.id, ...change }, actors.manager)), "its name").toBe("forbidden");
    }
  });

  it("usertypes.list pages in both directions", async () => {
    const { data: all } = await admin().call(usertypes.list, { limit: 500 });
    const first = await admin().call(usertypes.list, { limit: 2 });
    const second = await admin().call(usertypes.list, { limit: 2, cursor: first.meta.next_cursor! });
    expect([...first.data, ...second.data]).toEqual(all.slice(0, 4));
    expect(await admin().call(usertypes.list, { limit: 2, cursor: second.meta.prev_cursor! })).toEqual(first);
    expect(await wrongFields(admin().call(usertypes.list, { cursor: `${first.meta.next_cursor}A` }))).toEqual([
      "cursor",
    ]);
  });
});
