import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { invalid, ServiceError } from "../../src/contract/errors.ts";
import { fieldsOf } from "../../src/contract/field-spec.ts";
import { names } from "../../src/contract/names.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { tryParseInput } from "../../src/contract/parse-input.ts";
import { settings } from "../../src/contract/settings.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { type Client, createClient } from "../../src/http/client/client.ts";
import { decode, encode, textListsOf } from "../../src/http/codec.ts";
import { hasBody } from "../../src/http/encode-request.ts";
import { tries } from "../support/effort.ts";
import { arbitraryOf } from "./arbitrary.ts";
import { type Fake, operations, serveFake } from "./support.ts";

describe("every operation", () => {
  let server: Fake;
  let client: Client;
  beforeAll(async () => {
    server = await serveFake();
    client = createClient({ url: server.url, userAgent: "test", env: {} });
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  test.each(operations.map((op) => [op.name, op] as const))(
    "%s: what the client sends is what the core gets",
    async (_, op) => {
      const inputs = arbitraryOf(op.input() as z.ZodType) as fc.Arbitrary<object>;
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          await client.call(op, input);
          expect({ ...(server.calls.at(-1)?.input as object) }).toEqual(input);
        }),
        { numRuns: tries(40) },
      );
    },
  );

  test("every input field has a type that its place on the wire can express", () => {
    const queries = operations.filter((op) => !hasBody(op));
    const inQuery = queries.flatMap((op) =>
      fieldsOf(op).map((field) => ({ op: op.name, field, leaf: field.items ?? field })),
    );
    const tooMuch = inQuery.filter(
      ({ field, leaf }) => field.nullable || leaf.items || ["number", "object", "other"].includes(leaf.kind),
    );
    expect(tooMuch.map(({ op, field }) => `${op} ${field.name}`)).toEqual([]);
  });
});

/** Returns the issues of a `validation_failed` error, or the code of another error. */
function issues(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.fields ? { ...error.fields } : error.code;
  }
}

const list = (query: string, op: AnyOperation = users.list) => issues(() => ({ ...decode(op, { params: [], query }) }));
const unknown = ["is not a field of this operation"];

describe("a query", () => {
  test.each([
    ["", {}],
    ["unit=5&below=1&admin=false&inactive=0", { unit: 5, below: true, admin: false, inactive: false }],
    ["unit=-3", { unit: -3 }],
    ["unit=120", { unit: 120 }],
    ["unit=1.5", { unit: 1.5 }],
    ["unit=-1.5", { unit: -1.5 }],
    ["unit=5.0", { unit: "5.0" }],
    ["unit=1e3", { unit: "1e3" }],
    ["unit=x5", { unit: "x5" }],
    ["unit=5x", { unit: "5x" }],
    ["unit=05", { unit: 5 }],
    ["unit=0", { unit: 0 }],
    ["unit=", { unit: "" }],
    ["unit", { unit: "" }],
    ["below=yes", { below: "yes" }],
    ["cursor=a%20b+c%2B", { cursor: "a b c+" }],
    ["&&unit=1&", { unit: 1 }],
    ["=5", { "": "5" }],
    ["limmit=5", { limmit: "5" }],
    ["limit[]=5", { "limit[]": "5" }],
  ])("%s", (query, expected) => expect(list(query)).toEqual(expected));

  test("a scalar that is given twice is an issue, beside those of other fields", () => {
    expect(list("limit=1&limit=2&unit=x&nope=1")).toEqual({
      limit: ["is given more than once"],
      unit: ["must be an integer"],
      nope: unknown,
    });
  });

  test("a scalar that is given twice has no second issue, whatever its first value is", () => {
    let refused: unknown;
    try {
      decode(users.list, { params: [], query: "limit=0&limit=2&unit=0" });
    } catch (error) {
      refused = error;
    }
    expect((refused as ServiceError).issues).toMatchObject([
      { field: "unit", code: "too_small" },
      { field: "limit", code: "invalid" },
    ]);
  });

  test("a query that is not UTF-8 is refused", () => {
    expect(list("cursor=%ff")).toBe("bad_request");
    expect(list("%zz=1")).toBe("bad_request");
  });

  test("names of properties of Object.prototype are unknown fields", () => {
    const decoded = decode(users.list, { params: [], query: "__proto__=1&constructor=2&toString=3" });
    expect(Object.keys(decoded)).toEqual(["__proto__", "constructor", "toString"]);
  });

  test("items of free text keep their commas when the field is repeated with []", () => {
    const texts = ["Smith, Ann", "Bo"];
    expect(list("texts=Smith%2C+Ann,Bo", names.find)).toEqual({ texts });
    expect(list(encode(names.find, { texts }).query, names.find)).toEqual({ texts });
  });

  test("an escaped comma separates the items of an enumeration", () => {
    expect(list("kinds=user%2Cunit", names.find)).toEqual({ kinds: ["user", "unit"] });
  });

  test("an escaped comma separates numbers, and an empty list has no items", () => {
    expect(list("participants=1%2C2", conversations.list)).toEqual({ participants: [1, 2] });
    expect(encode(conversations.list, { participants: [] }).query).toBe("participants=");
    expect(encode(names.find, { texts: [] }).query).toBe("texts=");
    expect(list("texts=", names.find)).toEqual({ texts: [] });
  });

  test("lists of free text are those of the query", () => {
    expect(textListsOf(names.find)).toEqual(["texts"]);
    expect(textListsOf(settings.set)).toEqual([]);
  });

  test("an unknown field is sent, so that the service reports it, and a field without a value is not", () => {
    expect(encode(users.list, { nope: "a,b" }).query).toBe("nope=a%2Cb");
    expect(encode(users.list, { nope: undefined, limit: 2 }).query).toBe("limit=2");
    expect(encode(users.update, { id: 1, nope: undefined }).body).toBeUndefined();
  });

  test("a field of the path is refused in the query", () => {
    expect(issues(() => decode(users.get, { params: ["1"], query: "id=2" }))).toEqual({ id: unknown });
  });
});

