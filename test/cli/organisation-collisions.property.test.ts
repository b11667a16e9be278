import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { tries } from "../support/effort.ts";
import { sqliteLocal } from "../support/instance.ts";
import { newPlace, type Place } from "./places.ts";

const places: Place[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

/** Few names and references, so that they change their owners often. Some names are equal for the service. */
const typeNames = ["Boss", "Café", "Cafe", "Rød", "Rod", "Chef", "Cook"];
const typeReferences = ["boss", "a", "b"];
const unitReferences = ["u1", "u2", "u3"];
const departments = ["Tools", "Paint"];

const userType = fc.record(
  {
    reference: fc.constantFrom(...typeReferences),
    name: fc.constantFrom(...typeNames),
    abilities: fc.constantFrom([], ["news"], ["news", "user"]),
  },
  { requiredKeys: ["name"] },
);

/** Units in which a parent comes before its children. */
const units = fc
  .shuffledSubarray(unitReferences)
  .chain((references) =>
    fc.tuple(
      ...references.map((reference, at) =>
        fc.record(
          {
            reference: fc.constant(reference),
            name: fc.constantFrom("One", "Two"),
            parent: fc.constantFrom("root", ...references.slice(0, at)),
            departments: fc.constantFrom(departments, [...departments, "Wood"]),
          },
          { requiredKeys: ["reference", "name", "parent"] },
        ),
      ),
    ),
  );

const membership = (types: readonly string[], references: readonly string[]) => ({
  unit: fc.constantFrom(...references),
  user_types: fc.subarray([...types]),
  // The third one is not in all units.
  department: fc.constantFrom(null, ...departments, ...departments, "Wood"),
});

const user = (types: readonly string[], references: readonly string[]) => {
  const fields = membership(types, references);
  return fc
    .record(
      {
        reference: fc.constantFrom("E1", "E2", "E3"),
        email: fc.constantFrom("one@example.com", "One@example.com", "two@example.com", "three@example.com"),
        first_name: fc.constant("Kim"),
        last_name: fc.constant("Lee"),
        ...fields,
        memberships: fc.uniqueArray(fc.record(fields), { maxLength: 2, selector: (each) => each.unit }),
        active: fc.boolean(),
        admin: fc.boolean(),
      },
      { requiredKeys: ["email", "first_name", "last_name", "unit"] },
    )
    .map(({ memberships, ...rest }) => ({
      ...rest,
      ...(memberships && { memberships: memberships.filter((each) => each.unit !== rest.unit) }),
    }));
};

/** Entries with different names, and with different references if they have any. */
const unique = <T extends { reference?: string }>(entry: fc.Arbitrary<T>, nameOf: (entry: T) => string) =>
  fc.uniqueArray(entry, { selector: nameOf, maxLength: 4 }).map((all) => {
    const isFirst = (reference: string, at: number) => all.findIndex((each) => each.reference === reference) === at;
    return all.filter(({ reference }, at) => reference === undefined || isFirst(reference, at));
  });

/** A file that is right in most cases. */
const organisation = fc
  .tuple(
    unique(userType, ({ name }) => name),
    fc.option(units, { nil: undefined }),
  )
  .chain(([usertypes, some]) => {
    const labels = usertypes.map(({ reference, name }) => reference ?? name);
    const references = ["root", ...(some?.map(({ reference }) => reference) ?? unitReferences)];
    return fc
      .option(
        unique(user(labels, references), ({ email }) => email.toLowerCase()),
        { nil: undefined },
      )
      .map((users) => ({ usertypes, ...(some && { units: some }), ...(users && { users }) }));
  });

const base = {
  units: ["root", ...unitReferences].map((reference) => {
    return { reference, departments, ...(reference !== "root" && { name: "One", parent: "root" }) };
  }),
};

it("diff, a dry run of apply and apply agree, and after apply there is no difference", async () => {
  const step = fc.record({ content: organisation, prune: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const place = await newPlace(sqliteLocal);
      places.push(place);
      for (const { content, prune } of [{ content: base, prune: false }, ...steps])
        await applyAll(place, content, prune ? ["--prune"] : []);
    }),
    { numRuns: tries(30) },
  );
});

async function applyAll({ home, args }: Place, content: object, flags: readonly string[]): Promise<void> {
  const file = home.path("org.json");
  writeFileSync(file, JSON.stringify(content));
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await home.sit([...words, ...flags, "--json", ...args]);
    return { code, stderr, rows: code === 0 ? JSON.parse(stdout || "[]") : stdout };
  };
  const exported = async () => (await home.sit(["export", ...args])).stdout;
  const before = await exported();
  const differences = await run("diff", file);
  const tried = await run("apply", file, "--dry-run");
  const applied = await run("apply", file, "--yes");
  expect(applied.code, applied.stderr).toBe(tried.code);
  if (tried.code !== 0) {
    expect(await exported()).toBe(before);
    return;
  }
  expect(tried.rows).toEqual(differences.rows);
  expect(tried.rows).toHaveLength(applied.rows.length);
  expect(applied.rows).toEqual(expect.arrayContaining(tried.rows));
  expect(await run("diff", file)).toMatchObject({ code: 0, rows: [] });
}
