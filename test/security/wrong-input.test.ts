import { expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { audit } from "../../src/contract/audit.ts";
import { fieldsOf, pathFields } from "../../src/contract/field-spec.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { tryParseInput } from "../../src/contract/parse-input.ts";
import { users } from "../../src/contract/users.ts";
import { actorNames } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";
import { permissionTable, useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const operations = await allOperations();
const refusals = new Map<string | undefined, string>([
  ["403", "forbidden"],
  ["404", "not_found"],
]);

describeOnOneDatabase("a wrong input reveals nothing that a right one does not", (environment) => {
  const scene = useScene(environment);
  const asked = ["outsider", "member", "manager"] as const;
  const refusalOf = async (caller: Caller, op: AnyOperation, input: object) => {
    const result = await outcome(caller.call(op, input, { dryRun: true }));
    return "refusal" in result ? result.refusal : undefined;
  };

  it("an unknown field brings those who may not call an operation no issues but those of the contract", async () => {
    const all = await scene();
    const revealed: object[] = [];
    let tried = 0;
    for (const op of operations.filter(({ access }) => access !== "public")) {
      for (const [about, outcomes, inputOf] of permissionTable[op.name] ?? []) {
        const byActor = outcomes.trim().split(/\s+/);
        for (const actor of asked) {
          // The test of the table holds these to be true.
          const plain = refusals.get(byActor[actorNames.indexOf(actor)]);
          if (plain === undefined) continue;
          tried += 1;
          const wrong = { ...inputOf(all, all.ids[actor]), unheard_of: 1 };
          const { code, fields = {} } = (await refusalOf(all.actors[actor], op, wrong)) ?? { code: "ok" };
          if (code === plain) continue;
          const byContract = tryParseInput(op, wrong);
          const expected = byContract.ok ? [] : Object.keys(byContract.fields);
          if (code !== "validation_failed" || Object.keys(fields).join() !== expected.join())
            revealed.push({ operation: op.name, about, actor, plain, code, fields });
        }
      }
    }
    expect(revealed).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });

  it("only those who may call an operation learn from an unknown field which values do not fit the data", async () => {
    const { actors, units } = await scene();
    const wrongFor = async (caller: Caller, op: AnyOperation, input: object) =>
      Object.keys((await refusalOf(caller, op, { ...input, unheard_of: 1 }))?.fields ?? {}).sort();
    const person = { first_name: "New", last_name: "Person", email: "new@example.com", userTypes: [987654] };
    const inHarbour = { ...person, unit: units.harbour };
    expect(await wrongFor(actors.manager, users.create, inHarbour)).toEqual(["unheard_of", "userTypes"]);
    expect(await wrongFor(actors.outsider, users.create, inHarbour)).toEqual(["unheard_of"]);
    const page = { cursor: "of another list" };
    expect(await wrongFor(actors.administrator, audit.list, page)).toEqual(["cursor", "unheard_of"]);
    expect(await wrongFor(actors.manager, audit.list, page)).toEqual(["unheard_of"]);
  });

  it("a wrong ID in the path is named together with what else is wrong", async () => {
    const { administrator } = (await scene()).actors;
    let tried = 0;
    for (const op of operations) {
      const inPath = pathFields(op).map(({ name }) => name);
      const ids = fieldsOf(op).filter(({ name, kind }) => inPath.includes(name) && kind === "integer");
      if (ids.length === 0 || ids.length < inPath.length) continue;
      tried += 1;
      const wrong = { ...Object.fromEntries(ids.map(({ name }) => [name, 0])), unheard_of: 1 };
      const { code, fields } = (await refusalOf(administrator, op, wrong)) ?? { code: "ok" };
      expect({ operation: op.name, code }).toEqual({ operation: op.name, code: "validation_failed" });
      expect(Object.keys(fields ?? {}), op.name).toEqual(expect.arrayContaining(Object.keys(wrong)));
    }
    expect(tried).toBeGreaterThan(50);
  });

  it("a guess of somebody's e-mail address as the new password is refused like any other", async () => {
    const { actors, ids } = await scene();
    const ask = (password: string) =>
      refusalOf(actors.outsider, users.password, { id: ids.colleague, password, unheard_of: 1 });
    const right = await ask("colleague@example.com");
    expect(right).toEqual(await ask("somebody@example.com"));
    expect(right).toMatchObject({ code: "forbidden" });
    // The manager may set this password, and gets all issues.
    const manager = await refusalOf(actors.manager, users.password, {
      id: ids.colleague,
      password: "colleague@example.com",
      unheard_of: 1,
    });
    expect(Object.keys(manager?.fields ?? {}).sort()).toEqual(["password", "unheard_of"]);
  });
});
