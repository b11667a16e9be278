import { rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { isLine, multiline } from "../../src/contract/common-schemas.ts";
import { abilities } from "../../src/contract/operation.ts";
import { triggers } from "../../src/contract/webhooks.ts";
import { tries } from "../support/effort.ts";
import { sqliteLocal } from "../support/instance.ts";
import { newPlace, type Place } from "./places.ts";

const places: Place[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

/** Text of the characters that YAML cares about, and of all others. */
const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."'=+-@\t\n,;:\"#&*!|>%`[]{}? \u2028\u202e\ufeffaé😀1~"), maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("null", "true", "1e3", "012", "0x1f", "2020-01-01", "<<", "---", "...", "- a", "a: b", "~", ".inf"),
);
/** Text that the service takes in fields of several lines, and in those of one. */
const lines = fc.oneof(
  anyText.filter((value) => multiline(12).safeParse(value).success),
  fc.constantFrom("a\r\nb", "\r\n", "a\n\n"),
);
const text = anyText.map((value) => value.replace(/[\t\n\u2028]/g, " ")).filter(isLine);
const name = text.filter((value) => value.trim() !== "");
const subset = <T>(values: readonly T[]) => fc.subarray([...values]);

/** An organisation in which everything that is named is there. */
const organisation = fc
  .record({ types: fc.integer({ min: 0, max: 4 }), units: fc.integer({ min: 0, max: 8 }) })
  .chain(({ types, units }) => {
    const labels = Array.from({ length: types }, (_, at) => (at % 2 === 0 ? `type-${at}` : `Type ${at}`));
    const references = ["root", ...Array.from({ length: units }, (_, at) => `u: ${at} #`)];
    const userType = (at: number) =>
      fc.record({ abilities: subset(abilities) }).map((rest) => {
        return { ...(at % 2 === 0 && { reference: labels[at] }), name: `Type ${at}`, ...rest };
      });
    const unit = (at: number) =>
      fc.record(
        {
          name,
          parent: fc.constantFrom(...references.slice(0, at + 1)),
          unit_type: fc.constantFrom("unit", "department"),
          description: lines,
          departments: fc.constant([`Dep ${at}`]),
          contact: fc.record({ name: fc.option(text), phone: fc.option(text) }),
          addresses: fc.record({
            company: fc.option(fc.record({ street: fc.option(text), city: text, comments: lines })),
          }),
          geo: fc.option(fc.record({ lat: fc.integer({ min: -90, max: 90 }), lng: fc.integer({ min: -9, max: 9 }) })),
        },
        { requiredKeys: ["name", "parent", "departments"] },
      );
    const placed = fc
      .record({ unit: fc.integer({ min: 0, max: units }), user_types: subset(labels), department: fc.boolean() })
      .map(({ unit, user_types, department }) => {
        return { unit: references[unit]!, user_types, department: department && unit > 0 ? `Dep ${unit - 1}` : null };
      });
    const user = fc.record(
      {
        place: placed,
        further: fc.uniqueArray(placed, { maxLength: 3, selector: (each) => each.unit }),
        known: fc.boolean(),
        first_name: name,
        last_name: name,
        title: text,
        phone: fc.option(text),
        meta_field_3: text,
        active: fc.boolean(),
        admin: fc.boolean(),
      },
      { requiredKeys: ["place", "further", "known", "first_name", "last_name"] },
    );
    return fc.record({
      usertypes: fc.tuple(...labels.map((_, at) => userType(at))),
      units: fc.tuple(...references.slice(1).map((_, at) => unit(at))).map((all) => {
        return all.map((each, at) => ({ reference: references[at + 1], ...each })).reverse();
      }),
      users: fc
        .array(user, { maxLength: 8 })
        .map((all) =>
          all.map(({ place, further, known, ...rest }, at) => ({
            ...(known && { reference: `E ${at}` }),
            email: `User${at}@example.com`,
            ...rest,
            ...place,
            memberships: further.filter((each) => each.unit !== place.unit),
          })),
        ),
      webhooks: fc.uniqueArray(
        fc.record({
          name,
          uri: fc.webUrl(),
          active: fc.boolean(),
          triggers: fc.subarray([...triggers], { minLength: 1 }),
        }),
        { maxLength: 3, selector: (each) => each.name },
      ),
    });
  });

type Organisation = typeof organisation extends fc.Arbitrary<infer T> ? T : never;

const sit = ({ home, args }: Place, words: readonly string[]) => home.sit([...words, ...args]);

/** Nothing is left to do, and what comes out makes the same elsewhere. */
async function settled(place: Place, file: string, more: readonly string[] = []): Promise<string> {
  const applied = await sit(place, ["apply", file, ...more]);
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  const again = await sit(place, ["diff", file, "--json", "--exit-code", ...more.filter((word) => word !== "--yes")]);
  expect(again).toMatchObject({ code: 0, stdout: "[]\n" });
  const { code, stdout, stderr } = await sit(place, ["export"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

it("diff finds nothing after apply, whatever the organisation was and becomes", async () => {
  await fc.assert(
    fc.asyncProperty(organisation, organisation, fc.boolean(), async (before, after, json) => {
      const [one, other] = [await newPlace(sqliteLocal), await newPlace(sqliteLocal)];
      places.push(one, other);
      const file = one.home.path(json ? "file.json" : "file.yaml");
      writeFileSync(file, JSON.stringify({ version: 1, ...before }));
      await settled(one, file);
      writeFileSync(file, JSON.stringify({ version: 1, ...after, users: withFirst(after.users) }));
      const text = await settled(one, file);
      writeFileSync(file, text);
      expect(await settled(other, file)).toBe(text);
      rmSync(file);
    }),
    { numRuns: tries(8), examples: [[paragraphs, paragraphs, false]] },
  );
});

/** The last text of a section ends with empty lines. */
const paragraphs: Organisation = {
  usertypes: [],
  units: [
    {
      reference: "u",
      name: "U",
      parent: "root",
      departments: ["Dep 0"],
      addresses: { company: { street: null, city: "", comments: "1\n\n2\n\n" } },
    },
  ],
  users: [],
  webhooks: [],
};

/** Adds the user who applies the file, so that an administrator is left. */
const withFirst = <T>(users: readonly T[]) => [...users, { email: "ada@example.com", active: true, admin: true }];
