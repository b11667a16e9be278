import fc from "fast-check";
import { z } from "zod";

type Def = { type: string; [key: string]: unknown };

/** Generates values that a schema of the contract accepts. Where the generator is too broad, the schema itself filters. */
export function arbitraryOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const def = schema._zod.def as unknown as Def;
  switch (def.type) {
    case "optional":
      return fc.option(arbitraryOf(def.innerType as z.ZodType), { nil: undefined });
    case "nullable":
      return fc.option(arbitraryOf(def.innerType as z.ZodType), { nil: null });
    case "default":
      return arbitraryOf(def.innerType as z.ZodType);
    case "object":
      return objectOf(def.shape as Record<string, z.ZodType>);
    case "array":
      return accepted(schema, fc.array(arbitraryOf(def.element as z.ZodType), { maxLength: 4 }));
    case "union":
      return fc.oneof(...(def.options as z.ZodType[]).map(arbitraryOf));
    case "record":
      return fc.dictionary(
        fc.string().filter((key) => key !== "__proto__" && isPlain(key)),
        jsonValue,
        { noNullPrototype: true },
      );
    case "pipe":
      return arbitraryOf(def.in as z.ZodType);
    case "null":
      return fc.constant(null);
    case "unknown":
      return jsonValue;
    case "boolean":
      return fc.boolean();
    case "enum":
      return fc.constantFrom(...Object.values(def.entries as Record<string, string>));
    case "literal":
      return fc.constantFrom(...(def.values as unknown[]));
    case "number":
      return accepted(
        schema,
        fc.oneof(
          fc.integer({ min: 1, max: 100 }),
          fc.integer(),
          fc.double({ noNaN: true, noDefaultInfinity: true, min: -90, max: 90 }),
        ),
      );
    case "string":
      return accepted(schema, texts);
    default:
      throw new Error(`no arbitrary for ${def.type}`);
  }
}

/**
 * Not to be escaped in JSON: where an object with a key that ends in a backslash was seen, JSON.parse of V8 13.6 takes an
 * escaped key of the same length for that one.
 */
const isPlain = (key: string) => JSON.stringify(key) === `"${key}"`;

const jsonValue = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)))
  .filter((value) => !JSON.stringify(value).includes("__proto__") && keysOf(value).every(isPlain));

function keysOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

/** Includes characters that URLs and JSON escape, and every format that a field requires. */
const texts = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    ".",
    "..",
    "a,b",
    "a/b?c#d&e=f",
    "read",
    "webhooks.*",
    "100%",
    "%2F",
    "+",
    " x ",
    "ä€𝄞",
    "[]",
    "true",
    "12",
    "123456",
    "1",
    "null",
    "\\u0000",
  ),
  fc.constantFrom(
    "2024-02-29",
    "2024-02-29T23:59:59Z",
    "MO+TU",
    "12-31",
    "timeout",
    "Europe/Copenhagen",
    "en",
    "https://example.com/a?b",
    "https://example.com/a",
    "smtp://u:p@mail.example.com:587",
    "👍",
  ),
  fc.emailAddress({ size: "small" }),
);

function objectOf(shape: Record<string, z.ZodType>): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, arbitraryOf(field)]));
  return fc.record(fields, { noNullPrototype: true }).map((value) => {
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    return Object.fromEntries(entries);
  });
}

/** Throws when a schema accepts none of many values, since generation would never end. */
function accepted<T>(schema: z.ZodType, values: fc.Arbitrary<T>): fc.Arbitrary<T> {
  let refused = 0;
  return values.filter((value) => {
    const isAccepted = !Object.is(value, -0) && z.safeParse(schema, value).success;
    refused = isAccepted ? 0 : refused + 1;
    if (refused > 10_000)
      throw new Error(`no value is generated that this takes: ${JSON.stringify(z.toJSONSchema(schema))}`);
    return isAccepted;
  });
}