describe("a path", () => {
  test("of two dots is escaped, so that no proxy resolves it", () => {
    expect(encode(units.reference, { reference: ".." }).path).toBe("/units/reference/%2E%2E");
  });

  test("of one dot is escaped as well, and three dots are not", () => {
    expect(encode(units.reference, { reference: "." }).path).toBe("/units/reference/%2E");
    expect(encode(units.reference, { reference: "..." }).path).toBe("/units/reference/...");
  });

  test("without the value of its field is an error that names the field", () => {
    expect(issues(() => encode(units.reference, { reference: "" }))).toEqual({ reference: ["must not be blank"] });
    expect(issues(() => encode(units.reference, {}))).toEqual({ reference: ["is required"] });
    expect(issues(() => encode(units.reference, { reference: null }))).toEqual({ reference: ["is required"] });
    expect(issues(() => encode(units.reference, { reference: "\ud800" }))).toHaveProperty("reference");
  });

  test("has lists separated by commas, and a value that is not an integer is left to the schema", () => {
    expect({ ...decode(users.collection, { params: ["1,100,x,03"], query: "" }) }).toEqual({
      ids: [1, 100, "x", "03"],
    });
    expect({ ...decode(users.get, { params: ["01"], query: "" }) }).toEqual({ id: "01" });
  });
});

describe("a body", () => {
  const set = (body: unknown, query = "") =>
    issues(() => decode(users.membershipSet, { params: ["1", "2"], query, body }));
  const parsed = (text: string) => JSON.parse(text) as unknown;

  test("that is missing is an empty input", () => expect(set(undefined)).toEqual({ user: 1, from: 2 }));
  test.each([[[]], [null], [5], ["x"]])("%j is not an object", (body) =>
    expect(set(body)).toEqual({ body: ["must be an object"] }),
  );
  test("may have a field with the same name on the wire as a field of the path", () => {
    expect(set({ unit: 9 })).toEqual({ user: 1, from: 2, unit: 9 });
  });
  test("must not have a field of the path", () => {
    expect(set({ user: 9, from: 9 })).toEqual({ user: unknown, from: unknown });
  });
  test("must not have its fields in the query", () => {
    expect(set({}, "overwrite=1&x=1")).toEqual({ overwrite: ["goes in the body"], x: unknown });
  });
  test("with a key like __proto__ has an unknown field, at any depth", () => {
    const body = parsed('{"__proto__":{"unit":3},"constructor":1,"unit":"x"}');
    expect(set(body)).toEqual(
      Object.fromEntries([
        ["__proto__", unknown],
        ["constructor", unknown],
        ["unit", ["must be an integer"]],
      ]),
    );
    const nested = parsed('{"rows":[{"a":1},{"__proto__":1}]}');
    expect(issues(() => decode(units.import, { params: [], query: "", body: nested }))).toEqual({
      "rows.1.__proto__": unknown,
    });
  });
  test("may have objects of 1,000 fields, and 1,001 are too many", () => {
    const body = (fields: number) => ({
      rows: [Object.fromEntries(Array.from({ length: fields }, (_, at) => [at, 1]))],
    });
    const decoded = (fields: number) =>
      issues(() => decode(units.import, { params: [], query: "", body: body(fields) }));
    expect(decoded(1000)).toEqual(body(1000));
    expect(decoded(1001)).toBe("payload_too_large");
  });
  test("with a thousand issues gets 500 of them reported, and 50 named in the message", () => {
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key${at}`, 1]));
    const parsed = tryParseInput(auth.authenticate, body);
    if (parsed.ok) throw new Error("it was accepted");
    expect([Object.keys(parsed.fields).length, parsed.issues.length]).toEqual([500, 500]);
    const { message } = invalid(parsed.fields, parsed.issues);
    expect([message.split("; ").length, message.endsWith("; and 450 more fields.")]).toEqual([51, true]);
  });
  test("of users.deactivateMissing may have 500,000 IDs", () => {
    const body = { present: Array.from({ length: 500_000 }, (_, at) => at + 1), provider: "hr", unit: 1 };
    const input = decode(users.deactivateMissing, { params: [], query: "", body });
    expect(input.present).toHaveLength(500_000);
  });
  test("keeps secrets unchanged", () => {
    const body = { username: " ann@example.com ", password: "000" };
    expect(issues(() => decode(auth.authenticate, { params: [], query: "", body }))).toEqual(body);
  });
});
