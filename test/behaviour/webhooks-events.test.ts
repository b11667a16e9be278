import { afterAll, beforeAll, expect, it } from "vitest";
import { groups } from "../../src/contract/groups.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { describeOnOneDatabase, type Instance, newInstance } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";

describeOnOneDatabase("webhooks events", (environment) => {
  let instance: Instance;
  let last = 0;
  let unit = 0;
  let number = 0;
  beforeAll(async () => {
    instance = await newInstance(environment);
    last = (await instance.administrator.call(webhooks.events, {})).meta.last_id;
    unit = (await instance.administrator.call(units.create, { name: "Shop", parent: 1, reference: "shop" })).id;
  });
  afterAll(() => instance.close());

  /** Returns the events since the previous call. */
  const happened = async () => {
    const { data, meta } = await instance.administrator.call(webhooks.events, { after: last, limit: 500 });
    last = meta.last_id;
    return data;
  };
  const seen = async () => (await happened()).map(({ payload }) => `${payload.type} ${payload.data.id}`);
  const person = () => {
    number += 1;
    return { first_name: "Bo", last_name: `Berg ${number}`, email: `bo${number}@example.com`, unit };
  };
  const newUser = () => instance.administrator.call(users.create, person());
  const newUnit = (parent = 1) => instance.administrator.call(units.create, { name: `Unit ${++number}`, parent });
  const newType = (name: string) => instance.administrator.call(usertypes.create, { name });

  it("webhooks.events: an event has the full form and a timestamp", async () => {
    await happened();
    const made = await newUser();
    const [event] = await happened();
    expect(event).toEqual({
      id: expect.any(Number),
      webhook_event_id: expect.stringMatching(/^msg_[\w-]{24}$/),
      created_at: made.created_at,
      payload: { type: "user.create", timestamp: new Date(made.created_at * 1000).toISOString(), data: made },
    });
    await (await instance.as(made.id)).call(users.policy, {});
    const shown = await instance.administrator.call(users.get, { id: made.id });
    expect(
      (await happened()).map(({ payload }) => payload.data),
      "as administrators see it",
    ).toEqual([shown]);
  });

  it("webhooks.events returns a waiting request as soon as something happens", async () => {
    await happened();
    const waiting = instance.administrator.call(webhooks.events, { after: last, wait: 20 });
    const { id } = await newUser();
    const { data, meta } = await waiting;
    expect(data.map(({ payload }) => payload.data.id)).toEqual([id]);
    last = meta.last_id;
  });

  it("each change of a user is one event with the user after it", async () => {
    const { administrator } = instance;
    const { id } = await administrator.call(users.create, { ...person(), welcome: true });
    expect(await seen()).toEqual([`user.create ${id}`]);
    await administrator.call(users.update, { id, title: "Baker", phone: "1" });
    await administrator.call(users.deactivate, { id });
    await administrator.call(users.reactivate, { id });
    expect((await happened()).map(({ payload }) => [payload.type, payload.data.title, payload.data.active])).toEqual([
      ["user.update", "Baker", true],
      ["user.update", "Baker", false],
      ["user.update", "Baker", true],
    ]);
    await administrator.call(users.delete, { id });
    const [{ payload } = { payload: undefined }] = await happened();
    const erased = {
      id,
      url: `/users/${id}`,
      name: "Deleted user",
      email: null,
      title: "",
      phone: null,
      active: false,
    };
    expect(payload).toMatchObject({ type: "user.delete", data: { ...erased, unit: null, memberUnits: [] } });
  });

  it("users: the event of a deletion is the same whoever deletes the user", async () => {
    const { administrator } = instance;
    const { id: type } = await administrator.call(usertypes.create, { name: "Manager", abilities: { user: true } });
    const { id: manager } = await administrator.call(users.create, { ...person(), unit: 1, userTypes: [type] });
    const deletedBy = async (caller: Caller) => {
      const { id } = await newUser();
      await happened();
      await caller.call(users.delete, { id });
      const [event] = await happened();
      return { ...event?.payload.data, id: 0, url: "", created_at: 0, updated_at: 0 };
    };
    expect(await deletedBy(await instance.as(manager))).toEqual(await deletedBy(administrator));
  });

  it("users.policy, memberships in groups and units.departmentRemove change users; new names of groups and departments do not", async () => {
    const { administrator } = instance;
    const { id } = await newUser();
    await happened();
    const acceptedAt = async () => {
      await administrator.call(users.policy, {});
      return (await administrator.call(users.get, { id: 1 })).policy_accepted_at;
    };
    const times = new Set([await acceptedAt(), await acceptedAt(), await acceptedAt()]);
    expect(await seen(), "one for each second in which it is accepted").toEqual([...times].map(() => "user.update 1"));

    const group = await administrator.call(groups.create, { name: "Sailing" });
    expect(await seen()).toEqual(["user.update 1"]);
    await administrator.call(groups.memberAdd, { id: group.id, user: id });
    const [joined] = await happened();
    expect(joined?.payload.data).toMatchObject({ id, memberGroups: [{ id: group.id }] });
    await administrator.call(groups.update, { id: group.id, name: "Rowing" });
    await administrator.call(groups.memberSet, { id: group.id, user: id, role: "administrator" });
    expect(await seen()).toEqual([]);
    await administrator.call(groups.memberRemove, { id: group.id, user: id });
    expect(await seen()).toEqual([`user.update ${id}`]);
    await administrator.call(groups.memberAdd, { id: group.id, user: id });
    await happened();
    await administrator.call(groups.delete, { id: group.id });
    expect((await seen()).sort()).toEqual(["user.update 1", `user.update ${id}`]);

    const department = await administrator.call(units.departmentAdd, { id: unit, name: "Bar" });
    await administrator.call(users.membershipSet, { user: id, from: unit, department: department.id });
    await happened();
    await administrator.call(units.departmentUpdate, { id: unit, department: department.id, name: "Pub" });
    for (const name of ["Store", "Shop"]) await administrator.call(units.update, { id: unit, name });
    expect(new Set(await seen())).toEqual(new Set([`unit.update ${unit}`]));
    await administrator.call(units.departmentRemove, { id: unit, department: department.id });
    expect((await seen()).sort()).toEqual([`unit.update ${unit}`, `user.update ${id}`]);
  });

  it("an event of a unit has the children", async () => {
    const { administrator } = instance;
    const { id } = await newUnit();
    const child = await newUnit(id);
    await happened();
    await administrator.call(units.update, { id, description: "With a child" });
    const full = await administrator.call(units.get, { id });
    expect(full.children?.map((each) => each.id)).toEqual([child.id]);
    expect((await happened()).map(({ payload }) => payload.data)).toEqual([full]);
    await administrator.call(units.delete, { id, transfer: unit });
    const deleted = (await happened()).find(({ payload }) => payload.type === "unit.delete");
    expect(deleted?.payload.data).toEqual(full);
  });

  it("a change that changes nothing is no event", async () => {
    const { administrator } = instance;
    const user = await administrator.call(users.create, { ...person(), birthday: "1990-02-28", phone: "1" });
    const type = await newType(`Type ${++number}`);
    const place = await administrator.call(units.create, {
      name: "Same",
      parent: unit,
      addresses: { company: { city: "Aarhus" } },
      geo: { lat: 1, lng: 2 },
    });
    const department = await administrator.call(units.departmentAdd, { id: unit, name: `Front ${number}` });
    await administrator.call(users.membershipSet, {
      user: user.id,
      from: unit,
      userTypes: [type.id],
      department: department.id,
    });
    const userBefore = await administrator.call(users.get, { id: user.id });
    const unitBefore = await administrator.call(units.get, { id: place.id });
    await happened();
    instance.wait(5);

    const { id, first_name, birthday, phone, settings } = userBefore;
    await administrator.call(users.update, { id, first_name, birthday, phone, settings });
    await administrator.call(users.update, { id });
    await administrator.call(users.reactivate, { id });
    const held = { user: id, from: unit };
    await administrator.call(users.membershipSet, { ...held, userTypes: [type.id], department: department.id });
    await administrator.call(users.membershipSet, { ...held, userTypes: [type.id], overwrite: false });
    await administrator.call(users.membershipSet, { ...held, unit });
    await administrator.call(units.update, { id: place.id, name: "Same", addresses: { company: { city: "Aarhus" } } });
    await administrator.call(units.update, { id: place.id, geo: { lat: 1, lng: 2 }, addresses: { delivery: null } });
    await administrator.call(units.move, { id: place.id, parent: unit });
    await administrator.call(units.departmentUpdate, { id: unit, department: department.id, name: department.name });
    await administrator.call(usertypes.update, { id: type.id, name: "Renamed" });
    await administrator.call(users.password, { id, password: "correct horse battery" });
    await administrator.call(users.welcome, { users: [id] });
    expect(await seen()).toEqual([]);
    expect((await administrator.call(units.get, { id: place.id })).updated_at).toBe(unitBefore.updated_at);
    await administrator.call(usertypes.update, { id: type.id, name: type.name });
    const { updated_at: _, ...after } = await administrator.call(users.get, { id });
    expect(userBefore).toMatchObject(after);
  });

  it("usertypes.update: one event for each holder whose abilities change", async () => {
    const { administrator } = instance;
    const type = await newType("Press");
    const { id: beside } = await administrator.call(usertypes.create, { name: "Beside", abilities: { news: true } });
    const holder = async (userTypes: number[]) =>
      (await administrator.call(users.create, { ...person(), userTypes })).id;
    const [one, both] = [await holder([type.id]), await holder([type.id, beside])];
    await administrator.call(users.membershipAdd, { user: one, unit: (await newUnit()).id, userTypes: [type.id] });
    await happened();
    const change = (abilities: object) => administrator.call(usertypes.update, { id: type.id, abilities });
    const { updated_at } = await administrator.call(users.get, { id: one });
    instance.wait(5);
    await change({ news: true });
    const [event, ...more] = await happened();
    expect(more).toEqual([]);
    expect(event?.payload).toMatchObject({ type: "user.update", data: { id: one, memberUnits: [{}, {}] } });
    expect(event?.payload.data).toEqual(await administrator.call(users.get, { id: one }));
    // A row for each of 100,000 holders would make other changes wait.
    expect(event?.payload).toMatchObject({ data: { updated_at } });
    await change({ news: true, calendar: false });
    expect(await seen()).toEqual([]);
    await change({ news: false, calendar: true });
    expect((await seen()).toSorted()).toEqual([`user.update ${one}`, `user.update ${both}`].toSorted());
  });

  it("refused changes and dry runs are no events", async () => {
    const { administrator } = instance;
    const { id, email } = await newUser();
    await happened();
    expect(await codeOf(administrator.call(users.create, { ...person(), email: email! }))).toBe("conflict");
    expect(await codeOf(administrator.call(units.delete, { id: 1 }))).toBe("conflict");
    expect(await codeOf(administrator.call(units.delete, { id: unit }))).toBe("conflict");
    await administrator.call(users.update, { id, title: "Dry" }, { dryRun: true });
    await administrator.call(users.delete, { id }, { dryRun: true });
    await administrator.call(users.create, person(), { dryRun: true });
    expect(await seen()).toEqual([]);
  });

  it("users.membershipAdd, membershipSet and membershipRemove are changes of the user", async () => {
    const { administrator } = instance;
    const user = (await newUser()).id;
    const other = (await newUnit()).id;
    const third = (await newUnit()).id;
    await happened();
    await administrator.call(users.membershipAdd, { user, unit: other });
    await administrator.call(users.membershipSet, { user, from: other, unit: third });
    await administrator.call(users.membershipRemove, { user, unit: third });
    expect(await seen()).toEqual(Array(3).fill(`user.update ${user}`));
  });

  it("units.move is one event of the moved unit, and departments are changes of the unit", async () => {
    const { administrator } = instance;
    const { id } = await newUnit();
    const child = await newUnit(id);
    expect(await seen()).toEqual([`unit.create ${id}`, `unit.create ${child.id}`]);
    await administrator.call(units.move, { id, parent: unit });
    const moved = await happened();
    expect(moved.map(({ payload }) => [payload.type, payload.data.id, payload.data.level])).toEqual([
      ["unit.update", id, 2],
    ]);
    const { id: department } = await administrator.call(units.departmentAdd, { id, name: "Front" });
    await administrator.call(units.departmentUpdate, { id, department, name: "Back" });
    await administrator.call(units.departmentRemove, { id, department });
    await administrator.call(units.update, { id, contact: { name: "Ann" } });
    expect((await happened()).map(({ payload }) => payload.data.departments)).toEqual([
      [{ id: department, name: "Front" }],
      [{ id: department, name: "Back" }],
      [],
      [],
    ]);
  });

  it("units.delete with transfer: events of the unit, its children and its members", async () => {
    const { administrator } = instance;
    const { id } = await newUnit(unit);
    const child = await newUnit(id);
    const user = await administrator.call(users.create, { ...person(), unit: id });
    const target = (await newUnit()).id;
    await happened();
    instance.wait(2);
    await administrator.call(units.delete, { id, transfer: target });
    const events = await happened();
    expect(events.map(({ payload }) => `${payload.type} ${payload.data.id}`)).toEqual([
      `unit.delete ${id}`,
      `unit.update ${child.id}`,
      `user.update ${user.id}`,
    ]);
    expect(events[0]!.payload.data).toMatchObject({ id, stats: { users: 1, children: 1 } });
    expect(events[1]!.payload.data).toMatchObject({ parent: { id: target } });
    expect(events[2]!.payload.data).toMatchObject({ unit: { id: target } });
    const { updated_at } = await administrator.call(users.get, { id: user.id });
    expect(updated_at).toBeGreaterThan(user.updated_at);
  });

  it("users.import and units.import: one event for each thing that changed, whatever the rows", async () => {
    const { administrator } = instance;
    const row = (reference: string, more: object = {}) => ({
      reference,
      first_name: "Im",
      last_name: reference,
      email: `${reference}@example.com`,
      unit: "shop",
      ...more,
    });
    const first = await administrator.call(users.import, {
      rows: [row("i1"), row("i2"), row("i1", { title: "Twice" })],
    });
    const [i1, i2] = first.results.map((result) => result.id);
    const made = await happened();
    expect(made.map(({ payload }) => [payload.type, payload.data.id, payload.data.title])).toEqual([
      ["user.create", i1, "Twice"],
      ["user.create", i2, ""],
    ]);
    await administrator.call(users.import, {
      rows: [
        row("i1", { title: "Twice" }),
        row("i2", { title: "A" }),
        row("i2", { title: "B" }),
        row("i3", { email: "bad" }),
      ],
    });
    const changed = await happened();
    expect(changed.map(({ payload }) => [payload.type, payload.data.id, payload.data.title])).toEqual([
      ["user.update", i2, "B"],
    ]);
    const places = [
      { reference: "u2", name: "Two", parent: "u1" },
      { reference: "u1", name: "One" },
      { reference: "shop", name: "Shop" },
    ];
    const imported = await administrator.call(units.import, { rows: places });
    const [two, one] = imported.results.map((result) => result.id);
    expect(await seen()).toEqual([`unit.create ${one}`, `unit.create ${two}`]);
    await administrator.call(units.import, { rows: [{ reference: "u2", name: "Two", parent: "shop" }] });
    expect(await seen()).toEqual([`unit.update ${two}`]);
  });

  it("a repeat with the same Idempotency-Key is one event", async () => {
    const { administrator } = instance;
    await happened();
    const input = person();
    const options = { idempotencyKey: `key ${number}`.replace(" ", "-") };
    const { id } = await administrator.call(users.create, input, options);
    await administrator.call(users.create, input, options);
    expect(await seen()).toEqual([`user.create ${id}`]);
  });
});
