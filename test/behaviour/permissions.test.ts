import { afterAll, beforeAll, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { errorCodes } from "../../src/contract/errors.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { type ActorName, actorNames } from "../support/actors.ts";
import { isFull } from "../support/effort.ts";
import { describeEverywhere } from "../support/instance.ts";
import { codeOf, outcome } from "../support/outcome.ts";
import { permissionTable, type Scene, unmatched, useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { allRows } from "../support/tables.ts";

useQuickPasswords();

const operations = await allOperations();
/** At least one of these two may do almost all that is in the table. */
const fewActors: readonly ActorName[] = ["administrator", "member"];

/**
 * One place checks tokens, for all operations, so that a few tokens for each will do: each token meets several operations.
 * In the longer form, each operation gets all of them.
 */
const forgedPerOperation = isFull ? Number.POSITIVE_INFINITY : 3;

describeEverywhere("permissions", (environment) => {
  // Permissions are checked alike on both databases, so in the short form only one of them has all actors for each line.
  const asked = isFull || environment.database === "sqlite" ? actorNames : fewActors;
  const open = useScene(environment);
  let scene: Scene;
  let before: Awaited<ReturnType<typeof rows>>;
  // Recorded even in a dry run: a sign-in, because it reveals if the password is right, and an export, because it returns the data.
  const always = ["auth.authenticate", "users.exportData"];
  const rows = async () => {
    const all = await allRows(scene.instance.database);
    const changes = all.audit_entries?.filter(({ operation }) => !always.includes(String(operation)));
    const attempts = all.rate_limit_events?.filter(({ kind }) => kind !== "data_export");
    return { ...all, audit_entries: changes, rate_limit_events: attempts, event_listening: [] };
  };

  beforeAll(async () => {
    scene = await open();
    before = await rows();
  });
  afterAll(async () => expect(await rows()).toEqual(before));

  /** Permitted actors make dry runs, so that all actors find the same data; refused ones make real calls. */
  const ask = async (op: AnyOperation, name: ActorName, input: Line[2], expected: string | undefined) => {
    const me = name === "attacker" ? scene.ids.administrator : scene.ids[name];
    const result = await outcome(scene.actors[name].call(op, input(scene, me), { dryRun: expected === "yes" }));
    if ("answer" in result) return "yes";
    return String(errorCodes[result.refusal.code as keyof typeof errorCodes].status);
  };

  it("the table has every operation, and no others", () => {
    expect(unmatched(operations)).toEqual({ missing: [], unknown: [] });
  });

  it("every operation that is not public refuses requests without a token", async () => {
    const found: [string, string][] = [];
    for (const op of operations.filter(({ access }) => access !== "public")) {
      // The test above finds an operation without a line.
      const [, , input] = permissionTable[op.name]![0]!;
      found.push([op.name, await codeOf(scene.stranger.call(op, input(scene, scene.ids.administrator)))]);
    }
    expect(found.length).toBeGreaterThan(50);
    expect(found.filter(([, code]) => code !== "unauthenticated")).toEqual([]);
  });

  it("every operation that is not public refuses forged tokens", async () => {
    const callers = scene.forged.map(({ name, token }) => ({ name, caller: scene.instance.withToken(token) }));
    const found: string[] = [];
    let next = 0;
    for (const op of operations.filter(({ access }) => access !== "public")) {
      const [, , input] = permissionTable[op.name]![0]!;
      for (let count = Math.min(forgedPerOperation, callers.length); count > 0; count--) {
        const { name, caller } = callers[next++ % callers.length]!;
        const code = await codeOf(caller.call(op, input(scene, scene.ids.administrator)));
        if (code !== "unauthenticated") found.push(`${op.name}, ${name}: ${code}`);
      }
    }
    expect(next).toBeGreaterThan(5 * callers.length);
    expect(found).toEqual([]);
  });

  for (const op of operations) {
    for (const [about, outcomes, input] of permissionTable[op.name] ?? []) {
      it(`${op.name} ${about}`, async () => {
        const all = outcomes.trim().split(/\s+/);
        const expected = Object.fromEntries(asked.map((name) => [name, all[actorNames.indexOf(name)]]));
        const found: Record<string, string> = {};
        for (const name of asked) found[name] = await ask(op, name, input, expected[name]);
        expect(found).toEqual(expected);
      });
    }
  }
});

type Line = (typeof permissionTable)[string][number];
