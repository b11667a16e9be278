import { beforeAll, describe, expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { codeOf, refusal, wrongFields } from "../support/outcome.ts";

type Input = ArgumentsOf<typeof events.create>;
const at = (text: string) => Date.parse(text) / 1000;
const start = at("2027-03-26T09:00:00Z");
const hour = { title: "Meeting", start, end: start + 3600 };

describeOnOneDatabase("events: changes", (environment) => {
  const world = useWorld(environment);
  beforeAll(async () => {
    const { administrator } = world().actors;
    await administrator.call(settings.set, { timezone: "Europe/Copenhagen" });
    // A server may take a second to see a changed setting.
    world().instance.wait(2);
  });
  const create = async (caller: Caller, input: Partial<Input> = {}) => {
    const { id } = await caller.call(events.create, { ...hour, type: "user", ...input });
    return id;
  };
  const get = (caller: Caller, id: number) => caller.call(events.get, { id });

  it("events.update: the time zone of an event stays until its times change", async () => {
    const { administrator, member } = world().actors;
    const recurrence: Input["recurrence"] = [{ freq: "weekly", count: 2 }];
    const id = await create(member, { recurrence });
    const before = await get(member, id);
    await administrator.call(settings.set, { timezone: "Asia/Tokyo" });
    world().instance.wait(2);
    await member.call(events.update, { id, title: "Other", recurrence });
    expect(await get(member, id)).toMatchObject({ title: "Other", timezone: "Europe/Copenhagen", dates: before.dates });
    await member.call(events.update, { id, recurrence: [{ freq: "weekly", count: 3 }] });
    const week = 7 * 86_400;
    expect(await get(member, id)).toMatchObject({
      timezone: "Asia/Tokyo",
      dates: [0, week, 2 * week].map((later) => ({ start: start + later, end: start + later + 3600 })),
    });
    await administrator.call(settings.set, { timezone: "Europe/Copenhagen" });
    world().instance.wait(2);
  });

  describe("update", () => {
    it("changes the given fields, and nothing when nothing differs", async () => {
      const { actors, instance } = world();
      const id = await create(actors.member, {
        body: "Text",
        location: "Here",
        link: "https://example.com/",
        fileCount: 2,
      });
      const before = await get(actors.member, id);
      instance.wait(5);
      const { title, body, location, link, type } = before;
      await actors.member.call(events.update, {
        id,
        title,
        body,
        location,
        link,
        type,
        start,
        end: start + 3600,
        fileCount: 2,
      });
      expect(await get(actors.member, id)).toEqual(before);
      await actors.member.call(events.update, { id, location: null, link: null });
      expect(await get(actors.member, id)).toEqual({ ...before, location: null, link: "", updated_at: instance.now() });
      await actors.member.call(events.update, { id, end: start + 60, fileCount: 5, link: "" });
      expect(await get(actors.member, id)).toMatchObject({ dates: [{ start, end: start + 60 }], uploading_files: 5 });
    });

    it("accepts a rule as events.get shows it, and an empty list removes it", async () => {
      const { member } = world().actors;
      const id = await create(member, {
        recurrence: [{ freq: "monthly", byday: ["MO+TU", "WE"], bysetpos: "-1", bymonth: 5 }],
      });
      const { recurrence, dates } = await get(member, id);
      expect(recurrence).toEqual([
        {
          freq: "monthly",
          until: null,
          count: null,
          interval: 1,
          byday: ["MO", "TU", "WE"],
          bymonthday: null,
          bymonth: 5,
          bysetpos: -1,
        },
      ]);
      const copy = await create(member, { recurrence });
      expect(await get(member, copy)).toMatchObject({ recurrence, dates });
      await member.call(events.update, { id, recurrence: [] });
      expect(await get(member, id)).toMatchObject({ recurrence: [], dates: [{ start, end: start + 3600 }] });
    });

    it("changes hours to an all-day event and back", async () => {
      const { member } = world().actors;
      const id = await create(member, { recurrence: [{ freq: "daily", count: 2 }] });
      const wrong = async (fields: object) =>
        Object.keys((await refusal(member.call(events.update, { id, ...fields }))).fields ?? {});
      expect([await wrong({ start: start + 3601 }), await wrong({ end: start - 1 })]).toEqual([["start"], ["end"]]);
      expect(await wrong({ all_day: true })).toEqual(["date"]);
      await member.call(events.update, { id, all_day: true, date: "2027-03-27" });
      expect(await get(member, id)).toMatchObject({ all_day: true, dates: [], days: ["2027-03-27", "2027-03-28"] });
      await member.call(events.update, { id, date: "2027-03-28" });
      expect(await get(member, id)).toMatchObject({ days: ["2027-03-28", "2027-03-29"] });
      expect(await wrong({ all_day: 0 })).toEqual(["start", "end"]);
      await member.call(events.update, { id, all_day: 0, start, end: start });
      expect(await get(member, id)).toMatchObject({ all_day: false, date: null, days: [], dates: [{ start }, {}] });
    });

    it("keeps readers who were deactivated meanwhile, and refuses to add them", async () => {
      const { actors, addUser } = world();
      const { administrator } = actors;
      const [first, second] = [await addUser({}), await addUser({})];
      const id = await create(administrator, { shares: [first.id] });
      for (const leaver of [first, second]) await administrator.call(users.deactivate, { id: leaver.id });
      const share = (...shares: number[]) => refusal(administrator.call(events.update, { id, title: "Again", shares }));
      expect((await share(first.id, second.id)).fields).toEqual({
        shares: [`contains users that do not exist or are deactivated: ${second.id}`],
      });
      const wrongTitle = { id, title: "x".repeat(256), shares: [first.id] };
      expect(await wrongFields(administrator.call(events.update, wrongTitle))).toEqual(["title"]);
      expect(await codeOf(administrator.call(events.update, { id, title: "Again", shares: [first.id] }))).toBe("ok");
    });

    it("changes the type, with the readers of each", async () => {
      const { actors, units, types, ids } = world();
      const { administrator, member, manager, outsider } = actors;
      const id = await create(administrator, {
        type: "unit",
        units: [units.harbour],
        userTypes: [types.employee],
        shares: [ids.outsider],
      });
      const readers = async () => Promise.all([member, manager, outsider].map((caller) => codeOf(get(caller, id))));
      expect(await readers()).toEqual(["ok", "not_found", "ok"]);
      await administrator.call(events.update, { id, type: "chain", userTypes: [], shares: [] });
      expect(await readers()).toEqual(["ok", "not_found", "not_found"]);
      await administrator.call(events.update, { id, units: [units.north, units.south] });
      expect(await readers()).toEqual(["ok", "ok", "ok"]);
      await administrator.call(events.update, { id, type: "unit" });
      expect((await administrator.call(events.get, { id })).units.map((unit) => unit.id)).toEqual([
        units.north,
        units.south,
      ]);
      await administrator.call(events.update, { id, type: "user" });
      expect(await readers()).toEqual(["not_found", "not_found", "not_found"]);
      expect(await get(administrator, id)).toMatchObject({ units: [], userTypes: [] });
      await administrator.call(events.update, { id, type: "chain" });
      expect(await get(administrator, id)).toMatchObject({ units: [{ id: units.root }] });
      expect(await readers()).toEqual(["ok", "ok", "ok"]);
    });
  });

  it.each(["chain", "unit"] as const)(
    "an empty list of units stands for the unit that owns the %s event",
    async (type) => {
      const { actors, addUser, instance, units } = world();
      const { administrator, outsider } = actors;
      const planner = await administrator.call(usertypes.create, {
        name: `Planner ${type}`,
        abilities: { calendar: true },
      });
      const { id: user } = await addUser({ unit: units.harbour, userTypes: [planner.id] });
      const id = await create(await instance.as(user), { type, units: [units.harbour] });
      await administrator.call(events.update, { id, units: [] });
      expect((await get(administrator, id)).units.map((unit) => unit.id)).toEqual([units.harbour]);
      expect(await codeOf(get(outsider, id))).toBe("not_found");
    },
  );

  it("allows only the author to make an event personal, also in a dry run", async () => {
    const { actors, addUser, instance, units, ids } = world();
    const { administrator, outsider } = actors;
    const planner = await administrator.call(usertypes.create, { name: "Keeper", abilities: { calendar: true } });
    const [author, editor] = await Promise.all(
      [0, 1].map(async () => instance.as((await addUser({ unit: units.harbour, userTypes: [planner.id] })).id)),
    );
    const id = await create(author!, { type: "chain", units: [units.harbour] });
    const hide = { id, type: "user" as const, shares: [ids.outsider] };
    for (const other of [editor!, administrator]) {
      for (const dryRun of [true, false]) {
        const { code, message } = await refusal(other.call(events.update, hide, { dryRun }));
        expect([code, message]).toEqual(["forbidden", `Only its author can make event ${id} personal.`]);
      }
      expect(await get(other, id)).toMatchObject({ type: "chain", units: [{ id: units.harbour }] });
    }
    expect(await codeOf(get(outsider, id))).toBe("not_found");
    await author!.call(events.update, hide);
    expect(await codeOf(get(administrator, id))).toBe("not_found");
    expect(await codeOf(get(outsider, id))).toBe("ok");
  });

  it("units.delete removes the unit of an event, and usertypes.delete its user type once the event is deleted", async () => {
    const { actors, addUnit, addUser, instance } = world();
    const { administrator } = actors;
    const unit = await addUnit();
    const guest = await addUser({ unit: unit.id });
    const type = await administrator.call(usertypes.create, { name: "Guest" });
    const id = await create(administrator, { type: "unit", units: [unit.id], userTypes: [type.id] });
    expect(await codeOf(administrator.call(usertypes.delete, { id: type.id }))).toBe("conflict");
    await administrator.call(units.delete, { id: unit.id, transfer: world().units.north });
    expect(await codeOf(get(await instance.as(guest.id), id))).toBe("not_found");
    await administrator.call(events.update, { id, title: "Without a unit" });
    expect(await get(administrator, id)).toMatchObject({
      title: "Without a unit",
      units: [],
      userTypes: [{ id: type.id }],
    });
    const owner = () =>
      instance.database.reader
        .selectFrom("events as e")
        .innerJoin("audiences as a", "a.id", "e.audience_id")
        .select("a.owner_unit_id")
        .where("e.id", "=", id)
        .executeTakeFirst();
    expect(await owner()).toMatchObject({ owner_unit_id: world().units.north });
    const planner = await administrator.call(usertypes.create, { name: "Unit planner", abilities: { calendar: true } });
    const { id: user } = await addUser({ unit: world().units.north, userTypes: [planner.id] });
    const { hits } = await (await instance.as(user)).call(events.list, { start, end: start + 3600 });
    expect(hits.map((event) => event.id)).toContain(id);
    await administrator.call(events.delete, { id });
    await administrator.call(usertypes.delete, { id: type.id });
  });

  it("events.update and events.delete by an author who lost the ability calendar are refused, unless the event is personal", async () => {
    const { actors, addUser, instance, units } = world();
    const { administrator } = actors;
    const type = await administrator.call(usertypes.create, { name: "Planner", abilities: { calendar: true } });
    const { id: user } = await addUser({ unit: units.north, userTypes: [type.id] });
    const author = await instance.as(user);
    const id = await create(author, { type: "unit", units: [units.north] });
    const personal = await create(author, { type: "user" });
    await administrator.call(users.membershipSet, { user, from: units.north, userTypes: [] });
    for (const change of [{ title: "Other" }, { type: "user" as const }])
      expect(await refusal(author.call(events.update, { id, ...change }))).toMatchObject({
        code: "forbidden",
        message: `Only users with the ability calendar in the unit that owns it can change event ${id}.`,
      });
    expect(await codeOf(author.call(events.delete, { id }))).toBe("forbidden");
    expect(await get(author, id)).toMatchObject({ title: "Meeting", permissions: { edit: false, delete: false } });
    expect(await codeOf(author.call(events.update, { id: personal, title: "Other" }))).toBe("ok");
    expect(await codeOf(author.call(events.update, { id: personal, type: "unit" }))).toBe("forbidden");
    expect(await codeOf(author.call(events.delete, { id: personal }))).toBe("ok");
  });

  it("events.create: an author without the ability calendar in the own unit creates an event that its first unit owns", async () => {
    const { actors, addUser, instance, types, units } = world();
    const { administrator } = actors;
    const type = await administrator.call(usertypes.create, { name: "Calendar keeper", abilities: { calendar: true } });
    const editorIn = async (unit: number) => instance.as((await addUser({ unit, userTypes: [type.id] })).id);
    const { id: user } = await addUser({ unit: units.yard, userTypes: [types.employee] });
    await administrator.call(users.membershipAdd, { user, unit: units.south, userTypes: [type.id] });
    const author = await instance.as(user);
    const id = await create(author, { type: "chain", units: [units.south] });
    const title = "Changed by an editor";
    expect(await codeOf((await editorIn(units.yard)).call(events.update, { id, title }))).toBe("not_found");
    expect(await codeOf((await editorIn(units.south)).call(events.update, { id, title }))).toBe("ok");
  });

  it("events.update: an event of type unit belongs to its first unit while that is among its units", async () => {
    const { actors, addUser, instance, units } = world();
    const { administrator } = actors;
    const type = await administrator.call(usertypes.create, { name: "Host", abilities: { calendar: true } });
    const editorIn = async (unit: number) => instance.as((await addUser({ unit, userTypes: [type.id] })).id);
    const [north, south] = [await editorIn(units.north), await editorIn(units.south)];
    const id = await create(administrator, { type: "unit", units: [units.south, units.north] });
    const isEditable = async () =>
      [await get(north, id), await get(south, id)].map(({ permissions }) => permissions.edit);
    expect(await isEditable()).toEqual([false, true]);
    await south.call(events.update, { id, title: "Other" });
    expect(await isEditable()).toEqual([false, true]);
    await administrator.call(events.update, { id, units: [units.north] });
    expect(await codeOf(south.call(events.update, { id, title: "Mine" }))).toBe("not_found");
    expect(await codeOf(north.call(events.update, { id, title: "Mine" }))).toBe("ok");
  });

  it("events.create and events.update allow 20,000 occurrences times units and shares", async () => {
    const { actors, addUser } = world();
    const { member } = actors;
    const everyone: number[] = [];
    for (let count = 0; count < 32; count += 1) everyone.push((await addUser()).id);
    const people = everyone.slice(0, 28);
    const daily: Input["recurrence"] = [{ freq: "daily" }];
    const shares = people.slice(1);
    const id = await create(member, { recurrence: daily, shares });
    expect(await get(member, id)).toMatchObject({ dates: { length: 730 }, shared: true });
    await member.call(events.update, { id, start: start + 60, end: start + 120, shares: people.slice(0, 27) });
    const message =
      "makes too many entries: 730 occurrences for 28 units and users are 20440, and at most 20000 are allowed";
    const refused = async (call: Promise<unknown>) => (await refusal(call)).fields;
    expect(await refused(create(member, { recurrence: daily, shares: people }))).toEqual({ shares: [message] });
    expect(await refused(member.call(events.update, { id, shares: people }))).toEqual({ shares: [message] });
    const once = await create(member, { shares: people });
    expect(await refused(member.call(events.update, { id: once, recurrence: daily }))).toEqual({
      recurrence: [message],
    });
    const wrong = member.call(events.update, { id: once, recurrence: daily, title: "x".repeat(256) });
    expect(await wrongFields(wrong)).toEqual(["recurrence", "title"]);
    await member.call(events.update, { id, recurrence: [{ freq: "daily", count: 625 }], shares: everyone });
    await member.call(events.update, { id, title: "Shorter", recurrence: [], shares: people });
    await member.call(events.delete, { id });
  });

  it("events.create with as many units as shares, and too many occurrences, names the shares", async () => {
    const { actors, addUser } = world();
    const { administrator } = actors;
    const lists: Required<Pick<Input, "units" | "shares">> = { units: [], shares: [] };
    for (let count = 0; count < 14; count += 1) {
      lists.units.push((await administrator.call(units.create, { name: `Unit ${count}`, parent: 1 })).id);
      lists.shares.push((await addUser()).id);
    }
    const input: Partial<Input> = { type: "unit", recurrence: [{ freq: "daily" }], ...lists };
    expect(await wrongFields(create(administrator, input))).toEqual(["shares"]);
  });

  it("events.create and events.update: a uid is unique among the events of an author", async () => {
    const { member, outsider } = world().actors;
    const id = await create(member, { uid: "one@example.com" });
    const { code, message } = await refusal(create(member, { uid: "one@example.com" }));
    expect([code, message]).toEqual(["conflict", `Your event ${id} has this uid already.`]);
    await create(outsider, { uid: "one@example.com" });
  });
});
