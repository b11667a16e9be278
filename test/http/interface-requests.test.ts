import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { pathFields } from "../../src/contract/field-spec.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteHttp } from "../support/instance.ts";
import { operations } from "./support.ts";

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON of the service
  readonly body: any;
}

const world = useWorld(sqliteHttp);

/** One session for each user, because a user has 100 at most. */
const tokens = new Map<number, Promise<string>>();
const tokenOf = (user: number) => tokens.get(user) ?? tokens.set(user, world().instance.tokenOf(user)).get(user)!;

/** Sends a request as `user`; the administrator by default. */
async function ask(method: string, path: string, body?: unknown, user = 1): Promise<Reply> {
  const { instance } = world();
  const response = await fetch(`${instance.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${await tokenOf(user)}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}
const wrong = async (...request: Parameters<typeof ask>): Promise<Record<string, string[]>> =>
  (await ask(...request)).body.error.fields;
const created = async (path: string, body: unknown): Promise<number> => {
  const reply = await ask("POST", path, body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return (reply.body.data ?? reply.body).id;
};
const newPost = (event: object) =>
  created("/content", {
    content_type: "event",
    title: "Party",
    event: { datetime_start: "2097-03-01T12:00Z", ...event },
  });
const newEvent = (fields: object) => created("/api/events", { title: "Meeting", type: "user", ...fields });

describe("date-times", () => {
  const noon = Date.UTC(2097, 2, 1, 12) / 1000;
  const forms = [
    "2097-03-01T12:00:00Z",
    "2097-03-01t12:00:00z",
    "2097-03-01T12:00:00.999Z",
    "2097-03-01T13:00:00+01:00",
    "2097-03-01T13:00:00.5+0100",
    "2097-03-01 07:00:00-05:00",
    "2097-03-01T12:00Z",
  ];

  it.each(forms)("%s is accepted in posts' events, in times and in queries", async (form) => {
    const until = form.replaceAll("2097-03-01", "2097-03-03");
    const id = await newPost({
      datetime_start: form,
      datetime_end: form,
      recurrence: { freq: "daily", until },
      timezone: "UTC",
    });
    const { event } = (await ask("GET", `/content/${id}`)).body;
    expect(event.dates.map(({ start }: { start: number }) => start)).toEqual([noon, noon + 86_400, noon + 172_800]);
    const change = { publish: { publish_on: form, unpublish_on: noon + 60 }, pinned: { until: form } };
    expect(await ask("PATCH", `/content/${id}`, change)).toMatchObject({ status: 204 });
    const post = (await ask("GET", `/content/${id}`)).body;
    expect([post.publish.publish_on, post.pinned.until]).toEqual([noon, noon]);
    const meeting = await newEvent({ start: form, end: noon + 60 });
    const query = `start=${encodeURIComponent(form)}&end=${noon}`;
    expect((await ask("GET", `/api/events?${query}`)).body.hits.map((hit: { id: number }) => hit.id)).toContain(
      meeting,
    );
  });

  it.each(["2027-02-29T12:00:00Z", "2097-03-01", "2097-03-01T12:00:00", "2097-03-01T25:00:00Z", "noon", "1.5"])(
    "%s is not a time",
    async (text) => {
      expect(await wrong("GET", `/api/events?start=${text}`)).toEqual({ start: [expect.stringMatching(/^must be /)] });
    },
  );
});

describe("every wrong field is named at once", () => {
  const required = operations.flatMap((op) => {
    const inPath = new Set(pathFields(op).map(({ name }) => name));
    const shape = Object.entries((op.input() as z.ZodObject).shape as Record<string, z.ZodType>);
    const names = shape.flatMap(([name, schema]) =>
      !inPath.has(name) && !schema.safeParse(undefined).success ? [name] : [],
    );
    return names.length === 0 ? [] : [{ name: op.name, op, names }];
  });

  it.each(required)("$name without any", async ({ op, names }) => {
    const path = op.path.replace(/\{[^}]+\}/g, "1");
    const reply = await ask(op.method, `/api${path}`, op.method === "GET" ? undefined : {});
    expect(reply.body.error, op.path).toMatchObject({ code: "validation_failed" });
    const { fields } = reply.body.error;
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(names));
    for (const name of names) expect(fields[name]).toEqual(["is required"]);
  });

  const late = { start: 2_000_000_100, end: 2_000_000_000 };
  it.each<[string, string, object, string[]]>([
    ["POST", "/api/events", { type: "chain" }, ["end", "start", "title"]],
    ["POST", "/api/events", { type: "chain", all_day: 1 }, ["date", "title"]],
    ["POST", "/api/events", { ...late, units: [987_654] }, ["end", "title", "type", "units"]],
    [
      "POST",
      "/api/events",
      { title: "", type: "user", ...late, units: [1], shares: [9_999] },
      ["end", "shares", "title", "units"],
    ],
    ["POST", "/api/events", { title: "A", type: "user", all_day: "yes", date: "2027-01-01" }, ["all_day"]],
    [
      "POST",
      "/api/events",
      { type: "user", ...late, recurrence: [{ freq: "daily", count: 1, until: "2027-01-01" }] },
      ["end", "recurrence.0.until", "title"],
    ],
    [
      "POST",
      "/api/events",
      { files: [{ type: "upload", name: "a.txt", data: "?" }] },
      ["end", "files.0.data", "start", "title", "type"],
    ],
    [
      "POST",
      "/content",
      { content_type: "event", poll: { choices: [] } },
      ["event", "poll.choices", "poll.question", "title"],
    ],
    [
      "POST",
      "/content",
      { event: { link: "x" }, mentions: [9_999], unit: 9_999 },
      ["content_type", "event.datetime_start", "event.link", "mentions", "title", "unit"],
    ],
    [
      "POST",
      "/content",
      { content_type: "event", title: "", event: { datetime_start: "2027-01-02", datetime_end: "2027-01-01" } },
      ["event.datetime_end", "title"],
    ],
    ["POST", "/conversations", { recipients: [1, 9_999] }, ["message", "recipients"]],
    ["POST", "/conversations", {}, ["message", "recipients"]],
    [
      "POST",
      "/api/users",
      { unit: 9_999, userTypes: [9_999], password: "short" },
      ["email", "first_name", "last_name", "password", "unit", "userTypes"],
    ],
    [
      "POST",
      "/api/users",
      { first_name: "A", last_name: "B", email: "a@example.com", unit: 9_999, userTypes: [9_999], password: "short" },
      ["password", "unit", "userTypes"],
    ],
    [
      "POST",
      "/api/password/reset",
      { token: "x", email: "member@example.com", password: "short", password_confirm: "x" },
      ["password", "password_confirm", "token"],
    ],
    [
      "POST",
      "/api/password/reset",
      { email: "member@example.com", password: "short", password_confirm: "x" },
      ["password", "password_confirm", "token"],
    ],
    ["PATCH", "/users/4/units/1", { unit: "x", userTypes: [9_999] }, ["unit", "userTypes"]],
    ["POST", "/units", { parent: 9_999 }, ["name", "parent"]],
  ])("%s %s %j", async (method, path, body, names) => {
    expect(Object.keys(await wrong(method, path, body)).sort()).toEqual(names);
  });

  it("in queries, too", async () => {
    expect(Object.keys(await wrong("GET", "/api/events?start=5&end=4&limit=0")).sort()).toEqual(["end", "limit"]);
    expect(Object.keys(await wrong("GET", "/api/users?below=1&limit=0")).sort()).toEqual(["below", "limit"]);
  });

  it.each([
    ["GET", "/api/users?below=1&limit=0&cursor=x", undefined, ["below", "cursor", "limit"]],
    ["GET", "/api/users?below=1&limit=2&limit=3&cursor=x&nope=1", undefined, ["below", "cursor", "limit", "nope"]],
    ["GET", "/api/events?start=5&end=4&page=1&page=2", undefined, ["end", "page"]],
    ["GET", "/conversations/x/messages?limit=0&cursor=eA&cursor=eQ", undefined, ["conversation", "cursor", "limit"]],
    ["PATCH", "/users/x/units/1?department=1", { userTypes: [9_999] }, ["department", "user", "userTypes"]],
    ["PATCH", "/api/events/x?title=A", { start: "x", id: 1 }, ["id", "start", "title"]],
    [
      "POST",
      "/api/events?location=A",
      { type: "chain", units: [9_999] },
      ["end", "location", "start", "title", "units"],
    ],
  ])("%s %s %j: also those that the path and the query cannot hold", async (method, path, body, names) => {
    expect(Object.keys(await wrong(method, path, body)).sort()).toEqual(names);
  });

  it("a request that the query makes wrong is refused after the missing token", async () => {
    const { instance } = world();
    expect((await fetch(`${instance.url}/api/users?limit=1&limit=2`)).status).toBe(401);
    expect((await fetch(`${instance.url}/api/password/request?x=1`, { method: "POST" })).status).toBe(422);
  });

  it("users.password reports the missing current password and the invalid new one together", async () => {
    const { ids } = world();
    expect(await wrong("PATCH", `/api/users/${ids.member}/password`, { password: "short" }, ids.member)).toEqual({
      password: ["must have at least 8 characters"],
      current: ["is required to change your own password"],
    });
  });

  it("a caller without permission gets no issues that depend on data", async () => {
    const { ids } = world();
    expect(Object.keys(await wrong("POST", "/units", { parent: 9_999 }, ids.member))).toEqual(["name"]);
  });
});

describe("names in errors are those of the interface", () => {
  it.each([
    ["GET", "/content/x", "content"],
    ["PATCH", "/content/x", "content"],
    ["GET", "/conversations/x", "conversation"],
    ["GET", "/conversations/x/messages", "conversation"],
    ["PATCH", "/usertypes/x", "userType"],
    ["GET", "/users/collection/x", "userIDs"],
    ["GET", "/users/collection/1,x,y", "userIDs"],
    ["PATCH", "/users/x/units/1", "user"],
    ["PATCH", "/users/1/units/x", "unit"],
    ["GET", "/api/events/x", "id"],
    ["DELETE", "/api/events/x/files/1", "EventID"],
    ["DELETE", "/api/events/1/files/x", "FileID"],
    ["GET", "/api/webhooks/x/logs", "id"],
  ])("%s %s: %s", async (method, path, name) => {
    const { error } = (await ask(method, path, method === "PATCH" ? {} : undefined)).body;
    expect(error.fields).toEqual({ [name]: ["must be an integer"] });
    expect(error.issues).toMatchObject([{ field: name }]);
    expect(error.message).toBe(`${name} must be an integer.`);
  });

  it.each([
    ["PATCH", "/usertypes/x", { id: 1, userType: 1 }, ["id", "userType"]],
    ["PATCH", "/users/1/units/x", { from: 1 }, ["from", "unit"]],
    ["PATCH", "/users/1/units/x?from=1", { unit: 1 }, ["from", "unit"]],
    ["PATCH", "/users/1/units/x", { ".from": 1 }, [".from", "unit"]],
    ["GET", "/users/collection/1?ids=2", undefined, ["ids"]],
    ["GET", "/content/x?id=2", undefined, ["content", "id"]],
    ["DELETE", "/api/events/1/files/2?file=3&EventID=4", undefined, ["EventID", "file"]],
  ])("%s %s %j: an unknown field has the name that the request gave it", async (method, path, body, names) => {
    expect(Object.keys(await wrong(method, path, body)).sort()).toEqual(names);
  });

  it("messages about one item and one character use the singular", async () => {
    expect(await wrong("POST", "/users/welcome", { users: [] })).toEqual({ users: ["must have at least 1 item"] });
    expect(await wrong("POST", "/api/authenticate", { username: "a", password: "" })).toEqual({
      password: ["must have at least 1 character"],
    });
  });

  it("an unknown field keeps its name, even when the program uses it for a field of the path", async () => {
    const unknown = ["is not a field of this operation"];
    const post = await newPost({});
    expect(await wrong("PATCH", `/content/${post}`, { id: post, title: "" })).toEqual({
      id: unknown,
      title: ["must not be blank"],
    });
    expect(await wrong("GET", `/content/${post}?id=${post}`)).toEqual({ id: unknown });
    expect(await wrong("GET", "/users?=1")).toEqual({ '""': unknown });
    expect(await wrong("PATCH", `/content/${post}`, { "": 1 })).toEqual({ '""': unknown });
    const { conversationId, id } = (
      await ask("POST", "/conversations", { recipients: [world().ids.member], message: "Hello" })
    ).body;
    const path = `/conversations/${conversationId}/messages/${id}`;
    expect(await wrong("PATCH", path, { id, messageId: id, message: "Hi" })).toEqual({
      id: unknown,
      messageId: unknown,
    });
  });

  it("a wrong date or an empty list has one message, and a start after the end that stays is the wrong field", async () => {
    const event = await newEvent({ start: 10, end: 20 });
    const path = `/api/events/${event}`;
    expect(await wrong("PATCH", path, { all_day: 1, date: "01-05-2027" })).toEqual({
      date: ["must be a date that exists, as YYYY-MM-DD"],
    });
    expect(await wrong("POST", `${path}/files`, { files: [] })).toEqual({ files: ["must have at least 1 item"] });
    expect(await wrong("PATCH", path, { start: 21 })).toEqual({ start: ["must not be after the end"] });
    expect(await wrong("PATCH", path, { start: 21, end: 20 })).toEqual({ end: ["must not be before the start"] });
    expect(await wrong("PATCH", path, { end: 9 })).toEqual({ end: ["must not be before the start"] });
  });

  it("a missing URI, address, type or frequency is required, and a long URI is told its limit", async () => {
    const required = ["is required"];
    expect(await wrong("POST", "/api/webhooks", { name: "A" })).toEqual({ uri: required });
    expect(await wrong("POST", "/api/password/request", {})).toEqual({ email: required });
    const event = { title: "A", start: 1, end: 2 };
    expect(await wrong("POST", "/api/events", event)).toEqual({ type: required });
    const recurrence = [{ count: 2 }];
    expect(await wrong("POST", "/api/events", { ...event, type: "user", recurrence })).toEqual({
      "recurrence.0.freq": required,
    });
    const uri = `https://example.com/${"a".repeat(2048)}`;
    expect(await wrong("POST", "/api/webhooks", { name: "A", uri })).toEqual({
      uri: ["must have at most 2048 characters"],
    });
  });
});

