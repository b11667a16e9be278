import { beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import type { AnyOperation, Caller } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";
import { isFull } from "../support/effort.ts";
import type { DatabaseKind } from "../support/instance.ts";
import { type Outcome, outcome } from "../support/outcome.ts";
import { permissionTable, type Scene, useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const operations = await allOperations();
const signedIn = ["administrator", "manager", "member", "outsider"] as const;
const [administrator, ...others] = signedIn;
let turn = 0;

/** Returns the actors of a call: the administrator and one of the others in turn, because HTTP treats all alike; in the full form all. */
function nextActors(): readonly (typeof signedIn)[number][] {
  if (isFull) return signedIn;
  turn += 1;
  // There are three others.
  return [administrator, others[turn % others.length]!];
}

for (const database of isFull ? (["postgres"] as const) : (["sqlite"] as const)) {
  describe(`local and over HTTP the same (${database})`, () => {
    const open = useScene({ database, caller: "http" });
    let scene: Scene;
    let both: Record<string, { local: Caller; http: Caller }>;

    beforeAll(async () => {
      scene = await open();
      const { instance, actors, ids } = scene;
      await actors.administrator.call(settings.set, { base_url: "https://wcs.example.com" });
      instance.wait(1);
      const pair = (token: string) => ({
        local: instance.withToken(token, "local"),
        http: instance.withToken(token, "http"),
      });
      both = {};
      for (const name of signedIn) both[name] = pair(await instance.tokenOf(ids[name]));
      // One token is enough, because other tests try each.
      both.attacker = pair(scene.forged[0]!.token);
    });

    const compare = async (op: AnyOperation, name: string, input: object) => {
      const { local, http } = both[name]!;
      const [here, there] = [
        await outcome(local.call(op, input as never, { dryRun: true })),
        await outcome(http.call(op, input as never, { dryRun: true })),
      ];
      expect(comparable(there, op, database), name).toEqual(comparable(here, op, database));
    };

    for (const op of operations) {
      for (const [about, , input] of permissionTable[op.name] ?? []) {
        it(`${op.name} ${about}`, async () => {
          for (const name of nextActors()) await compare(op, name, input(scene, scene.ids[name]));
        });
      }

      it(`${op.name} with a token that is not valid`, async () => {
        const [, , input] = permissionTable[op.name]![0]!;
        await compare(op, "attacker", input(scene, scene.ids.administrator));
      });

      it(`${op.name} with wrong and unknown fields`, async () => {
        const [, , input] = permissionTable[op.name]![0]!;
        const good = input(scene, scene.ids.administrator) as Record<string, unknown>;
        const wrong = Object.fromEntries(Object.entries(good).map(([key, value]) => [key, wrongly(value)]));
        await compare(op, "administrator", { ...good, colour: "blue", constructor: "x" });
        await compare(op, "administrator", wrong);
        await compare(op, "member", { ...wrong, colour: "blue" });
      });
    }
  });
}

/** Values that are wrong as JSON and as text. */
function wrongly(value: unknown): unknown {
  if (typeof value === "number") return -value;
  if (Array.isArray(value)) return value.map(wrongly);
  return typeof value === "string" ? "x".repeat(300) : "nonsense";
}

/** Removes values that differ in each call: random ones, and on PostgreSQL the IDs that a dry run has used up. */
function comparable(result: Outcome, op: AnyOperation, database: DatabaseKind): unknown {
  const random = new Set(["jwt", "secret", "token", "uid", "webhook_event_id"]);
  const usesUp = database === "postgres" && op.method !== "GET";
  let text = JSON.stringify(result, (key, value) => {
    if (random.has(key)) return "random";
    if (key === "uri" && String(value).startsWith("otpauth:")) return "random";
    if (usesUp && key === "conversationId") return 0;
    // The owner of a token exists already, and may have the ID of the token.
    if (usesUp && key === "owner") return { ...value, id: `user${value.id}`, url: "" };
    return usesUp && key === "latest_message" && value !== null ? { ...value, id: 0 } : value;
  });
  if ("answer" in result && database === "postgres") {
    for (const id of madeIds(result.answer, op))
      text = text.replaceAll(new RegExp(`(?<=[/: ])${id}(?=["/, }])`, "g"), "0");
  }
  return JSON.parse(text);
}

function madeIds(answer: unknown, op: AnyOperation): number[] {
  const { id, data, results } = (answer ?? {}) as { id?: number; data?: { id?: number }; results?: { id: number }[] };
  if (results !== undefined) return results.map((each) => each.id);
  const made = op.status === 201 ? (id ?? data?.id) : undefined;
  return made === undefined ? [] : [made];
}
