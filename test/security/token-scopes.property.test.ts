import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { tries } from "../support/effort.ts";
import { sqliteLocal } from "../support/instance.ts";
import { codeOf, outcome } from "../support/outcome.ts";
import { permissionTable, type Scene, useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

/** All but those that limit API tokens by themselves, as `names.find` and `tokens.current` do. */
const operations = (await allOperations()).filter(({ limitsTokens }) => !limitsTokens);
const groups = [...new Set(operations.map(({ name }) => name.split(".")[0]!))];
const owners = ["administrator", "manager", "member", "outsider"] as const;

/** Says again, in another way than the service, what a scope covers. */
function covered({ name, method, signInOnly }: AnyOperation, scopes: readonly string[]): boolean {
  if (signInOnly) return false;
  const reading = method === "GET" ? ["read"] : [];
  return ["write", name, name.replace(/\..*/, ".*"), ...reading].some((scope) => scopes.includes(scope));
}

/** Says again that a token sets no passwords, makes no administrators, and does not change its owner's address. */
function givesSignIn({ name }: AnyOperation, input: object, owner: number): boolean {
  if (name === "users.create") return "password" in input || "admin" in input;
  return name === "users.update" && ("admin" in input || ("email" in input && "id" in input && input.id === owner));
}

/** Says again which operations on an administrator's account need a sign-in. */
function changesAdministrator({ name }: AnyOperation, input: object, { administrator, boss }: Scene["ids"]): boolean {
  const isGuarded = ["users.delete", "users.deactivate", "users.reactivate"].includes(name);
  return isGuarded && "id" in input && (input.id === administrator || input.id === boss);
}

describe("scopes of API tokens", () => {
  const open = useScene(sqliteLocal);
  let scene: Scene;
  const callers = new Map<string, Caller>();
  /** Revokes the tokens of the callers, oldest first, because a user has at most 100. */
  const revocations: (() => Promise<unknown>)[] = [];
  let created = 0;
  beforeAll(async () => {
    scene = await open();
  });

  async function callerOf(owner: (typeof owners)[number], scopes: readonly string[]): Promise<Caller> {
    const key = `${owner} ${scopes.join()}`;
    const known = callers.get(key);
    if (known !== undefined) return known;
    if (revocations.length === 50) await revocations.shift()?.();
    created += 1;
    const { id, token } = await scene.actors[owner].call(tokens.create, {
      name: `Token ${created}`,
      scopes: [...scopes],
    });
    const caller = scene.instance.withToken(token);
    callers.set(key, caller);
    revocations.push(() => {
      callers.delete(key);
      return scene.actors[owner].call(tokens.revoke, { id });
    });
    return caller;
  }

  const dryRun = { dryRun: true };
  const code = async (caller: Caller, op: AnyOperation, input: object) => codeOf(caller.call(op, input, dryRun));

  it("no operation is possible with scopes that do not cover it, whatever the input", async () => {
    const wrong: string[] = [];
    for (const op of operations.filter(({ access }) => access !== "public")) {
      const others = operations.filter(({ name }) => name !== op.name && !name.startsWith(`${op.name.split(".")[0]}.`));
      const scopes = [
        ...(op.method === "GET" ? [] : ["read"]),
        ...others.slice(0, 20).map(({ name }) => name),
        ...groups.filter((group) => !op.name.startsWith(`${group}.`)).map((group) => `${group}.*`),
      ];
      const caller = await callerOf("administrator", scopes.slice(0, 60));
      for (const input of [{}, { id: 1 }, { nonsense: true }]) {
        const result = await outcome(caller.call(op, input, dryRun));
        if (
          !("refusal" in result) ||
          !/ API token (do not cover|cannot call)|^An API token/.test(result.refusal.message)
        )
          wrong.push(op.name);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("a token does no more than its scopes and its owner, for every operation", async () => {
    const lines = operations.flatMap((op) => (permissionTable[op.name] ?? []).map(([, , input]) => ({ op, input })));
    const anyScope = fc.oneof(
      fc.constantFrom("read", "write"),
      fc.constantFrom(...operations.map(({ name }) => name)),
      fc.constantFrom(...groups.map((group) => `${group}.*`)),
    );
    /** Half of the scopes are about the operation that is called. */
    const asked = fc.constantFrom(...lines).chain((line) => {
      const own = fc.constantFrom("read", "write", line.op.name, line.op.name.replace(/\..*/, ".*"));
      const scopes = fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: own }, anyScope), { minLength: 1, maxLength: 3 });
      return fc.record({ line: fc.constant(line), owner: fc.constantFrom(...owners), scopes });
    });
    let done = 0;
    const property = fc.asyncProperty(asked, async ({ line: { op, input }, owner, scopes }) => {
      const given = input(scene, scene.ids[owner]);
      const byOwner = await code(scene.actors[owner], op, given);
      const byToken = await code(await callerOf(owner, scopes), op, given);
      if (op.access === "public") expect(byToken).toBe(byOwner);
      else if (!covered(op, scopes)) expect(byToken).toBe("forbidden");
      // A token cannot give away scopes that it does not have.
      else if (byOwner === "ok" && givesSignIn(op, given, scene.ids[owner])) expect(byToken).toBe("forbidden");
      else if (byOwner === "ok" && changesAdministrator(op, given, scene.ids)) expect(byToken).toBe("forbidden");
      else if (op.name === "tokens.create") expect([byOwner, "forbidden"]).toContain(byToken);
      else expect(byToken).toBe(byOwner);
      if (byToken === "ok") done += 1;
    });
    await fc.assert(property, { numRuns: tries(600) });
    expect(done).toBeGreaterThan(tries(20));
  });
});