describe("cleared and ignored values", () => {
  it.each([true, 1])("events: with all_day %j, start and end are ignored whatever they hold", async (all_day) => {
    const id = await newEvent({ all_day, date: "2027-05-01", start: "soon", end: { at: [] } });
    expect((await ask("GET", `/api/events/${id}`)).body).toMatchObject({ dates: [], date: "2027-05-01" });
    expect(await ask("PATCH", `/api/events/${id}`, { all_day, start: [], end: -1e300 })).toMatchObject({ status: 204 });
    expect((await wrong("PATCH", `/api/events/${id}`, { all_day: 0, start: "soon" })).start).toEqual([
      "must be Unix time in seconds, or a date-time that exists like 2026-12-31T14:00:00Z",
    ]);
  });

  it.each(["", null, "2027-05-01"])("events: with all_day 0, the date %j is ignored", async (date) => {
    const times = { all_day: 0, start: 1_800_000_000, end: 1_800_000_000, date };
    const id = await newEvent({ ...times, recurrence: [{ freq: "daily", count: 2, until: "" }] });
    expect(await ask("PATCH", `/api/events/${id}`, { ...times, title: "Meal" })).toMatchObject({ status: 204 });
    const { body } = await ask("GET", `/api/events/${id}`);
    expect(body).toMatchObject({ title: "Meal", all_day: false, date: null, days: [], dates: [{}, {}] });
    const { all_day: _, ...forgotten } = { ...times, date: "2027-05-01" };
    expect(await wrong("PATCH", `/api/events/${id}`, forgotten)).toEqual({
      date: ["is only for all-day events: set all_day"],
    });
  });

  it.each(["", null])("optional texts and links are cleared by %j", async (none) => {
    const { units, addUser, types } = world();
    const event = await newEvent({ start: 1, end: 2, body: "B", location: "L", link: "https://example.com" });
    expect(await ask("PATCH", `/api/events/${event}`, { body: none, location: none, link: none })).toMatchObject({
      status: 204,
    });
    expect((await ask("GET", `/api/events/${event}`)).body).toMatchObject({ body: "", location: null, link: "" });
    const repeat_rules = "FREQ=DAILY;COUNT=2";
    const post = await newPost({ location: "L", link: "https://example.com", repeat_rules });
    const cleared = { location: none, link: none, repeat_rules: none };
    expect(await ask("PATCH", `/content/${post}`, { body: none, event: cleared })).toMatchObject({ status: 204 });
    const shown = (await ask("GET", `/content/${post}`)).body;
    expect(shown).toMatchObject({ body: "", event: { location: null, link: null, rrule: null } });
    const { id } = await addUser({ title: "T", phone: "1", language: "da", timezone: "UTC", meta_field_0: "M" });
    const texts = { title: none, phone: none, reference: none, language: none, timezone: none, meta_field_0: none };
    expect((await ask("PATCH", `/api/users/${id}`, texts)).body).toMatchObject({
      ...{ title: "", phone: null, reference: null, language: null, timezone: null, meta_field_0: "" },
    });
    const unit = { description: none, contact: { name: none }, addresses: { company: { city: none, email: none } } };
    expect((await ask("PATCH", `/units/${units.yard}`, { ...unit, reference: none })).body).toMatchObject({
      ...{ description: "", reference: null, contact: { name: null }, addresses: { company: { city: null } } },
    });
    expect((await ask("PATCH", `/usertypes/${types.editor}`, { reference: none })).body.reference).toBeNull();
  });

  it("addresses have all keys, and an update to the same changes nothing", async () => {
    const { units } = world();
    const addresses = { delivery: { city: "Aarhus" } };
    const keys =
      "company registration_number vat_number street street_additional postal_code city country phone email comments";
    const { body } = await ask("PATCH", `/units/${units.south}`, { addresses });
    expect(body.addresses).toEqual({
      company: null,
      invoicing: null,
      delivery: {
        ...Object.fromEntries(keys.split(" ").map((key) => [key, null])),
        use_company_address: false,
        city: "Aarhus",
      },
    });
    world().instance.wait(5);
    expect((await ask("PATCH", `/units/${units.south}`, { addresses })).body.updated_at).toBe(body.updated_at);
  });

  it("sharing with oneself is accepted and ignored", async () => {
    const { ids } = world();
    const post = await created("/content", { content_type: "news", title: "A", sharing: { shares: [1, ids.member] } });
    expect((await ask("GET", `/content/${post}`)).body.sharing.shares).toEqual([ids.member]);
    const event = await newEvent({ start: 1, end: 2, shares: [1] });
    expect((await ask("GET", `/api/events/${event}`)).body.shared).toBe(false);
    expect(await ask("PATCH", `/api/events/${event}`, { shares: [1] })).toMatchObject({ status: 204 });
  });

  it("unit events take several units", async () => {
    const { units } = world();
    const id = await newEvent({ type: "unit", start: 1, end: 2, units: [units.harbour, units.south] });
    const ids = (await ask("GET", `/api/events/${id}`)).body.units.map((unit: { id: number }) => unit.id);
    expect(ids.sort()).toEqual([units.harbour, units.south].sort());
  });

  it("messages may have files and no text; parent_id may be null", async () => {
    const { ids } = world();
    const files = [{ type: "upload", name: "a.txt", data: btoa("a") }];
    const first = await ask("POST", "/conversations", { recipients: [ids.member], files });
    expect(first).toMatchObject({ status: 201, body: { message: "", files: [{ name: "a.txt" }] } });
    const path = `/conversations/${first.body.conversationId}/messages`;
    expect(await ask("POST", path, { message: "", parent_id: null, files })).toMatchObject({ status: 201 });
    expect(await ask("POST", path, { message: "Hi", parent_id: null })).toMatchObject({
      status: 201,
      body: { is_reply: false, parent: null },
    });
    expect(await wrong("POST", path, { message: " ", parent_id: 9_999 })).toEqual({
      message: ["must not be blank"],
      parent_id: [expect.stringContaining("is not a message")],
    });
  });

  it("a manager of a unit changes memberships there, wherever the user's first unit is", async () => {
    const { ids, units, addUser, types } = world();
    const { id } = await addUser({ unit: units.south });
    const path = `/users/${id}/units`;
    expect(await ask("POST", path, { unit: units.harbour }, ids.manager)).toMatchObject({ status: 201 });
    const change = { userTypes: [types.employee] };
    expect(await ask("PATCH", `${path}/${units.harbour}`, change, ids.manager)).toMatchObject({ status: 204 });
    expect(await ask("PATCH", `${path}/${units.harbour}`, { unit: units.yard }, ids.manager)).toMatchObject({
      status: 204,
    });
    expect(await ask("DELETE", `${path}/${units.yard}`, undefined, ids.manager)).toMatchObject({ status: 204 });
    expect(await ask("PATCH", `${path}/${units.south}`, change, ids.manager)).toMatchObject({ status: 403 });
  });

  it("the last active administrator cannot be deleted, and says so", async () => {
    const { ids } = world();
    expect((await ask("GET", "/api/users/1")).body.permissions.delete).toBe(true);
    await ask("PATCH", `/api/users/${ids.boss}`, { admin: false });
    expect((await ask("GET", "/api/users/1")).body.permissions).toEqual({ edit: true, delete: false });
    await ask("PATCH", `/api/users/${ids.boss}`, { admin: true });
    expect((await ask("GET", `/api/users/${ids.boss}`)).body.permissions.delete).toBe(true);
  });
});
