import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { testEvent, triggers } from "../../src/contract/webhooks.ts";
import { documentedPath, openapi } from "../../src/http/openapi.ts";
import { ofInstance } from "../../src/http/openapi-instance.ts";
import { operations } from "./support.ts";

const ofAny = openapi(operations);
const instance = { version: "1.2.3", url: "https://wcs.example.com" };
const document = JSON.parse(JSON.stringify(ofInstance(ofAny, instance)));

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: string[];
  readonly security?: unknown[];
  readonly parameters: { $ref?: string; name?: string; in?: string; required?: boolean }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: { properties: object } }> };
  readonly responses: Record<string, { $ref?: string; headers?: object; content?: object }>;
}

const pathOf = (path: string) => path.replace(/\{(\w+)=\w+\}/g, "{$1}");
const described = (op: (typeof operations)[number]): Described | undefined =>
  document.paths[documentedPath(op)]?.[op.method.toLowerCase()];

/** Every value of the document with where it stands. */
function* walk(value: unknown, at = "#"): Generator<{ at: string; value: Record<string, unknown> }> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield { at, value: value as Record<string, unknown> };
  for (const [key, inner] of Object.entries(value)) yield* walk(inner, `${at}/${key}`);
}
const resolve = (ref: string) =>
  ref
    .split("/")
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);

