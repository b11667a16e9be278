import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { fieldsOf } from "../../src/contract/field-spec.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { units } from "../../src/contract/units.ts";
import { arbitraryOf } from "../http/arbitrary.ts";
import { tries } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

/** Values that break unchecked SQL, JSON or arithmetic. */
const odd: Record<string, readonly unknown[]> = {
  string: [
    "",
    "\0",
    "a\0b",
    "\ud800",
    "x".repeat(300),
    "\u0301",
    "'",
    "root",
    "https://x.example/\0",
    "admin@example.com",
  ],
  number: [0, -1, 1.5, 1, 2, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e308],
  boolean: [true, false],
  object: [null, [], {}],
};

/** Replaces some values of an input with odd ones. */
function disturb(value: unknown, chances: Iterator<number>): unknown {
  const chance = chances.next().value ?? 0;
  const choices = odd[typeof value];
  if (choices !== undefined && chance % 5 === 0) return choices[Math.floor(chance / 5) % choices.length];
  if (Array.isArray(value)) return value.map((each) => disturb(each, chances));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, disturb(each, chances)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

const operations = await allOperations();

for (const database of ["sqlite", "postgres"] as const) {
  describe(`any input gets a response or a ServiceError (${database})`, () => {
    let instance: Instance;
    let administrator: Caller;
    beforeAll(async () => {
      instance = await newInstance({ database, caller: "local" });
      instance.freeze();
      administrator = instance.administrator;
      await administrator.call(units.create, { name: "Another", parent: 1, reference: "another" });
    });
    afterAll(() => instance.close());

    for (const op of operations) {
      it(op.name, async () => {
        const chances = fc.infiniteStream(fc.nat(1000));
        const property = fc.asyncProperty(arbitraryOf(op.input()), chances, async (input, stream) => {
          const asked = disturb(input, stream);
          if (isObject(asked) && "wait" in asked) asked.wait = 0;
          // `outcome` rethrows all errors that are no `ServiceError`.
          await outcome(administrator.call(op, asked as never, { dryRun: true }));
        });
        // Without fields there is nothing to vary.
        await fc.assert(property, { numRuns: Object.keys(fieldsOf(op)).length === 0 ? 1 : tries(40) });
      });
    }
  });
}
