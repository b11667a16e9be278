import { expect, it } from "vitest";
import type { ArgumentsOf } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("units", (environment) => {
  const world = useWorld(environment);
  const admin = () => world().actors.administrator;
  const get = (id: number) => admin().call(units.get, { id });
  const idsOf = async (input: ArgumentsOf<typeof units.list>) =>
    (await admin().call(units.list, { limit: 500, ...input })).data.map((unit) => unit.id);

  it("units.create needs a name and a parent only", async () => {
    const { instance, units: places } = world();
    const made = await admin().call(units.create, { name: "Pier", parent: places.harbour });
    expect(made).toEqual({
      content_type: "unit",
      id: made.id,
      name: "Pier",
      level: 3,
      unit_type: "unit",
      url: `/units/${made.id}`,
      reference: null,
      description: "",
      path: `/1/${places.north}/${places.harbour}/${made.id}/`,
      features: [],
      departments: [],
      parent: {
        content_type: "unit",
        id: places.harbour,
        name: "Harbour",
        level: 2,
        unit_type: "unit",
        url: `/units/${places.harbour}`,
      },
      image: null,
      children: [],
      addresses: { company: null, delivery: null, invoicing: null },
      contact: { name: null, phone: null },
      opening_hours: { office_hours: null, closed: null },
      geo: { lat: null, lng: null },
      stats: { users: 0, children: 0, children_total: 0 },
      permissions: { edit: true, delete: true },
      created_at: instance.now(),
      updated_at: instance.now(),
    });
    expect(await get(made.id)).toEqual(made);
    await admin().call(units.delete, { id: made.id });
  });

  it("units.create and units.update accept all fields; nested fields are merged", async () => {
    const all = {
      reference: "terminal",
      description: "Ünïcode\n🥪",
      unit_type: "department" as const,
      contact: { name: "Ann", phone: "1" },
      addresses: { company: { company: "Acme", city: "Århus", use_company_address: true }, delivery: null },
      opening_hours: {
        office_hours: [{ day: 1, starthours: 900, endhours: 1730 }],
        closed: [{ start: "2026-12-24", end: "2026-12-26" }],
      },
      geo: { lat: 56.1629, lng: -10.2039 },
    };
    const made = await world().addUnit(all);
    expect(made).toMatchObject({ ...all, addresses: { ...all.addresses, invoicing: null } });
    const changed = await admin().call(units.update, {
      id: made.id,
      contact: { phone: null },
      addresses: { invoicing: { email: "bill@example.com" } },
      opening_hours: { closed: null },
    });
    expect(changed).toMatchObject({
      name: made.name,
      description: all.description,
      contact: { name: "Ann", phone: null },
      addresses: { ...all.addresses, invoicing: { email: "bill@example.com" } },
      opening_hours: { ...all.opening_hours, closed: null },
      geo: all.geo,
    });
    const { addresses } = changed;
    const moved = await admin().call(units.update, {
      id: made.id,
      addresses: {
        company: { city: "Aarhus", street: "Havnegade 1" },
        invoicing: { email: "" },
        delivery: { city: "Ry" },
      },
    });
    expect(moved.addresses).toEqual({
      company: { ...addresses.company, city: "Aarhus", street: "Havnegade 1" },
      delivery: { ...addresses.invoicing, email: null, city: "Ry" },
      invoicing: { ...addresses.invoicing, email: null },
    });
    await admin().call(units.update, { id: made.id, addresses: { delivery: null } });
    const cleared = await admin().call(units.update, {
      id: made.id,
      geo: null,
      reference: null,
      addresses: { company: null },
    });
    expect(cleared).toMatchObject({
      geo: { lat: null, lng: null },
      reference: null,
      addresses: { company: null, delivery: null },
    });
  });

  it("units.update clears contact, addresses, opening hours and position with null", async () => {
    const { id } = await world().addUnit({
      contact: { name: "Ann", phone: "1" },
      addresses: { company: { city: "Århus" } },
      opening_hours: { office_hours: [{ day: 1, starthours: 900, endhours: 1730 }] },
      geo: { lat: 1, lng: 2 },
    });
    const nothing = { contact: null, addresses: null, opening_hours: null, geo: null };
    const cleared = await admin().call(units.update, { id, ...nothing });
    expect(cleared).toMatchObject({
      contact: { name: null, phone: null },
      addresses: { company: null, delivery: null, invoicing: null },
      opening_hours: { office_hours: null, closed: null },
      geo: { lat: null, lng: null },
    });
    world().instance.wait(5);
    expect(await admin().call(units.update, { id, ...nothing })).toEqual(cleared);
    expect(await world().addUnit(nothing)).toMatchObject({ contact: cleared.contact, geo: cleared.geo });
  });

  it("units.update with the current values changes nothing", async () => {
    const { instance, addUnit } = world();
    const before = await addUnit({
      contact: { name: "Ann" },
      addresses: { company: { city: "Århus" } },
      geo: { lat: 1, lng: 2 },
    });
    instance.wait(5);
    const { id, name, contact, addresses, description } = before;
    const same = { id, name, contact, addresses, description, geo: { lat: 1, lng: 2 } };
    expect(await admin().call(units.update, same)).toEqual(before);
    const { updated_at } = await admin().call(units.update, { id, contact: { name: "Bo" } });
    expect(updated_at).toBe(instance.now());
  });

  it("units.create names all wrong fields", async () => {
    const wrong = {
      name: "",
      parent: "1",
      reference: "x".repeat(256),
      unit_type: "shop",
      contact: { mail: "x" },
      addresses: { company: { email: "no", zip: 1 }, home: {} },
      opening_hours: {
        office_hours: [{ day: 8, starthours: 960, endhours: 2401 }],
        closed: [{ start: "2026-02-30", end: "x" }],
      },
      geo: { lat: 91 },
      constructor: {},
    };
    expect(await wrongFields(admin().call(units.create, wrong as never))).toEqual([
      ..."addresses.company.email addresses.company.zip addresses.home constructor contact.mail geo.lat".split(" "),
      ..."geo.lng name opening_hours.closed.0.end opening_hours.closed.0.start".split(" "),
      ..."opening_hours.office_hours.0.day opening_hours.office_hours.0.endhours".split(" "),
      ..."opening_hours.office_hours.0.starthours parent reference unit_type".split(" "),
    ]);
    expect(await wrongFields(admin().call(units.create, { name: "x", parent: 987654 }))).toEqual(["parent"]);
  });

  it("units.update refuses a closure that ends before its first day", async () => {
    const { id } = await world().addUnit({});
    const close = (start: string, end: string) =>
      admin().call(units.update, { id, opening_hours: { closed: [{ start, end }] } });
    expect(await wrongFields(close("2026-12-26", "2026-12-24"))).toEqual(["opening_hours.closed.0.end"]);
    const { opening_hours } = await close("2026-12-24", "2026-12-24");
    expect(opening_hours.closed).toEqual([{ start: "2026-12-24", end: "2026-12-24" }]);
  });

  it("units.create and units.update refuse a reference that is taken", async () => {
    const { addUnit, units: places } = world();
    const taken = { code: "conflict", message: expect.stringContaining("reference is taken") };
    expect(await refusal(addUnit({ reference: "south" }))).toMatchObject(taken);
    const { id } = await addUnit({ reference: "South" });
    expect(await refusal(admin().call(units.update, { id, reference: "south" }))).toMatchObject(taken);
    expect((await admin().call(units.update, { id: places.south, reference: "south" })).reference).toBe("south");
    await admin().call(units.delete, { id });
  });

  it("units.get and units.reference return a unit with its children, and not_found for an unknown one", async () => {
    const { units: places } = world();
    const north = await admin().call(units.reference, { reference: "north" });
    expect(north).toEqual(await get(places.north));
    expect(north.children?.map((child) => child.id)).toEqual(expect.arrayContaining([places.harbour, places.yard]));
    expect(await codeOf(get(987654))).toBe("not_found");
    expect(await codeOf(admin().call(units.reference, { reference: "North" }))).toBe("not_found");
    expect(await codeOf(admin().call(units.children, { id: 987654 }))).toBe("not_found");
    for (const id of [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1]) expect(await codeOf(get(id))).toBe("validation_failed");
    expect(await codeOf(get(Number.MAX_SAFE_INTEGER))).toBe("not_found");
  });

  it("units.get shows the permissions of the actor", async () => {
    const { actors, units: places } = world();
    const see = async (id: number) => (await actors.manager.call(units.get, { id })).permissions;
    expect(await see(places.harbour)).toEqual({ edit: true, delete: true });
    expect(await see(places.root)).toEqual({ edit: false, delete: false });
    expect(await see(places.south)).toEqual({ edit: false, delete: false });
    expect((await get(places.root)).permissions).toEqual({ edit: true, delete: false });
  });

  it("units.list filters by parent, below, type and the beginning of the name", async () => {
    const { units: places, addUnit } = world();
    const lager = await addUnit({ name: "Ålager", unit_type: "department", parent: places.yard });
    await addUnit({ name: "Lager", parent: places.yard });
    expect(await idsOf({ below: places.yard })).toHaveLength(2);
    expect(await idsOf({ parent: places.root })).toEqual([places.north, places.south]);
    expect(await idsOf({ unit_type: "department", below: places.yard })).toEqual([lager.id]);
    expect(await idsOf({ name: "ALAG" })).toEqual([lager.id]);
    expect(await idsOf({ name: "lag" })).toHaveLength(1);
    expect(await idsOf({ name: "%" })).toEqual([]);
    expect(await idsOf({ name: "\u0301" }), "an accent alone").toEqual([]);
    for (const field of ["parent", "below"]) expect(await wrongFields(idsOf({ [field]: 987654 }))).toEqual([field]);
    expect(await wrongFields(idsOf({ unit: 1, limit: 0, unit_type: "x" } as never))).toEqual([
      "limit",
      "unit",
      "unit_type",
    ]);
  });

  it("units.children and units.tree return pages; in the tree, a unit is followed by those below it", async () => {
    const { units: places, addUnit } = world();
    const top = await addUnit({ name: "Top" });
    // IDs of more digits than their neighbours' must not come between a unit and what is below it.
    for (let n = 0; n < 8; n++) {
      const child = await addUnit({ parent: top.id });
      await addUnit({ parent: child.id });
    }
    const tree: { id: number; path: string; level: number }[] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages++) {
      const { data, meta } = await admin().call(units.tree, { unit: top.id, limit: 3, cursor });
      tree.push(...data);
      cursor = meta.next_cursor ?? undefined;
    }
    expect(tree).toHaveLength(17);
    for (const [index, unit] of tree.entries()) {
      const end = tree.findIndex((other, at) => at > index && !other.path.startsWith(unit.path));
      const branch = tree.slice(index, end < 0 ? undefined : end);
      expect(branch).toHaveLength(tree.filter((other) => other.path.startsWith(unit.path)).length);
    }
    const shallow = await admin().call(units.tree, { unit: top.id, depth: 1 });
    expect(shallow.data.map((unit) => unit.level)).toEqual([2, ...Array.from({ length: 8 }, () => 3)]);
    const { next_cursor } = (await admin().call(units.tree, { unit: top.id, limit: 3 })).meta;
    const otherDepth = { unit: top.id, depth: 1, cursor: next_cursor! };
    expect(await wrongFields(admin().call(units.tree, otherDepth))).toEqual(["cursor"]);
    expect((await admin().call(units.tree, { depth: 0 })).data.map((unit) => unit.id)).toEqual([places.root]);
    expect((await admin().call(units.tree, {})).data[0]).toMatchObject({
      id: 1,
      parent_id: null,
      path: "/1/",
      reference: "root",
    });
    expect(await wrongFields(admin().call(units.tree, { unit: 987654 }))).toEqual(["unit"]);
    const { data, meta } = await admin().call(units.children, { id: top.id, limit: 5 });
    const rest = await admin().call(units.children, { id: top.id, limit: 5, cursor: meta.next_cursor! });
    expect([...data, ...rest.data]).toHaveLength(8);
    expect(await wrongFields(admin().call(units.children, { id: places.north, cursor: meta.next_cursor! }))).toEqual([
      "cursor",
    ]);
  });

  it("units.departmentAdd, departmentUpdate and departmentRemove change the departments", async () => {
    const { addUnit, addUser } = world();
    const { id } = await addUnit();
    world().instance.wait(1);
    const made = await admin().call(units.departmentAdd, { id, name: "Ropes" });
    expect(await get(id)).toMatchObject({ departments: [made], updated_at: world().instance.now() });
    expect(await codeOf(admin().call(units.departmentAdd, { id, name: "Ropes" }))).toBe("conflict");
    const { id: elsewhere } = await addUnit();
    expect(await admin().call(units.departmentAdd, { id: elsewhere, name: "Ropes" })).toMatchObject({ name: "Ropes" });
    const other = await admin().call(units.departmentAdd, { id, name: "Sails" });
    const rename = (name: string) => admin().call(units.departmentUpdate, { id, department: other.id, name });
    expect(await codeOf(rename("Ropes"))).toBe("conflict");
    world().instance.wait(1);
    expect(await rename("Canvas")).toEqual({ id: other.id, name: "Canvas" });
    const renamed = await get(id);
    expect(renamed).toMatchObject({ departments: [made, { name: "Canvas" }], updated_at: world().instance.now() });
    world().instance.wait(1);
    expect(await rename("Canvas")).toEqual({ id: other.id, name: "Canvas" });
    expect(await get(id)).toEqual(renamed);
    expect(await wrongFields(rename(" "))).toEqual(["name"]);
    const member = await addUser({ unit: id, department: made.id });
    expect(await admin().call(units.departmentRemove, { id, department: made.id })).toBeUndefined();
    expect(await admin().call(users.get, { id: member.id })).toMatchObject({ department: null, unit: { id } });
    const foreign = { id: world().units.south, department: other.id };
    expect(await codeOf(admin().call(units.departmentRemove, foreign))).toBe("not_found");
    expect(await codeOf(admin().call(units.departmentUpdate, { ...foreign, name: "x" }))).toBe("not_found");
    expect(await codeOf(admin().call(units.departmentAdd, { id: 987654, name: "x" }))).toBe("not_found");
  });

  it("units.get returns the first 500 children", async () => {
    const { id } = await world().addUnit({ reference: "crowded" });
    const rows = Array.from({ length: 501 }, (_, n) => ({
      reference: `row ${n}`,
      name: `Row ${n}`,
      parent: "crowded",
    }));
    const { results } = await admin().call(units.import, { rows });
    const { children, stats } = await admin().call(units.get, { id });
    expect(children?.map((child) => child.id)).toEqual(results.slice(0, 500).map((result) => result.id));
    expect(stats.children).toBe(501);
  });
});
