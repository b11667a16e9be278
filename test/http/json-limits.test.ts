import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLimits } from "../../src/http/json-limits.ts";

const least = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : Math.max(1, Object.keys(value).length) + Object.values(value).reduce((sum: number, each) => sum + least(each), 0);
const levels = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levels)) : 0;

/** Reads a text in chunks of that size; returns the code of the refusal, or undefined. */
function read(text: string, maxValues: number, size: number): string | undefined {
  const bytes = Buffer.from(text);
  const check = jsonLimits(maxValues);
  try {
    for (let at = 0; at < bytes.length; at += size) check(bytes.subarray(at, at + size));
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("jsonLimits counts the values that JSON.parse finds, in chunks of any size and with any strings", () => {
  const odd = fc.string({ unit: fc.constantFrom('"', "\\", "\n", "[", "{", "}", "]", ",", ":", "a", "\u{1F600}") });
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      odd,
      fc.integer(),
      fc.array(tie("tree")),
      fc.dictionary(
        odd.map((key) => `.${key}`),
        tie("tree"),
      ),
    ),
  }));
  const property = fc.property(tree, fc.integer({ min: 1, max: 9 }), fc.boolean(), (value, size, spaced) => {
    const text = JSON.stringify(value, null, spaced ? 1 : undefined);
    const values = least(value);
    expect(read(text, values, size)).toBeUndefined();
    if (values > 0) expect(read(text, values - 1, size)).toBe("payload_too_large");
  });
  fc.assert(property, { numRuns: 500 });
});

test("jsonLimits accepts 64 levels and refuses 65", () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}${depth % 2 ? "[]" : "1"}${"}]".repeat(depth / 2)}`;
  expect(levels(JSON.parse(nested(64)))).toBe(64);
  expect([64, 65].map((depth) => read(nested(depth), 1000, 7))).toEqual([undefined, "bad_request"]);
  expect(read(`{"a":"${"[".repeat(100)}"}`, 1000, 7)).toBeUndefined();
});

test("jsonLimits refuses more than 4 MiB of numbers, blanks and names of fields, and no texts", () => {
  const most = 4_194_304;
  const read64 = (text: string) => read(text, 1000, 65_536);
  const bodies = (length: number) => [
    `[${"1".repeat(length - 2)}]`,
    `[${" ".repeat(length - 3)}1]`,
    `{"${"a".repeat(length - 5)}":1}`,
  ];
  expect(bodies(most).map(read64)).toEqual([undefined, undefined, undefined]);
  expect(bodies(most + 1).map(read64)).toEqual(Array(3).fill("payload_too_large"));
  expect(read64(JSON.stringify({ data: "a".repeat(2 * most), b: ":\\".repeat(most) }))).toBeUndefined();
});
