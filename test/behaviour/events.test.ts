import { beforeAll, expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import { files } from "../../src/contract/files.ts";
import type { ArgumentsOf, Caller } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { useWorld } from "../support/actors.ts";
import { upload } from "../support/attachments.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";

type Input = ArgumentsOf<typeof events.create>;
const at = (text: string) => Date.parse(text) / 1000;
const start = at("2027-03-26T09:00:00Z");
const hour = { title: "Meeting", start, end: start + 3600 };
const film = { type: "youtube", name: "Film", data: "https://www.youtube.com/watch?v=abcdefghijk" } as const;

describeEverywhere("events", (environment) => {
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

  it("events.create and events.get return every field", async () => {
    const { actors, units, types, ids, instance } = world();
    const input: Input = {
      ...hour,
      type: "chain",
      body: "Everybody",
      location: "Quay 3",
      link: "https://example.com/meeting",
      recurrence: [{ freq: "weekly", count: 2, byday: "FR" }],
      units: [units.harbour, units.north],
      userTypes: [types.manager, types.employee],
      shares: [ids.outsider],
      fileCount: 3,
      files: [film, upload("a.txt", "text")],
      uid: "meeting@example.com",
    };
    const made = await actors.administrator.call(events.create, input);
    const event = await get(actors.administrator, made.id);
    expect(made).toEqual({ ...event, message: `Event ${made.id} was created.` });
    expect(event).toEqual({
      id: made.id,
      content_type: "event",
      permissions: { edit: true, delete: true },
      title: "Meeting",
      dates: [
        { start, end: start + 3600 },
        // Clocks were put forward meanwhile.
        { start: start + 7 * 86_400 - 3600, end: start + 7 * 86_400 },
      ],
      all_day: false,
      date: null,
      days: [],
      timezone: "Europe/Copenhagen",
      recurrence: [
        {
          freq: "weekly",
          until: null,
          count: 2,
          interval: 1,
          byday: ["FR"],
          bymonthday: null,
          bymonth: null,
          bysetpos: null,
        },
      ],
      location: "Quay 3",
      link: "https://example.com/meeting",
      type: "chain",
      files: [
        expect.objectContaining({ name: "Film" }),
        expect.objectContaining({ name: "a.txt", mime: "text/plain" }),
      ],
      uploading_files: 2,
      body: "Everybody",
      userTypes: [
        { id: types.manager, name: "Manager", url: `/usertypes/${types.manager}` },
        { id: types.employee, name: "Employee", url: `/usertypes/${types.employee}` },
      ],
      units: [
        { content_type: "unit", id: units.north, name: "North", url: `/units/${units.north}` },
        { content_type: "unit", id: units.harbour, name: "Harbour", url: `/units/${units.harbour}` },
      ],
      author: { content_type: "user", id: 1, name: "Ada Admin", url: "/users/1" },
      seen: true,
      participation: { accepted: 0, rejected: 0, answer: null },
      uid: "meeting@example.com",
      created_at: instance.now(),
      updated_at: instance.now(),
      url: `/events/${made.id}`,
      shared: true,
    });
    expect(await get(actors.outsider, made.id)).toEqual({
      ...event,
      permissions: { edit: false, delete: false },
      seen: false,
    });
  });

  it("events.create: fields that are not given are empty", async () => {
    const { actors, units } = world();
    const id = await create(actors.administrator, { type: "chain" });
    expect(await get(actors.administrator, id)).toMatchObject({
      body: "",
      location: null,
      link: "",
      files: [],
      uploading_files: 0,
      userTypes: [],
      units: [{ id: units.root }],
      recurrence: [],
      shared: false,
      uid: expect.stringMatching(/^[\da-f-]{36}@wcs$/),
    });
    expect(await get(actors.outsider, id)).toMatchObject({ id });
  });

  it("events.create and update over HTTP: 201 with Location and message, 204; files have two paths", async () => {
    const { instance } = world();
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${instance.url}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${await instance.tokenOf(1)}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, location: answer.headers.get("location"), body: await answer.text() };
    };
    const made = await ask("POST", "/events", { ...hour, type: "user", all_day: 0, body: "Text" });
    const { id, message } = JSON.parse(made.body);
    expect(made).toMatchObject({ status: 201, location: `${instance.url}/api/events/${id}` });
    expect(message).toMatch(/created/);
    const nothing = { status: 204, body: "" };
    expect(await ask("PATCH", `/events/${id}`, { title: "New" })).toMatchObject(nothing);
    expect(await ask("POST", `/events/${id}/seen`)).toMatchObject(nothing);
    expect(await ask("POST", "/events/files", { id, files: [film] })).toMatchObject(nothing);
    expect(await ask("POST", `/events/${id}/files`, { files: [film] })).toMatchObject(nothing);
    expect(await ask("POST", `/events/${id}/participants`)).toMatchObject(nothing);
    const event = JSON.parse((await ask("GET", `/events/${id}`)).body);
    expect(event).toMatchObject({ title: "New", seen: true, files: [{}, {}], participation: { answer: "accepted" } });
    expect(await ask("DELETE", `/events/${id}/files/${event.files[0].id}`)).toMatchObject(nothing);
    expect(await ask("DELETE", `/events/${id}/participants`)).toMatchObject(nothing);
    const list = await ask("GET", `/events?type=user&page=1&limit=7&start=${start}&end=${start}`);
    expect(JSON.parse(list.body)).toEqual({
      hits: [expect.objectContaining({ id, title: "New", shared: false })],
      meta: { pagination: { total: 1, count: 1, per_page: 7, current_page: 1, total_pages: 1, links: [] } },
    });
    expect(await ask("DELETE", `/events/${id}`)).toMatchObject(nothing);
    expect(await ask("GET", `/events/${id}`)).toMatchObject({ status: 410 });
  });

  it("events.create: an all-day event has a date, ignores start and end, and all_day may be 1 or true", async () => {
    const { member } = world().actors;
    for (const all_day of [1, true] as const) {
      const id = await create(member, {
        all_day,
        date: "2028-02-29",
        recurrence: [{ freq: "yearly", until: "2033-12-31" }],
      });
      expect(await get(member, id)).toMatchObject({
        all_day: true,
        date: "2028-02-29",
        dates: [],
        days: ["2028-02-29", "2032-02-29"],
      });
    }
    const { id } = await member.call(events.create, { title: "Day", type: "user", all_day: 1, date: "2027-05-17" });
    expect(await get(member, id)).toMatchObject({ days: ["2027-05-17"] });
  });

  it("events.delete removes the event, its files and its texts", async () => {
    const { actors, instance, units, types, ids } = world();
    const { administrator } = actors;
    const id = await create(administrator, {
      type: "chain",
      units: [units.north],
      userTypes: [types.employee],
      shares: [ids.outsider],
      files: [upload("a.txt", "text")],
      uid: "again@example.com",
    });
    const [file] = (await get(administrator, id)).files;
    await actors.member.call(events.accept, { id });
    await administrator.call(events.delete, { id });
    const { member, manager, outsider } = actors;
    for (const caller of [administrator, member, outsider]) expect(await codeOf(get(caller, id))).toBe("gone");
    expect(await codeOf(get(manager, id)), "who could never read it").toBe("not_found");
    expect(await codeOf(administrator.call(events.delete, { id }))).toBe("gone");
    expect(await codeOf(administrator.call(files.get, { id: file!.id }))).toBe("not_found");
    const left = await instance.database.reader
      .selectFrom("events")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    expect(JSON.stringify(left)).not.toContain("Meeting");
    // Its name in calendars is free again.
    await create(administrator, { uid: "again@example.com" });
  });

  it("events.seen marks an event for the actor, once", async () => {
    const { actors, units, instance } = world();
    const id = await create(actors.administrator, { type: "chain", units: [units.north] });
    await actors.member.call(events.seen, { id });
    const rows = () =>
      instance.database.reader.selectFrom("event_marks").selectAll().where("event_id", "=", id).execute();
    const before = await rows();
    instance.wait(5);
    await actors.member.call(events.seen, { id });
    expect(await rows()).toEqual(before);
    expect(await get(actors.member, id)).toMatchObject({ seen: true });
    expect(await get(actors.manager, id)).toMatchObject({ seen: false });
    // Nobody has to see their own events.
    expect(await get(actors.administrator, id)).toMatchObject({ seen: true });
    await actors.manager.call(events.accept, { id });
    await actors.manager.call(events.seen, { id });
    expect(await get(actors.manager, id)).toMatchObject({ seen: true, participation: { answer: "accepted" } });
  });

  it("events.filesAdd, fileDelete and update change the files, and fileCount announces them", async () => {
    const { member } = world().actors;
    const id = await create(member, { fileCount: 2, files: [upload("a.txt", "a")] });
    const state = async () => {
      const { files, uploading_files } = await get(member, id);
      return [files.map((file) => file.name), uploading_files];
    };
    expect(await state()).toEqual([["a.txt"], 1]);
    await member.call(events.filesAdd, { id, files: [upload("b.txt", "b"), film] });
    expect(await state()).toEqual([["a.txt", "b.txt", "Film"], 0]);
    await member.call(events.filesAddTo, { id, files: [upload("c.txt", "c")] });
    expect(await state()).toEqual([["a.txt", "b.txt", "Film", "c.txt"], 0]);
    const { files } = await get(member, id);
    await member.call(events.fileDelete, { id, file: files[1]!.id });
    expect(await state()).toEqual([["a.txt", "Film", "c.txt"], 0]);
    expect(await codeOf(member.call(events.fileDelete, { id, file: files[1]!.id }))).toBe("not_found");
    await member.call(events.update, { id, title: "Other" });
    expect((await state())[0]).toHaveLength(3);
    await member.call(events.update, { id, files: [upload("d.txt", "d")] });
    expect(await state()).toEqual([["d.txt"], 1]);
    await member.call(events.update, { id, files: [], fileCount: 0 });
    expect(await state()).toEqual([[], 0]);
  });

  it("events.accept and withdraw set and clear the actor's answer; deleted users have none", async () => {
    const { actors, units, ids, addUser, instance } = world();
    const { administrator, member, manager } = actors;
    const id = await create(administrator, { type: "chain", units: [units.north] });
    const guest = await addUser({});
    await (await instance.as(guest.id)).call(events.accept, { id });
    await member.call(events.accept, { id });
    await member.call(events.accept, { id, answer: "accepted" });
    await manager.call(events.accept, { id, answer: "rejected" });
    const list = async (input: object = {}) => {
      const { data, meta } = await administrator.call(events.participants, { id, ...input });
      return { answers: data.map(({ user, answer }) => [user.id, answer]), meta };
    };
    expect((await list()).answers).toEqual([
      [ids.manager, "rejected"],
      [ids.member, "accepted"],
      [guest.id, "accepted"],
    ]);
    expect((await list({ answer: "rejected" })).answers).toEqual([[ids.manager, "rejected"]]);
    const first = await list({ limit: 2 });
    expect((await list({ limit: 2, cursor: first.meta.next_cursor! })).answers).toEqual([[guest.id, "accepted"]]);
    const shown = async (caller: Caller) => (await get(caller, id)).participation;
    expect(await shown(member)).toEqual({ accepted: 2, rejected: 1, answer: "accepted" });
    await member.call(events.accept, { id, answer: "rejected" });
    await manager.call(events.withdraw, { id });
    await manager.call(events.withdraw, { id });
    expect(await shown(member)).toEqual({ accepted: 1, rejected: 1, answer: "rejected" });
    await administrator.call(users.delete, { id: guest.id });
    expect((await list()).answers).toEqual([[ids.member, "rejected"]]);
    expect(await shown(manager)).toEqual({ accepted: 0, rejected: 1, answer: null });
  });

  it("users.delete keeps the events of the user that are for a unit", async () => {
    const { actors, units, addUser, instance } = world();
    const author = await addUser({ admin: true });
    const id = await create(await instance.as(author.id), { type: "unit", units: [units.harbour] });
    await actors.administrator.call(users.delete, { id: author.id });
    expect(await get(actors.member, id)).toMatchObject({ title: "Meeting", author: { name: "Deleted user" } });
  });

  it("events.upcoming has events that run for hours, days or years until they end", async () => {
    const { addUser, instance } = world();
    const caller = await instance.as((await addUser({ unit: world().units.south })).id);
    const upcoming = async () => (await caller.call(events.upcoming, {})).hits.map((event) => event.id);
    instance.freeze();
    const now = instance.now();
    const moment = await create(caller, { start: now, end: now });
    expect(await upcoming(), "an event without a length, at its start").toContain(moment);
    await caller.call(events.delete, { id: moment });
    for (const hours of [1, 11, 35, 11 * 24, 95 * 24, 3 * 365 * 24]) {
      const running = await create(caller, { start: now - hours * 3600, end: now + 60 });
      const ended = await create(caller, { start: now - hours * 3600, end: now });
      expect(await upcoming()).toContain(running);
      expect(await upcoming()).not.toContain(ended);
      await caller.call(events.delete, { id: running });
    }
  });

  it("events.accept counts simultaneous answers", async () => {
    const { actors, units, addUser, instance } = world();
    const id = await create(actors.administrator, { type: "chain", units: [units.north] });
    const guests = await Promise.all(Array.from({ length: 12 }, () => addUser({})));
    const callers = await Promise.all(guests.map((guest) => instance.as(guest.id)));
    await Promise.all(
      callers.map((caller, at) => caller.call(events.accept, { id, answer: at % 3 ? "accepted" : "rejected" })),
    );
    expect((await get(actors.administrator, id)).participation).toEqual({ accepted: 8, rejected: 4, answer: null });
  });
});
