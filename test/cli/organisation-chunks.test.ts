import fc from "fast-check";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { type FileChunk, NotSeparable, parseChunk } from "../../src/cli/commands/organisation/file/file-chunk.ts";
import { splitJson } from "../../src/cli/commands/organisation/file/split-json.ts";
import { splitYaml } from "../../src/cli/commands/organisation/file/split-yaml.ts";
import { tries } from "../support/effort.ts";

type Split = (texts: AsyncIterable<string>) => AsyncGenerator<FileChunk>;

/** The value of a file that is read in parts, and undefined for one that has to be read as a whole. */
async function readInParts(split: Split, text: string, cut: number): Promise<unknown> {
  async function* texts() {
    for (let at = 0; at < text.length; at += cut) yield text.slice(at, at + cut);
  }
  const found: Record<string, unknown> = {};
  const lines = text.split("\n");
  try {
    for await (const chunk of split(texts())) {
      const value = parseChunk(chunk);
      if (chunk.list === undefined) Object.assign(found, value);
      else found[chunk.list.name] = [...((found[chunk.list.name] as unknown[]) ?? []), ...(value as unknown[])];
      if (split === splitYaml) expect(chunk.text.split("\n")[0]).toBe(lines[chunk.line - 1]);
    }
  } catch (error) {
    if (error instanceof NotSeparable) return undefined;
    throw error;
  }
  return found;
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."'=+-@\t\n,;:\"#&*!|>%`[]{}? \ufeffaé😀1~"), maxLength: 12 }),
  fc.constantFrom(
    "null",
    "True",
    "1e3",
    "e3",
    "012",
    "2020-01-01",
    "+45 12",
    "+45",
    "<<",
    "---",
    "- a",
    "a: b",
    "~",
    "a ",
  ),
  fc.constantFrom(
    "O'Neill",
    "Chief, Operations",
    "R&D",
    "a-b",
    "Phục Lễ",
    "1 2",
    "a\n- b\n",
    "# a",
    "a\n\n# b\nc: d\n",
  ),
);
const value = fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null), fc.array(text, { maxLength: 3 }));
const entry = fc.dictionary(fc.constantFrom("name", "email", "unit_type", "meta_field_0", "A"), value, { minKeys: 1 });
const nested = fc.record({ name: text, memberships: fc.array(entry, { maxLength: 2 }), contact: entry });
const file = fc.record({
  version: fc.integer(),
  users: fc.array(fc.oneof(entry, nested), { maxLength: 6 }),
  units: fc.array(entry, { maxLength: 3 }),
});
const cut = fc.integer({ min: 1, max: 40 });

it("YAML read in parts has the value that it has as a whole", async () => {
  const form = fc.record({ indentSeq: fc.boolean(), lineWidth: fc.constantFrom(0, 20), collectionStyle: style });
  let inParts = 0;
  await fc.assert(
    fc.asyncProperty(file, form, cut, async (content, options, size) => {
      const yaml = stringify(content, { ...options, aliasDuplicateObjects: false });
      const found = await readInParts(splitYaml, yaml, size);
      if (found === undefined) return;
      inParts += 1;
      expect(found).toEqual(parse(yaml));
    }),
    { numRuns: tries(2000) },
  );
  expect(inParts).toBeGreaterThan(0);
});
const style = fc.constantFrom<("any" | "block")[]>("any", "block");

it("JSON read in parts has the value that it has as a whole", async () => {
  await fc.assert(
    fc.asyncProperty(file, fc.constantFrom(undefined, 1, "\t"), cut, async (content, space, size) => {
      expect(await readInParts(splitJson, JSON.stringify(content, null, space), size)).toEqual(content);
    }),
    { numRuns: tries(1000) },
  );
});

it("lists of several chunks keep every entry", async () => {
  const users = Array.from({ length: 250 }, (_, at) => ({ email: `user${at}@example.com`, name: `Name ${at}` }));
  const content = { users, webhooks: [] };
  expect(await readInParts(splitJson, JSON.stringify(content), 1000)).toEqual(content);
  expect(await readInParts(splitYaml, stringify(content), 1000)).toEqual(content);
});

it.each([
  '{"users": [{"a": 1}}}',
  '{"users": [{"a": 1}]} {}',
  '{"users": [{"a": 1},]}',
  '{"users": [,]}',
  '{"users": [] [] }',
  '{"a": 1,}',
  '{"a": [1}',
  '{"users": [',
  "[{}]",
  '{"users": [{"a": 1, "a": 2}]}',
])("%s is left to the parser of whole files", async (json) => {
  expect(await readInParts(splitJson, json, 5)).toBeUndefined();
});

it.each([
  "---\nusers: []\n",
  "users: []\n---\nusers: []\n",
  '"users":\n- a: 1\n',
  "users:\n- &a {b: 1}\nunits:\n- *a\n",
  "users:\n- {a: 1,\nb: 2}\n",
  "users:\n- a: b\n  a: c\n",
  "users:\n  - a: b\n - a: c\n",
])("%j is left to the parser of whole files", async (yaml) => {
  expect(await readInParts(splitYaml, yaml, 5)).toBeUndefined();
});
