import { beforeEach, expect, it } from "vitest";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { type User, useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

type Set = Omit<ArgumentsOf<typeof users.membershipSet>, "user">;

describeOnOneDatabase("memberships", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  let user: User;
  beforeEach(async () => {
    user = await world().addUser({ userTypes: [world().types.employee] });
  });
  const add = (input: Omit<ArgumentsOf<typeof users.membershipAdd>, "user">, by: Caller = admin()) =>
    by.call(users.membershipAdd, { user: user.id, ...input });
  const set = (input: Set, by: Caller = admin()) => by.call(users.membershipSet, { user: user.id, ...input });
  const remove = (unit: number) => admin().call(users.membershipRemove, { user: user.id, unit });
  const now = async () => {
    const { data } = await admin().call(users.memberships, { user: user.id });
    return data.map(({ unit, department, userTypes }) => ({
      unit: unit.id,
      department: department?.id ?? null,
      types: userTypes.map((type) => type.id),
    }));
  };
  const members = async (unit: number) => (await admin().call(units.get, { id: unit })).stats.users;

  it("users.memberships returns the first membership first, as users.get does", async () => {
    const { units: places, types } = world();
    await add({ unit: places.south, userTypes: [types.employee] });
    await add({ unit: places.yard, userTypes: [types.editor] });
    await add({ unit: places.north });
    const shown = await admin().call(users.get, { id: user.id });
    expect((await admin().call(users.memberships, { user: user.id })).data).toEqual(shown.memberUnits);
    const inOrder = [places.harbour, places.south, places.yard, places.north];
    expect(shown.memberUnits.map((each) => each.unit.id)).toEqual(inOrder);
    expect(shown.unit?.id).toBe(places.harbour);
    expect(shown.userTypes.map((type) => type.id)).toEqual([types.employee, types.editor]);
    expect(shown.memberUnits[2]?.abilities).toMatchObject({ news: true, user: false });
  });

  it("users.collection returns each user with the memberships and user types of users.get", async () => {
    const { units: places, types, ids, cranes } = world();
    await add({ unit: places.yard, userTypes: [types.employee, types.editor] });
    await set({ from: places.harbour, department: cranes });
    const asked = [user.id, ids.manager, ids.administrator];
    const { users: found } = await admin().call(users.collection, { ids: asked });
    expect(found).toEqual(await Promise.all(asked.map((id) => admin().call(users.get, { id }))));
    expect(found[0]?.memberUnits[1]?.userTypes).toHaveLength(2);
  });

  it("users.membershipAdd returns the membership, and the unit counts it", async () => {
    const { units: places, types } = world();
    const before = await members(places.yard);
    const made = await add({ unit: places.yard, userTypes: [types.employee] });
    expect(made).toEqual((await admin().call(users.memberships, { user: user.id })).data[1]);
    expect(await members(places.yard)).toBe(before + 1);
  });

  it("users.membershipAdd refuses a second membership in a unit", async () => {
    const again = await refusal(add({ unit: world().units.harbour }));
    expect(again).toMatchObject({ code: "conflict", message: expect.stringContaining("member of unit") });
  });

  it("users.membershipAdd and users.membershipSet accept departments of the unit only", async () => {
    const { units: places, cranes } = world();
    expect(await wrongFields(add({ unit: places.yard, department: cranes }))).toEqual(["department"]);
    expect(await wrongFields(set({ from: places.harbour, department: 987654 }))).toEqual(["department"]);
    expect(await wrongFields(add({ unit: "x" as never, department: cranes })), "of no unit").toEqual(["unit"]);
    expect(await set({ from: places.harbour, department: cranes })).toBeUndefined();
    expect((await now())[0]?.department).toBe(cranes);
    expect(await wrongFields(set({ from: places.harbour, unit: places.yard, department: cranes }))).toEqual([
      "department",
    ]);
    expect(await now()).toEqual([{ unit: places.harbour, department: cranes, types: [world().types.employee] }]);
  });

  it("users.membershipSet: null clears the department, omitting it keeps it", async () => {
    const { units: places, cranes, types } = world();
    await set({ from: places.harbour, department: cranes });
    await set({ from: places.harbour, userTypes: [types.editor] });
    expect(await now()).toEqual([{ unit: places.harbour, department: cranes, types: [types.editor] }]);
    await set({ from: places.harbour, department: null });
    expect(await now()).toEqual([{ unit: places.harbour, department: null, types: [types.editor] }]);
  });

  it("users.membershipSet: userTypes replace the user types or, with overwrite false, are added", async () => {
    const { units: places, types } = world();
    await set({ from: places.harbour, userTypes: [types.editor, types.editor] });
    expect((await now())[0]?.types).toEqual([types.editor]);
    await set({ from: places.harbour, userTypes: [types.employee], overwrite: false });
    expect((await now())[0]?.types.sort()).toEqual([types.editor, types.employee].sort());
    await set({ from: places.harbour, overwrite: true });
    expect((await now())[0]?.types).toHaveLength(2);
    await set({ from: places.harbour, userTypes: [], overwrite: false });
    expect((await now())[0]?.types).toHaveLength(2);
    await set({ from: places.harbour, userTypes: [] });
    expect((await now())[0]?.types).toEqual([]);
    expect(await wrongFields(set({ from: places.harbour, userTypes: [types.editor, 987654] }))).toEqual(["userTypes"]);
    expect((await now())[0]?.types).toEqual([]);
  });

  it("users.membershipSet: unit moves the membership with its user types, without its department", async () => {
    const { units: places, cranes, types } = world();
    await set({ from: places.harbour, department: cranes });
    const before = [await members(places.harbour), await members(places.south)];
    await set({ from: places.harbour, unit: places.south });
    expect(await now()).toEqual([{ unit: places.south, department: null, types: [types.employee] }]);
    expect([await members(places.harbour), await members(places.south)]).toEqual([before[0]! - 1, before[1]! + 1]);
    expect((await admin().call(users.get, { id: user.id })).unit?.id).toBe(places.south);
    expect(await codeOf(set({ from: places.harbour, userTypes: [] }))).toBe("not_found");
  });

  it("users.membershipSet moves a membership with a department and user types for the new unit", async () => {
    const { units: places, cranes, types } = world();
    await set({ from: places.harbour, unit: places.yard });
    await set({ from: places.yard, unit: places.harbour, department: cranes, userTypes: [types.editor] });
    expect(await now()).toEqual([{ unit: places.harbour, department: cranes, types: [types.editor] }]);
  });

  it("users.membershipSet refuses a unit where the user is a member", async () => {
    const { units: places } = world();
    await add({ unit: places.yard });
    expect(await codeOf(set({ from: places.harbour, unit: places.yard }))).toBe("conflict");
    expect(await codeOf(set({ from: places.harbour, unit: places.harbour }))).toBe("ok");
    expect(await wrongFields(set({ from: places.harbour, unit: 987654 }))).toEqual(["unit"]);
    expect((await now()).map((each) => each.unit)).toEqual([places.harbour, places.yard]);
  });

  it("users.membershipAdd, membershipSet and membershipRemove change the user", async () => {
    const { instance, ids, units: places, types } = world();
    const other = await admin().call(users.get, { id: ids.colleague });
    const changes = [
      () => add({ unit: places.yard }),
      () => set({ from: places.yard, userTypes: [types.editor] }),
      () => remove(places.yard),
    ];
    for (const change of changes) {
      instance.wait(1);
      await change();
      expect((await admin().call(users.get, { id: user.id })).updated_at).toBe(instance.now());
    }
    expect(await admin().call(users.get, { id: ids.colleague }), "somebody else").toEqual(other);
    const before = await admin().call(users.get, { id: user.id });
    instance.wait(1);
    await set({ from: places.harbour, unit: places.harbour, department: null, userTypes: [types.employee] });
    await set({ from: places.harbour });
    expect(await admin().call(users.get, { id: user.id }), "no change").toEqual(before);
  });

  it("users.membershipSet names all wrong fields", async () => {
    const wrong = { from: world().units.harbour, unit: null, userTypes: 5, department: "x", overwrite: "yes", role: 1 };
    expect(await wrongFields(set(wrong as never))).toEqual(["department", "overwrite", "role", "unit", "userTypes"]);
  });

  it("users.membershipRemove refuses the last membership", async () => {
    const { units: places } = world();
    expect(await codeOf(remove(places.harbour))).toBe("conflict");
    expect(await codeOf(remove(places.south))).toBe("not_found");
    expect(await codeOf(remove(987654))).toBe("not_found");
    await add({ unit: places.south });
    expect(await remove(places.harbour)).toBeUndefined();
    expect(await now()).toEqual([{ unit: places.south, department: null, types: [] }]);
    expect((await admin().call(users.get, { id: user.id })).unit?.id).toBe(places.south);
    expect(await codeOf(remove(places.south))).toBe("conflict");
  });

  it("users.get: physicalUnit is the unit, or the nearest one above that is no department", async () => {
    const { addUnit, addUser, units: places } = world();
    const outer = await addUnit({ parent: places.harbour, unit_type: "department" });
    const inner = await addUnit({ parent: outer.id, unit_type: "department" });
    const { id } = await addUser({ unit: inner.id });
    const shown = await admin().call(users.get, { id });
    expect(shown.unit).toMatchObject({ id: inner.id, unit_type: "department", parent: { id: outer.id } });
    expect(shown.physicalUnit).toMatchObject({ id: places.harbour, unit_type: "unit", parent: { id: places.north } });
    await admin().call(units.update, { id: outer.id, unit_type: "unit" });
    expect((await admin().call(users.get, { id })).physicalUnit?.id).toBe(outer.id);
  });

  it("users.membershipSet: a manager grants and revokes only own abilities, in the own branch", async () => {
    const { actors, units: places, types } = world();
    const { manager } = actors;
    expect(await codeOf(add({ unit: places.yard, userTypes: [types.editor] }, manager))).toBe("forbidden");
    expect(await codeOf(add({ unit: places.south }, manager))).toBe("forbidden");
    expect(await codeOf(add({ unit: places.root }, manager))).toBe("forbidden");
    expect(await codeOf(add({ unit: places.yard, userTypes: [types.manager] }, manager))).toBe("ok");
    expect(await codeOf(set({ from: places.yard, userTypes: [types.editor] }, manager))).toBe("forbidden");
    expect(await codeOf(set({ from: places.yard, unit: places.south }, manager))).toBe("forbidden");
    await set({ from: places.yard, userTypes: [types.editor] });
    expect(await codeOf(set({ from: places.yard, userTypes: [] }, manager)), "take what one has not").toBe("forbidden");
    expect(
      await codeOf(set({ from: places.yard, userTypes: [types.editor, types.employee] }, manager)),
      "leave it",
    ).toBe("forbidden");
  });

  it("users.membershipSet: a manager needs the abilities of a membership to move it", async () => {
    const { actors, units: places, types, addUser } = world();
    const { id } = await addUser({ userTypes: [types.editor] });
    const move = { user: id, from: places.harbour, unit: places.north };
    expect(await codeOf(actors.manager.call(users.membershipSet, move))).toBe("forbidden");
    const { id: plain } = await addUser({ userTypes: [types.employee, types.manager] });
    expect(await codeOf(actors.manager.call(users.membershipSet, { ...move, user: plain }))).toBe("ok");
  });

  it("users.membershipSet: nobody extends their own membership", async () => {
    const { instance, ids, types, units: places, addUser } = world();
    const { id } = await addUser({ unit: places.harbour, userTypes: [types.manager] });
    const foreman = await instance.as(id);
    const own = { user: id, from: places.harbour };
    expect(await codeOf(foreman.call(users.membershipSet, { ...own, unit: places.north }))).toBe("forbidden");
    expect(await codeOf(foreman.call(users.membershipSet, { ...own, userTypes: [types.editor] }))).toBe("forbidden");
    expect(await codeOf(foreman.call(users.membershipAdd, { user: id, unit: places.root }))).toBe("forbidden");
    expect(await codeOf(foreman.call(users.update, { id: ids.manager, title: "x" }))).toBe("forbidden");
  });
});
