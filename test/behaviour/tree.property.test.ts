import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { tries } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { mistakes } from "../support/tables.ts";

/** Steps name units by a number, taken modulo how many there are. */
type Step =
  | { readonly do: "create"; readonly at: number }
  | { readonly do: "join"; readonly at: number }
  | { readonly do: "move"; readonly unit: number; readonly to: number }
  | { readonly do: "delete"; readonly unit: number; readonly transfer: number | null }
  | { readonly do: "import"; readonly rows: readonly { readonly unit: number; readonly parent: number }[] };

const which = fc.nat(11);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("create" as const), at: which }),
  fc.record({ do: fc.constant("join" as const), at: which }),
  fc.record({ do: fc.constant("move" as const), unit: which, to: which }),
  fc.record({ do: fc.constant("delete" as const), unit: which, transfer: fc.option(which) }),
  fc.record({
    do: fc.constant("import" as const),
    rows: fc.array(fc.record({ unit: which, parent: which }), { minLength: 1, maxLength: 5 }),
  }),
);

/** The expected tree: the parent of each unit, and the unit of each user. */
interface Model {
  readonly parents: Map<number, number>;
  readonly references: Map<number, string>;
  readonly members: Map<number, Set<number>>;
}

for (const database of ["sqlite", "postgres"] as const) {
  describe(`the tree of units (${database})`, () => {
    let instance: Instance;
    let count = 0;
    beforeAll(async () => {
      instance = await newInstance({ database, caller: "local" });
    });
    afterAll(() => instance.close());

    const newReference = () => `r${++count}`;
    const add = async (model: Model, parent: number) => {
      const reference = newReference();
      const { id } = await instance.administrator.call(units.create, { name: reference, reference, parent });
      model.parents.set(id, parent);
      model.references.set(id, reference);
      model.members.set(id, new Set());
      return id;
    };

    const take = async (model: Model, step: Step) => {
      const ids = [...model.parents.keys()];
      const pick = (index: number) => ids[index % ids.length]!;
      switch (step.do) {
        case "create":
          return add(model, pick(step.at));
        case "join":
          return join(model, pick(step.at));
        case "move":
          return move(model, pick(step.unit), pick(step.to));
        case "delete":
          return remove(model, pick(step.unit), step.transfer === null ? undefined : pick(step.transfer));
        case "import":
          return bringIn(
            model,
            step.rows.map(({ unit, parent }) => ({ unit: pick(unit), parent: pick(parent) })),
          );
      }
    };

    const join = async (model: Model, unit: number) => {
      const email = `${newReference()}@example.com`;
      const person = { first_name: "A", last_name: "B", email, unit };
      model.members.get(unit)!.add((await instance.administrator.call(users.create, person)).id);
    };

    const move = async (model: Model, id: number, parent: number) => {
      const inOwnBranch = isBelow(model, parent, id);
      const code = await codeOf(instance.administrator.call(units.move, { id, parent }));
      expect(code).toBe(inOwnBranch ? "conflict" : "ok");
      if (!inOwnBranch) model.parents.set(id, parent);
    };

    const remove = async (model: Model, id: number, transfer: number | undefined) => {
      if (model.parents.size === 1) return;
      const children = [...model.parents].filter(([, parent]) => parent === id).map(([child]) => child);
      const members = model.members.get(id)!;
      const empty = children.length + members.size === 0;
      const bad = transfer !== undefined && isBelow(model, transfer, id);
      const expected = bad ? "validation_failed" : empty || transfer !== undefined ? "ok" : "conflict";
      expect(await codeOf(instance.administrator.call(units.delete, { id, transfer }))).toBe(expected);
      if (expected !== "ok") return;
      for (const child of children) model.parents.set(child, transfer!);
      if (transfer !== undefined && !empty) for (const user of members) model.members.get(transfer)!.add(user);
      model.parents.delete(id);
      model.members.delete(id);
    };

    /** Each row moves a unit, and makes a new one below it, whose row comes first. */
    const bringIn = async (model: Model, rows: readonly { unit: number; parent: number }[]) => {
      const known = (id: number) => model.references.get(id)!;
      const named = (reference: string, parent: string) => ({ reference, name: reference, parent });
      const moves = rows.map(({ unit, parent }) => named(known(unit), known(parent)));
      const made = rows.map(({ unit }) => named(newReference(), known(unit)));
      const { results } = await instance.administrator.call(units.import, { rows: [...made, ...moves] });
      for (const [index, { unit }] of rows.entries()) {
        const { id } = results[index]!;
        model.parents.set(id!, unit);
        model.references.set(id!, made[index]!.reference);
        model.members.set(id!, new Set());
      }
      for (const [index, { unit, parent }] of rows.entries()) {
        const { action } = results[made.length + index]!;
        const expected = isBelow(model, parent, unit)
          ? "skipped"
          : model.parents.get(unit) === parent
            ? "unchanged"
            : "changed";
        expect(action).toBe(expected);
        if (action === "changed") model.parents.set(unit, parent);
      }
    };

    it("after any changes, paths, levels and counts equal those calculated from the parents", async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const model: Model = { parents: new Map(), references: new Map(), members: new Map() };
        // Each run has its own branch, and the root's row represents the rest.
        await add(model, 1);
        for (const each of steps) await take(model, each);
        expect(await mistakes(instance.database)).toEqual([]);
        const { reader } = instance.database;
        const kept = await reader.selectFrom("units").select(["id", "parent_id"]).execute();
        const ours = kept.filter(({ id }) => model.parents.has(id)).map(({ id, parent_id }) => [id, parent_id]);
        expect(new Map(ours as [number, number][])).toEqual(model.parents);
        const members = await reader.selectFrom("memberships").select(["unit_id", "user_id"]).execute();
        for (const [unit, expected] of model.members) {
          const there = members.filter(({ unit_id }) => unit_id === unit).map(({ user_id }) => user_id);
          expect(new Set(there)).toEqual(expected);
        }
      });
      await fc.assert(property, { numRuns: tries(database === "sqlite" ? 40 : 15) });
    });
  });
}

/** Returns true when `id` is the unit `top` or below it. */
function isBelow({ parents }: Model, id: number, top: number): boolean {
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) if (at === top) return true;
  return false;
}
