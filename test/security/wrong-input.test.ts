import { expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { tryParseInput } from "../../src/contract/parse-input.ts";
import { users } from "../../src/contract/users.ts";
import { describeEverywhere } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";
import { permissionTable, useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const operations = await allOperations();

describeEverywhere("a wrong input reveals nothing that a right one does not", (environment) => {
  const scene = useScene(environment);
  const asked = ["outsider", "member", "manager"] as const;
  const refusalOf = async (caller: Caller, op: AnyOperation, input: object) => {
    const result = await outcome(caller.call(op, input, { dryRun: true }));
    return "refusal" in result ? result.refusal : undefined;
  };

  it("an unknown field brings those who may not call an operation no issues but those of the contract", async () => {
    const all = await scene();
    const revealed: object[] = [];
    for (const op of operations.filter(({ access }) => access !== "public")) {
      for (const [about, , inputOf] of permissionTable[op.name] ?? []) {
        for (const actor of asked) {
          const input = inputOf(all, all.ids[actor]);
          const plain = await refusalOf(all.actors[actor], op, input);
          if (plain?.code !== "forbidden" && plain?.code !== "not_found") continue;
          const wrong = { ...input, unheard_of: 1 };
          const { code, fields = {} } = (await refusalOf(all.actors[actor], op, wrong)) ?? { code: "ok" };
          if (code === plain.code) continue;
          const byContract = tryParseInput(op, wrong);
          const expected = byContract.ok ? [] : Object.keys(byContract.fields);
          if (code !== "validation_failed" || Object.keys(fields).join() !== expected.join())
            revealed.push({ operation: op.name, about, actor, plain: plain.code, code, fields });
        }
      }
    }
    expect(revealed).toEqual([]);
  }, 120_000);

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
