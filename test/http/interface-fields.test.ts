import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { pathFields } from "../../src/contract/field-spec.ts";
import { documentedPath } from "../../src/http/openapi.ts";
import { documentedOperations, objects } from "../data/interface-fields.ts";
import { inputObjects, queries } from "../data/interface-inputs.ts";
import { password, useWorld } from "../support/actors.ts";
import { newEngine } from "../support/engine.ts";
import { sqliteHttp } from "../support/instance.ts";
import { mailedToken } from "../support/password-mail.ts";
import { newReceiver } from "../support/receiver.ts";
import { operations } from "./support.ts";

type Json = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const world = useWorld(sqliteHttp);
/** The answers of the documented operations, in a world with content. */
const answers = new Map<string, Answer[]>();

/** Calls an operation by its documented path, and keeps the answer. */
async function call(name: string, ids: readonly (string | number)[] = [], body?: object, query = ""): Promise<Json> {
  const { instance } = world();
  const [method = "", path = ""] = name.split(" ");
  const left = [...ids];
  const response = await fetch(`${instance.url}${path.replace(/\{\w+\}/g, () => String(left.shift()))}${query}`, {
    method,
    headers: { authorization: `Bearer ${await instance.tokenOf(1)}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  if (name in documentedOperations) answers.set(name, [...(answers.get(name) ?? []), answer]);
  return answer.body as Json;
}

beforeAll(async () => {
  await people();
  await posts();
  await conversations();
  await events();
  await webhooks();
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const picture = [{ type: "upload", name: "a.png", data: png }];

async function people(): Promise<void> {
  const { instance, ids, units, cranes, types, addUser } = world();
  await call("POST /api/authenticate", [], { username: "member@example.com", password });
  await call("POST /api/renew");
  await call("POST /api/password/request", [], { email: "member@example.com" });
  const reset = { token: await mailedToken(instance, "member@example.com"), email: "member@example.com" };
  await call("POST /api/password/reset", [], { ...reset, password, password_confirm: password });
  await call("PATCH /api/users/{id}/password", [ids.member], { password });
  await call("POST /api/users/welcome", [], { users: [ids.member] });
  await call("POST /api/users/policy");
  const change = { userTypes: [types.employee, types.editor], department: cranes, overwrite: true };
  await call("PATCH /users/{user}/units/{unit}", [ids.member, units.harbour], change);
  await call("PATCH /usertypes/{userType}", [types.editor], { name: "Writer", reference: "writer" });
  const hours = {
    office_hours: [{ day: 1, starthours: 900, endhours: 1730 }],
    closed: [{ start: "2026-12-24", end: "2026-12-26" }],
  };
  await call("PATCH /units/{unit}", [units.north], {
    description: "The branch in the north",
    contact: { name: "Ann", phone: "1" },
    addresses: { company: { city: "Skagen" }, delivery: {}, invoicing: fullAddress },
    opening_hours: hours,
    geo: { lat: 57.7, lng: 10.6 },
  });
  await call("PUT /units/{unit}/image", [units.north], { files: picture });
  for (const id of [1, ids.member]) await call("PUT /api/users/{id}/avatar", [id], { files: picture });
  for (const reference of ["north", "harbour"]) await call("GET /units/reference/{unit}", [reference]);
  const member = await addUser({ title: "Chef", reference: "chef", meta_field_0: "M" });
  await call("GET /users/collection/{userIDs}", [`1,${ids.member},${member.id}`]);
  for (const page of ["", "&limit=1&page=1", "&limit=1&page=2"]) {
    await call("GET /api/users/birthdays", [], undefined, `?start=01-01&end=12-31${page}`);
  }
}

const fullAddress = {
  ...{ company: "Acme", registration_number: "1", vat_number: "2", street: "3", street_additional: "4" },
  ...{ postal_code: "5", city: "6", country: "7", phone: "8", email: "a@example.com", comments: "9" },
};

async function posts(): Promise<void> {
  const { ids, units, types } = world();
  const upload = { type: "upload", name: "a.txt", data: btoa("a") };
  const { id } = await call("POST /content", [], {
    content_type: "event",
    title: "Party",
    body: "Come",
    files: [upload],
    mentions: [ids.member],
    visibility: { units_falldown: [units.root], units: [units.south], userTypes: [types.employee] },
    sharing: { shares: [ids.outsider] },
    confirm: { enabled: true },
    pinned: { show_in_main_feed: true, until: 4_000_000_000 },
    poll: { question: "Cake?", close_at: 4_000_000_000, choices: [{ title: "Yes" }, { title: "No" }] },
    event: {
      datetime_start: "2027-01-01T12:00:00Z",
      participation: { enabled: true },
      recurrence: { freq: "weekly", count: 2 },
      link: "https://example.com",
      location: "Hall",
      end_date: "2027-03-01",
    },
  });
  await call("POST /content/{content}/comments", [Number(id)], { body: "Nice" });
  const group = await call("POST /api/groups", [], { name: "Sailing" });
  await call("PUT /api/groups/{id}/image", [group.id as number], { files: picture });
  const debate = await call("POST /content", [], { content_type: "debate", title: "Boats", group: group.id });
  await call("PATCH /content/{content}", [Number(id)], {
    title: "Great party",
    publish: { publish_on: 1, unpublish_on: 4_000_000_000 },
  });
  await call("POST /content/{content}/mute", [Number(id)], { mute_rule: 1 });
  for (const post of [id, debate.id]) await call("GET /content/{content}", [Number(post)]);
}

async function conversations(): Promise<void> {
  const { ids } = world();
  const files = picture;
  const first = await call("POST /conversations", [], { recipients: [ids.member, ids.boss], message: "Hi", files });
  const at = [Number(first.conversationId)];
  const path = "POST /conversations/{conversation}/messages";
  const reply = await call(path, at, { message: "Hello", parent_id: first.id });
  await call(`${path}/{message}/reactions`, [...at, Number(reply.id)], { emoji: "👍" });
  await call("POST /conversations", [], { recipients: [ids.member], message: "You" });
  await call("PATCH /conversations/{conversation}/messages/{message}", [...at, Number(reply.id)], {
    message: "Edited",
  });
  const around = `?limit=1&starter_message_id=${first.id}`;
  await call("GET /conversations/{conversation}/messages", at, undefined, around);
  await call("POST /conversations/{conversation}/archive", at);
  await call("GET /conversations", [], undefined, "?status=archived");
  await call("POST /conversations/{conversation}/mute", at, { mute_rule: 2 });
  await call("GET /conversations");
  await call("GET /conversations/{conversation}", at);
  await call("GET /conversations/{conversation}/messages", at);
}

async function events(): Promise<void> {
  const { instance, ids, types, units } = world();
  const start = instance.now() + 3600;
  const files = [{ type: "upload", name: "a.txt", data: btoa("a") }];
  const whole = { title: "Day", type: "user", all_day: 1, date: "2027-01-01", shares: [ids.member] };
  await call("POST /api/events", [], whole);
  const chain = { title: "Meeting", type: "chain", units: [units.north], userTypes: [types.employee], fileCount: 3 };
  const made = await call("POST /api/events", [], { ...chain, start, end: start + 60, location: "Hall", files });
  const id = Number(made.id);
  await call("POST /api/events/files", [], { id, files });
  await call("PATCH /api/events/{id}", [id], { body: "Bring cake" });
  await call("POST /api/events/{id}/seen", [id]);
  await call("GET /api/events");
  await call("GET /api/events/upcoming");
  const event = await call("GET /api/events/{id}", [id]);
  const [file] = event.files as { id: number }[];
  await call("DELETE /api/events/{EventID}/files/{FileID}", [id, file!.id]);
  await call("DELETE /api/events/{id}", [id]);
}

async function webhooks(): Promise<void> {
  const { instance, ids } = world();
  const receiver = await newReceiver();
  const hook = { name: "Hook", uri: `${receiver.url}/hook` };
  const { data } = (await call("POST /api/webhooks", [], hook)) as { data: { id: number } };
  await call("PATCH /api/users/{id}", [ids.member], { title: "Cook" });
  await newEngine(instance).drain({ maxSeconds: 30 });
  await receiver.close();
  await call("GET /api/webhooks");
  await call("PATCH /api/webhooks/{id}", [data.id], { name: "Other" });
  await call("GET /api/webhooks/{id}", [data.id]);
  await call("GET /api/webhooks/{id}/logs", [data.id]);
  await call("DELETE /api/webhooks/{id}", [data.id]);
}

/** Returns the deviations of a value from its type in the field tables. */
function deviations(value: unknown, type: string, at: string): string[] {
  const [, name = "", list, nullable] = /^(\w+)(\[\])?(\|null)?\??$/.exec(type) ?? [];
  if (value === null && nullable) return [];
  if (list) {
    if (!Array.isArray(value)) return [`${at} is not a list: ${JSON.stringify(value)}`];
    return value.flatMap((item, index) => deviations(item, name, `${at}.${index}`));
  }
  const table = objects[name];
  if (table === undefined) return isOf(value, name) ? [] : [`${at} is not ${type}: ${JSON.stringify(value)}`];
  if (!isOf(value, "object")) return [`${at} is not an object: ${JSON.stringify(value)}`];
  const fields = value as Json;
  const missing = Object.entries(table.fields).flatMap(([field, inner]) => {
    if (field in fields) return deviations(fields[field], inner, `${at}.${field}`);
    return inner.endsWith("?") ? [] : [`${at}.${field} is missing`];
  });
  const known = new Set([...Object.keys(table.fields), ...(table.added ?? [])]);
  const more = Object.keys(fields).filter((field) => !known.has(field));
  return [...missing, ...more.map((field) => `${at}.${field} is not documented`)];
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case "untyped":
      return true;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

describe.each(Object.entries(documentedOperations))("%s", (name, { status, returns, body = {} }) => {
  it("answers as documented", () => {
    const given = answers.get(name) ?? [];
    expect(given.length, "the operation was called").toBeGreaterThan(0);
    for (const answer of given) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      if (returns === undefined) expect(answer.body).toBeUndefined();
      else expect(deviations(answer.body, returns, returns)).toEqual([]);
    }
  });

  it("takes the documented fields", () => {
    const op = operations.find((each) => `${each.method} ${documentedPath(each)}` === name)!;
    const inPath = pathFields(op).map((field) => field.name);
    const schema = z.toJSONSchema(op.input(), { io: "input", unrepresentable: "any" }) as JsonSchema;
    const required = (schema.required ?? []).filter((field) => !inPath.includes(field));
    expect(inputDeviations(schema, { ...body, ...queries[name] }, schema.$defs ?? {})).toEqual([]);
    expect(required.filter((field) => !(field in body))).toEqual([]);
  });
});

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}
type Definitions = Readonly<Record<string, JsonSchema>>;

/** Returns how the schema of an object differs from the documented fields: missing ones, other types, required or not. */
function inputDeviations(
  schema: JsonSchema,
  documented: Readonly<Record<string, string>>,
  defs: Definitions,
): string[] {
  return Object.entries(documented).flatMap(([field, type]) => {
    const own = schema.properties?.[field];
    if (own === undefined) return [`${field} is missing`];
    const isRequired = schema.required?.includes(field) === true;
    if (isRequired !== type.endsWith("!")) return [`${field} is ${isRequired ? "" : "not "}required`];
    return typeDeviations(own, type.replace("!", ""), defs).map((deviation) => `${field}: ${deviation}`);
  });
}

function typeDeviations(schema: JsonSchema, type: string, defs: Definitions): string[] {
  const forms = formsOf(schema, defs);
  if (type.endsWith("[]")) {
    const items = forms.find((form) => form.type === "array")?.items;
    return items === undefined ? ["is no list"] : typeDeviations(items, type.slice(0, -2), defs);
  }
  const table = inputObjects[type];
  if (table === undefined) return forms.some((form) => takes(form, type)) ? [] : [`does not take ${type}`];
  const object = forms.find((form) => form.type === "object");
  return object === undefined ? ["is no object"] : inputDeviations(object, table, defs);
}

/** Returns the alternatives of a schema. */
function formsOf(schema: JsonSchema, defs: Definitions): JsonSchema[] {
  const resolved = schema.$ref === undefined ? schema : defs[schema.$ref.replace("#/$defs/", "")]!;
  return resolved.anyOf === undefined ? [resolved] : resolved.anyOf.flatMap((form) => formsOf(form, defs));
}

function takes(schema: JsonSchema, type: string): boolean {
  const types = [schema.type].flat();
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** Fields that no content of this test sets. */
const unset = [
  ...["Post.translations", "Participation.rsvp", "Message.voice", "Unit.falldown"],
  ...["File.stream", "File.screenshot", "WebhookUnit.parent_id"],
];

it("every field of a table had a value in some answer", () => {
  const seen = new Set<string>();
  const visit = (value: unknown, type: string) => {
    const name = /^\w+/.exec(type)![0];
    if (Array.isArray(value)) for (const item of value) visit(item, type);
    else if (objects[name] && value) {
      for (const [field, inner] of Object.entries(objects[name].fields)) {
        const found = (value as Json)[field];
        if (found === null || found === undefined) continue;
        seen.add(`${name}.${field}`);
        visit(found, inner);
      }
    }
  };
  for (const [name, given] of answers) {
    for (const { body } of given) visit(body, documentedOperations[name]?.returns ?? "none");
  }
  const all = Object.entries(objects).flatMap(([name, { fields }]) =>
    Object.keys(fields).map((field) => `${name}.${field}`),
  );
  expect(all.filter((field) => !seen.has(field) && !unset.includes(field))).toEqual([]);
});