test("every operation is in the document once, with its parameters, body and responses", () => {
  const mistakes: string[] = [];
  for (const op of operations) {
    const entry = described(op);
    const fields = Object.keys((op.input() as z.ZodObject).shape).length;
    const inBody = Object.keys(entry?.requestBody?.content["application/json"]?.schema.properties ?? {}).length;
    const named =
      entry?.parameters.filter((parameter) => parameter.in === "path" || parameter.in === "query").length ?? 0;
    const placeholders = [...pathOf(op.path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = entry?.parameters
      .filter((parameter) => parameter.in === "path" && parameter.required)
      .map(({ name }) => name);
    if (entry?.operationId !== op.name) mistakes.push(`${op.name}: operationId`);
    if (inBody + named !== fields) mistakes.push(`${op.name}: ${fields} fields, ${inBody + named} described`);
    if (JSON.stringify(inPath) !== JSON.stringify(placeholders)) mistakes.push(`${op.name}: path parameters`);
    if ((op.access === "public") !== Array.isArray(entry?.security)) mistakes.push(`${op.name}: security`);
    if (!entry?.description.includes("May be called by")) mistakes.push(`${op.name}: who may call it`);
    const success = entry?.responses[op.status];
    if (!success || (op.status === 204) === "content" in success) mistakes.push(`${op.name}: ${op.status}`);
    if (Boolean(op.location) !== "Location" in (success?.headers ?? {})) mistakes.push(`${op.name}: Location`);
  }
  expect(mistakes).toEqual([]);
  const ids = [...walk(document.paths)].flatMap(({ value }) =>
    typeof value.operationId === "string" ? [value.operationId] : [],
  );
  expect(ids.toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
});

test("every reference resolves, and every component is used", () => {
  const refs = [...walk(document)].flatMap(({ value }) => (typeof value.$ref === "string" ? [value.$ref] : []));
  expect(refs.filter((ref) => resolve(ref) === undefined)).toEqual([]);
  const components = Object.entries(document.components as Record<string, object>).flatMap(([kind, named]) =>
    kind === "securitySchemes" ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`),
  );
  expect(components.filter((name) => !refs.includes(name))).toEqual([]);
});

test("references allow the fields of what they refer to", () => {
  const closed = [...walk(document)].filter(({ value }) => "$ref" in value && "additionalProperties" in value);
  expect(closed.map(({ at }) => at)).toEqual([]);
});

test("requests allow no other fields, and responses may get more", () => {
  const entry = described(operations.find((op) => op.name === "units.create")!)!;
  const schemaOf = (body: unknown) => {
    const { schema } = (body as { content: Record<string, { schema: { $ref?: string } }> }).content[
      "application/json"
    ]!;
    return (schema.$ref ? resolve(schema.$ref) : schema) as { type: string; additionalProperties?: boolean };
  };
  expect(schemaOf(entry.requestBody)).toMatchObject({ type: "object", additionalProperties: false });
  const response = schemaOf(entry.responses["201"]);
  expect(response.type).toBe("object");
  expect(response).not.toHaveProperty("additionalProperties");
  const closed = [...walk(document)].filter(({ value }) => value.additionalProperties === false).map(({ at }) => at);
  const inputs = /\/requestBody\/|^#\/components\/schemas\/(\w+Input|\w+Row|FileItem)\b/;
  expect(closed.filter((at) => !inputs.test(at))).toEqual([]);
});

test("an object that requests or pages of several operations have is a component", () => {
  const places = Map.groupBy(
    [...walk(document.paths)].filter(
      ({ at, value }) => /\/properties\//.test(at) && Object.keys(value.properties ?? {}).length > 1,
    ),
    ({ value: { description, ...rest } }) => JSON.stringify(rest),
  );
  expect([...places.values()].filter(({ length }) => length > 1).map(([first]) => first?.at)).toEqual([]);
});

test("the document has the version of the interface, and that of the program beside it", () => {
  expect(document.info).toMatchObject({ version: "1.0", "x-wcs-version": "1.2.3" });
});

test("the document names the URL of the instance, or none and the origin of the document as the server", () => {
  const contact = { name: "Administrators of this instance" };
  expect(document.info.contact).toEqual({ ...contact, url: "https://wcs.example.com" });
  expect(document.servers).toEqual([{ url: "https://wcs.example.com" }]);
  const anywhere = ofInstance(ofAny, { ...instance, url: "" });
  expect([anywhere.info.contact, anywhere.servers]).toEqual([contact, [{ url: "/" }]]);
});

test("tags have the names of the interface", () => {
  const ofInterface = ["Auth", "Posts", "Counters", "Groups", "Languages", "Timezones", "Units", "Users", "User types"];
  const further = [
    "User unit memberships",
    "Conversations",
    "Events",
    "Webhooks",
    "Files",
    "Settings",
    "Audit",
    "Identity",
  ];
  const tags = (document.tags as { name: string }[]).map(({ name }) => name);
  expect(tags.toSorted()).toEqual([...ofInterface, ...further].toSorted());
});

test("every tag has a description", () => {
  const used = new Set(operations.map((op) => described(op)?.tags[0]));
  const tags = document.tags as { name: string; description?: string }[];
  expect(tags.filter(({ description }) => description).map(({ name }) => name)).toEqual([...used]);
});

test("operations have the tag of their group, or one of their own", () => {
  const tagsOf = (name: string) => described(operations.find((op) => op.name === name)!)?.tags;
  expect(tagsOf("usertypes.list")).toEqual(["User types"]);
  expect(tagsOf("users.list")).toEqual(["Users"]);
  expect(tagsOf("users.membershipAdd")).toEqual(["User unit memberships"]);
  expect(["sessions.list", "muterules.list", "names.find"].map(tagsOf)).toEqual([
    ["Identity"],
    ["Conversations"],
    ["Users"],
  ]);
});

test("secrets are write-only, and schemas have no keywords of ours", () => {
  const schemas = [...walk(document)].filter(({ at }) => !/\/(properties$|example\b)/.test(at));
  expect(schemas.filter(({ value }) => "secret" in value && !("$ref" in value)).map(({ at }) => at)).toEqual([]);
  const body = described(operations.find((op) => op.name === "auth.authenticate")!)?.requestBody;
  const properties = body?.content["application/json"]?.schema.properties as Record<string, { writeOnly?: boolean }>;
  const writeOnly = Object.keys(properties).filter((name) => properties[name]?.writeOnly === true);
  expect(writeOnly.sort()).toEqual(["otp", "password"]);
  expect(Object.keys(properties)).toContain("username");
  expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

test("a whole number has the limits of its field, and none of those of all whole numbers", () => {
  const integers = [...walk(document)].filter(({ value }) => value.type === "integer").map(({ value }) => value);
  const limits = (name: string) => new Set(integers.map((value) => value[name]));
  expect(limits("minimum")).toContain(1);
  expect(limits("minimum")).not.toContain(Number.MIN_SAFE_INTEGER);
  expect(limits("maximum")).toContain(100);
  expect(limits("maximum")).not.toContain(Number.MAX_SAFE_INTEGER);
});

test("a time without a description is described by its unit", () => {
  const { created_at, expires_at } = document.components.schemas.Session.properties;
  expect(created_at.description).toBe("Unix time in seconds");
  expect(expires_at.description).toMatch(/.+ \(Unix time in seconds\)$/);
});

test("a time in a request is a date-time or Unix time", () => {
  const body = described(operations.find((op) => op.name === "webhooks.recover")!)?.requestBody;
  expect(body?.content["application/json"]?.schema).toHaveProperty("properties.since.anyOf", [
    { type: "string", format: "date-time" },
    expect.objectContaining({ type: "integer", format: "int64" }),
  ]);
});

test("every parameter, and every optional field that can be null, has a description of its own", () => {
  const undescribed = operations.flatMap((op) =>
    (described(op)?.parameters ?? [])
      .filter((parameter) => !("$ref" in parameter) && !("description" in parameter))
      .map(({ name }) => `${op.name} ${name}`),
  );
  expect(undescribed).toEqual([]);
  expect(document.components.schemas.UserRow.properties.phone.description).toBe("Phone number");
});

test("the rows of an import have a schema, though the service accepts others to report them", () => {
  for (const [name, schema] of [["users.import", "UserRow"] as const, ["units.import", "UnitRow"] as const]) {
    const op = operations.find((each) => each.name === name)!;
    const rows = { type: "array", maxItems: 1000, items: { $ref: `#/components/schemas/${schema}` } };
    expect(described(op)?.requestBody?.content["application/json"]?.schema.properties).toMatchObject({ rows });
    expect(op.input().safeParse({ rows: [{ no_such_column: 1 }] }).success).toBe(true);
  }
});

test("the callbacks of webhooks have the form of their events", () => {
  expect(Object.keys(document.webhooks)).toEqual([...triggers, testEvent]);
  const schemaOf = (event: string) => document.webhooks[event].post.requestBody.content["application/json"].schema;
  expect(schemaOf("user.delete").properties.data.$ref).toBe("#/components/schemas/User");
  expect(schemaOf("unit.update").properties.data.$ref).toBe("#/components/schemas/Unit");
  expect(schemaOf(testEvent).properties.data.properties).toEqual({
    content_type: { const: "webhook" },
    id: { type: "integer" },
    name: { type: "string" },
    url: { type: "string" },
  });
  const { responses, requestBody } = document.webhooks[testEvent].post;
  expect(requestBody.required).toBe(true);
  expect(Object.keys(responses)).toEqual(["410", "2XX", "default"]);
  for (const { description } of Object.values<{ description: string }>(responses))
    expect(description).toMatch(/^[A-Z]/);
  expect(document.webhooks["unit.delete"].post.summary).toBe("A unit was deleted");
  const names = document.webhooks["user.create"].post.parameters.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature"]);
});

test.each(triggers)("the recorded callback of %s has the fields of its description", async (event) => {
  const page = await readFile(new URL("../../docs/reference/events.md", import.meta.url), "utf8");
  const { type, data } = JSON.parse(page.split(`## ${event}\n\n\`\`\`json\n`)[1]!.split("```")[0]!);
  const { schema } = document.webhooks[event].post.requestBody.content["application/json"];
  expect(schema.properties.type.const).toBe(type);
  const { properties, required } = resolve(schema.properties.data.$ref) as { properties: object; required: string[] };
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(data)));
  expect(Object.keys(data)).toEqual(expect.arrayContaining(required));
});

test("a reference without a description is described by the thing to which it refers", () => {
  const body = described(operations.find((op) => op.name === "users.welcome")!)?.requestBody;
  expect(body?.content["application/json"]?.schema.properties).toMatchObject({
    users: { description: "IDs of users", items: { description: "ID of the user" } },
  });
});

test("a field has the format or the pattern of its values", () => {
  const fieldsOf = (name: string) => {
    const body = described(operations.find((op) => op.name === name)!)?.requestBody;
    return body?.content["application/json"]?.schema.properties as Record<string, Record<string, unknown>>;
  };
  expect(fieldsOf("auth.passwordRequest").email).toMatchObject({ format: "email" });
  expect(fieldsOf("auth.passwordRequest").email).not.toHaveProperty("pattern");
  expect(fieldsOf("webhooks.create").uri).toMatchObject({ format: "iri" });
  expect(fieldsOf("users.deactivateMissing").max_removals).toMatchObject({ pattern: expect.stringContaining("%") });
});

test("every response has a description, as OpenAPI requires", () => {
  const responses = operations.flatMap((op) => Object.values(described(op)?.responses ?? {}));
  const shown = responses.map((response) => (response.$ref ? resolve(response.$ref) : response));
  expect(shown.length).toBeGreaterThan(operations.length);
  expect(shown.filter((response) => !(response as { description?: string }).description)).toEqual([]);
});

test("an array of one item is described as such, and not as a tuple", () => {
  const { AccessToken } = document.components.schemas;
  expect(AccessToken).toMatchObject({ type: "array", items: { type: "object" }, minItems: 1, maxItems: 1 });
  expect(AccessToken).not.toHaveProperty("prefixItems");
});

test("errors that say when to retry have the header for it", () => {
  const { responses } = document.components;
  const retried = Object.keys(responses).filter((code) => "Retry-After" in (responses[code]?.headers ?? {}));
  expect(retried.sort()).toEqual(["conflict", "too_many_requests", "unavailable"]);
});

test("an operation takes an Idempotency-Key when repeats get the first response", () => {
  const takesKey = (name: string) =>
    described(operations.find((op) => op.name === name)!)?.parameters.some(
      ({ $ref }) => $ref === "#/components/parameters/IdempotencyKey",
    );
  expect(["users.create", "webhooks.create"].map(takesKey)).toEqual([true, true]);
  expect(["auth.authenticate", "auth.passwordRequest", "auth.renew"].map(takesKey)).toEqual([false, false, false]);
});

test("the values of a map in a response have a type", () => {
  const maps = [...walk(document.components.schemas)].filter(({ at }) => at.endsWith("/headers"));
  expect(maps.length).toBeGreaterThan(0);
  for (const { at, value } of maps) expect(value.additionalProperties, at).toEqual({ type: "string" });
});

test("a body is required when one of its fields is", () => {
  const isRequired = (name: string) => described(operations.find((op) => op.name === name)!)?.requestBody?.required;
  expect([isRequired("auth.authenticate"), isRequired("users.update")]).toEqual([true, false]);
});

test("each operation says who may call it", () => {
  const whoMay = (name: string) =>
    described(operations.find((op) => op.name === name)!)?.description.match(/(?<=^May be called by: ).*/m)?.[0];
  expect(whoMay("auth.authenticate")).toBe("everyone, without a token.");
  expect(whoMay("users.current")).toBe("any signed-in user.");
  expect(whoMay("settings.set")).toBe("administrators.");
  expect(whoMay("units.create")).toBe("administrators; users with the ability `units` in the unit in `parent`.");
  expect(whoMay("users.update")).toBe(
    "administrators; users with the ability `user` over the user in `id` and every ability of this user, in the same units (only if `email` or `reference` or `provider` changes); this user.",
  );
});

test("headers have schemas, and files are bytes with an ETag", () => {
  const { parameters, headers } = document.components as Record<string, Record<string, { schema?: { type?: string } }>>;
  const types = Object.values({ ...parameters, ...headers }).map(({ schema }) => schema?.type);
  expect(new Set(types)).toEqual(new Set(["string", "integer"]));
  const whole = described(operations.find((op) => op.name === "files.get")!)?.responses[200];
  expect(whole?.content).toEqual({ "application/octet-stream": {} });
  expect(Object.keys(whole?.headers ?? {})).toEqual(["X-Request-Id", "ETag", "Accept-Ranges", "Content-Disposition"]);
});

test("errors follow from the definition of the operation", () => {
  const statuses = (name: string) =>
    Object.keys(described(operations.find((op) => op.name === name)!)?.responses ?? {});
  expect(statuses("users.current")).toEqual(["200", "400", "401", "403", "422", "500", "503"]);
  expect(statuses("units.create")).toEqual(["201", "400", "401", "403", "409", "413", "415", "422", "500", "503"]);
  expect(statuses("auth.authenticate")).toEqual(["200", "400", "401", "413", "415", "422", "429", "500", "503"]);
  expect(statuses("tokens.create")).not.toContain("410");
  expect(statuses("users.collection")).toEqual(["200", "400", "401", "403", "422", "500", "503"]);
  const ofFiles = ["200", "206", "304", "400", "401", "403", "404", "412", "416", "422", "500", "503"];
  expect(statuses("files.get")).toEqual(ofFiles);
});

test("operations take a bearer token unless they say otherwise", () => {
  expect(document.security).toEqual([{ bearer: [] }]);
  expect(document.components.securitySchemes).toMatchObject({ bearer: { type: "http", scheme: "bearer" } });
});

test("defaults are valid by their schemas", () => {
  const withDefault = [...walk(document)].filter(({ value }) => "default" in value && "type" in value);
  expect(withDefault.length).toBeGreaterThan(0);
  const wrong = withDefault.filter(({ value }) => !z.fromJSONSchema(value as never).safeParse(value.default).success);
  expect(wrong.map(({ at }) => at)).toEqual([]);
});

test.each([
  ["Post", "translations"],
  ["Message", "voice"],
  ["File", "screenshot"],
  ["User", "specialties"],
  ["User", "all_integrations"],
])("%s.%s is described as always empty", (schema, field) => {
  expect(JSON.stringify(document.components.schemas[schema].properties[field])).toMatch(
    /"description":"Always (null|empty): /,
  );
});
test("every operation has examples of its request and its response, and its schemas accept them", () => {
  const mistakes: string[] = [];
  for (const op of operations) {
    const { requestBody, responses } = described(op)!;
    const shape = (op.input() as z.ZodObject).shape;
    const bodies = [
      { of: "request", body: requestBody?.content, schema: z.strictObject(bodyFields(shape, op.path)) },
      { of: "response", body: responses[op.status]?.content, schema: op.output() },
    ];
    for (const { of, body, schema } of bodies) {
      const json = (body as Record<string, { example?: unknown }> | undefined)?.["application/json"];
      if (json && !schema.safeParse(json.example).success) mistakes.push(`${op.name}: ${of}`);
    }
  }
  expect(mistakes).toEqual([]);
});

/** Returns the fields of an input that are not in the path. */
function bodyFields(shape: z.ZodRawShape, path: string) {
  const inPath = [...path.matchAll(/\{(?:\w+=)?(\w+)\}/g)].map(([, name]) => name);
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !inPath.includes(name)));
}
