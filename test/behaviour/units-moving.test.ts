import { expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("units, moving and deleting", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const get = (id: number) => admin().call(units.get, { id });
  const move = (id: number, parent: number) => admin().call(units.move, { id, parent });
  /** A unit with a child that has a child. */
  const branch = async (parent?: number) => {
    const { addUnit } = world();
    const top = await addUnit(parent === undefined ? {} : { parent });
    const middle = await addUnit({ parent: top.id });
    const leaf = await addUnit({ parent: middle.id });
    return { top: top.id, middle: middle.id, leaf: leaf.id };
  };

  it("units.move moves the whole branch", async () => {
    const { units: places } = world();
    const { top, middle, leaf } = await branch();
    const [north, south] = [await get(places.north), await get(places.south)];
    world().instance.wait(1);
    const moved = await move(top, places.south);
    expect(moved).toMatchObject({
      id: top,
      level: 2,
      path: `/1/${places.south}/${top}/`,
      parent: { id: places.south },
    });
    expect(moved.updated_at).toBe(world().instance.now());
    expect(await get(leaf)).toMatchObject({
      level: 4,
      path: `/1/${places.south}/${top}/${middle}/${leaf}/`,
      parent: { id: middle },
    });
    expect((await get(places.north)).stats).toMatchObject({
      children: north.stats.children - 1,
      children_total: north.stats.children_total - 3,
    });
    expect((await get(places.south)).stats).toMatchObject({
      children: south.stats.children + 1,
      children_total: south.stats.children_total + 3,
    });
  });

  it("units.move moves up and down, and to the current parent", async () => {
    const { units: places } = world();
    const { top, leaf } = await branch();
    expect(await move(leaf, top)).toMatchObject({ level: 3, parent: { id: top } });
    const before = await get(leaf);
    expect(await move(leaf, top)).toEqual(before);
    expect(await move(top, places.root)).toMatchObject({ level: 1 });
    expect(await get(leaf)).toMatchObject({ level: 2, path: `/1/${top}/${leaf}/` });
  });

  it("units.move refuses the own branch as parent, and the root", async () => {
    const { units: places } = world();
    const { top, middle, leaf } = await branch();
    const own = { code: "conflict", message: expect.stringContaining("own branch") };
    for (const parent of [top, middle, leaf]) expect(await refusal(move(top, parent))).toMatchObject(own);
    expect(await codeOf(move(places.root, places.south))).toBe("conflict");
    expect(await codeOf(move(places.root, places.root))).toBe("conflict");
    expect(await codeOf(move(987654, places.south))).toBe("not_found");
    expect(await wrongFields(move(top, 987654))).toEqual(["parent"]);
  });

  it("units.create and units.move allow 100 levels below the root, counted in the branch that moves", async () => {
    const { units: places, addUnit } = world();
    const message = "The tree has at most 100 levels below the root.";
    const chain = [places.south];
    while (chain.length < 100) chain.push((await addUnit({ parent: chain.at(-1)! })).id);
    const [above, deepest] = chain.slice(-2) as [number, number];
    expect(await refusal(addUnit({ parent: deepest }))).toMatchObject({ code: "conflict", message });
    const { top, middle, leaf } = await branch();
    expect(await refusal(move(leaf, deepest))).toMatchObject({ code: "conflict", message });
    expect(await refusal(move(middle, above))).toMatchObject({ code: "conflict", message });
    expect(await move(leaf, above)).toMatchObject({ level: 100 });
    expect(await move(middle, top), "nowhere").toMatchObject({ level: 3 });
    const other = await branch(places.root);
    expect(await move(other.top, places.north), "down, beside a deep branch").toMatchObject({ level: 2 });
  });

  it("units.move: abilities apply to the moved branch", async () => {
    const { addUser, units: places, actors } = world();
    const { top, leaf } = await branch(places.south);
    const { id } = await addUser({ unit: leaf });
    const change = () => codeOf(actors.manager.call(users.update, { id, title: "Moved" }));
    expect(await change()).toBe("forbidden");
    await move(top, places.north);
    expect(await change()).toBe("ok");
    await move(top, places.south);
    expect(await change()).toBe("forbidden");
  });

  it("units.move: a manager needs the ability in the unit and the new parent", async () => {
    const { actors, units: places, addUnit } = world();
    const { id } = await addUnit();
    const by = (unit: number, parent: number) => codeOf(actors.manager.call(units.move, { id: unit, parent }));
    expect(await by(id, places.harbour)).toBe("ok");
    expect(await by(id, places.south)).toBe("forbidden");
    expect(await by(places.south, places.harbour)).toBe("forbidden");
    expect(await by(places.north, places.root)).toBe("forbidden");
  });

  it("units.delete deletes an empty unit, which is not found afterwards", async () => {
    const { addUnit, units: places } = world();
    const { id } = await addUnit({ reference: "short-lived" });
    await admin().call(units.departmentAdd, { id, name: "Gone with it" });
    const before = (await get(places.north)).stats;
    expect(await admin().call(units.delete, { id })).toBeUndefined();
    expect((await get(places.north)).stats).toEqual({
      ...before,
      children: before.children - 1,
      children_total: before.children_total - 1,
    });
    expect(await codeOf(get(id))).toBe("not_found");
    expect(await codeOf(admin().call(units.delete, { id }))).toBe("not_found");
    expect(await codeOf(admin().call(units.update, { id, name: "x" }))).toBe("not_found");
    expect(await codeOf(addUnit({ reference: "short-lived" }))).toBe("ok");
  });

  it("units.delete needs transfer for a unit with children or members; the error counts them", async () => {
    const { addUser } = world();
    const { top, middle, leaf } = await branch();
    await addUser({ unit: top });
    await addUser({ unit: top });
    const refused = await refusal(admin().call(units.delete, { id: top }));
    expect(refused).toMatchObject({ code: "conflict", message: `Unit ${top} has 1 child and 2 members.` });
    expect(await codeOf(admin().call(units.delete, { id: middle }))).toBe("conflict");
    expect(await codeOf(admin().call(units.delete, { id: leaf }))).toBe("ok");
    expect(await codeOf(admin().call(units.delete, { id: middle }))).toBe("ok");
    expect(await codeOf(admin().call(units.delete, { id: top }))).toBe("conflict");
  });

  it("units.delete refuses the root", async () => {
    const { units: places } = world();
    expect(await codeOf(admin().call(units.delete, { id: places.root }))).toBe("conflict");
    expect(await codeOf(admin().call(units.delete, { id: places.root, transfer: places.south }))).toBe("conflict");
  });

  it("units.delete with transfer moves children and members", async () => {
    const { addUser, addUnit, types } = world();
    const { top, middle, leaf } = await branch();
    const target = await addUnit();
    const { id: department } = await admin().call(units.departmentAdd, { id: top, name: "Left behind" });
    const moving = await addUser({ unit: top, department, userTypes: [types.employee] });
    const both = await addUser({ unit: top, userTypes: [types.editor] });
    await admin().call(users.membershipAdd, { user: both.id, unit: target.id, userTypes: [types.employee] });
    const asleep = await addUser({ unit: top });
    await admin().call(users.deactivate, { id: asleep.id });
    expect(await admin().call(units.delete, { id: top, transfer: target.id })).toBeUndefined();
    expect(await get(target.id)).toMatchObject({
      stats: { users: 3, children: 1, children_total: 2 },
      children: [{ id: middle }],
    });
    expect((await get(leaf)).path).toBe(`/1/${world().units.north}/${target.id}/${middle}/${leaf}/`);
    expect(await admin().call(users.get, { id: moving.id })).toMatchObject({
      unit: { id: target.id },
      department: null,
      userTypes: [{ id: types.employee }],
    });
    const { memberUnits } = await admin().call(users.get, { id: both.id });
    expect(memberUnits).toMatchObject([{ unit: { id: target.id }, userTypes: [{ id: types.employee }] }]);
    expect((await admin().call(users.get, { id: asleep.id })).unit?.id).toBe(target.id);
  });

  it("units.delete refuses a transfer to the unit itself or below it", async () => {
    const { top, middle } = await branch();
    const by = (transfer: number) => wrongFields(admin().call(units.delete, { id: top, transfer }));
    expect(await by(top)).toEqual(["transfer"]);
    expect(await by(middle)).toEqual(["transfer"]);
    expect(await by(987654)).toEqual(["transfer"]);
    const { id: empty } = await world().addUnit();
    await admin().call(posts.create, { content_type: "news", title: "News", unit: empty });
    expect(await wrongFields(admin().call(units.delete, { id: empty, transfer: empty }))).toEqual(["transfer"]);
  });

  it("units.delete transfers to the parent", async () => {
    const { top, middle, leaf } = await branch();
    expect(await admin().call(units.delete, { id: middle, transfer: top })).toBeUndefined();
    expect(await get(top)).toMatchObject({ stats: { children: 1, children_total: 1 }, children: [{ id: leaf }] });
  });

  it("units.delete with transfer: a manager needs the ability in both units", async () => {
    const { actors, units: places } = world();
    const { top } = await branch();
    const by = (id: number, transfer: number) => codeOf(actors.manager.call(units.delete, { id, transfer }));
    expect(await by(top, places.south)).toBe("forbidden");
    expect(await by(places.south, top)).toBe("forbidden");
    expect(await by(top, places.yard)).toBe("ok");
  });
});
