import pg from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { fieldsOf, pathFields } from "../../src/contract/field-spec.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import {
  addOwnThings,
  type HiddenScene,
  hidden,
  hiddenTable,
  integers,
  type Line,
  unclassified,
} from "../support/hidden-things.ts";
import { describeOnOneDatabase, type Environment } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";
import { useScene } from "../support/permission-table.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";

useQuickPasswords();

const operations = await allOperations();
const nothing = 987_654;

it("every integer of every input has a line in the table, or is known to name nothing hidden", () => {
  expect(operations.flatMap((op) => unclassified(op).map((path) => `${op.name} ${path}`))).toEqual([]);
});

it("every line of the table is about a field of the contract", () => {
  const known = new Set(operations.flatMap((op) => [...integers(fieldsOf(op))].map((path) => `${op.name} ${path}`)));
  const lines = Object.entries(hiddenTable).flatMap(([name, fields]) =>
    Object.keys(fields).map((path) => `${name} ${path}`),
  );
  expect(lines.filter((line) => !known.has(line))).toEqual([]);
});

/** Calls `check` for each line with each hidden thing of its kind. */
function forEachHidden(
  check: (about: string, test: { op: AnyOperation; field: string; line: Line; thing: Thing }) => void,
): void {
  for (const op of operations) {
    for (const [field, line] of Object.entries(hiddenTable[op.name] ?? {})) {
      const [kind] = line;
      for (const thing of hidden[kind]) check(`${op.name} ${field}: ${kind}, ${thing[0]}`, { op, field, line, thing });
    }
  }
}

type Thing = (typeof hidden)[keyof typeof hidden][number];

function useHiddenScene(environment: Environment): () => HiddenScene {
  const open = useScene(environment);
  let scene: HiddenScene;
  beforeAll(async () => {
    scene = await addOwnThings(await open());
  });
  return () => scene;
}

describeOnOneDatabase("a hidden thing cannot be told from one that does not exist", (environment) => {
  const scene = useHiddenScene(environment);

  forEachHidden((about, { op, field, line: [, input, expected], thing: [, actor, idOf] }) => {
    it(about, async () => {
      const there = idOf(scene());
      const ask = (id: number) => outcome(scene().actors[actor].call(op, input(scene(), id)));
      const [found, missing] = [await ask(there), await ask(nothing)];
      const said = JSON.stringify(missing).replaceAll(String(nothing), String(there));
      expect(JSON.parse(JSON.stringify(found))).toEqual(JSON.parse(said));
      const inPath = pathFields(op).some(({ name }) => name === field);
      const code = "refusal" in found ? found.refusal.code : "ok";
      expect(code).toBe(expected ?? (inPath ? "not_found" : "validation_failed"));
    });
  });
});

describe("over HTTP a hidden thing has the headers of one that does not exist", () => {
  const scene = useHiddenScene({ database: "sqlite", caller: "http" });

  it.each([
    ["a post", "content", ({ posts }: HiddenScene) => posts.news],
    ["an event", "events", ({ events }: HiddenScene) => events.chain],
    ["a conversation", "conversations", ({ talk }: HiddenScene) => talk.group],
    ["a file", "files", ({ groups }: HiddenScene) => groups.ofMessage],
    ["a group", "groups", ({ groups }: HiddenScene) => groups.board],
  ])("%s", async (_, path, idOf) => {
    const { instance, ids } = scene();
    const headers = { authorization: `Bearer ${await instance.tokenOf(ids.outsider)}`, "x-request-id": "same" };
    const ask = async (id: number) => {
      const response = await fetch(`${instance.url}/api/${path}/${id}`, { headers });
      const own = [...response.headers].filter(([name]) => !["date", "content-length"].includes(name));
      return { status: response.status, own, text: (await response.text()).replaceAll(String(id), "ID") };
    };
    expect(await ask(idOf(scene()))).toEqual(await ask(nothing));
  });
});

describe("a hidden thing has the answer and takes the statements of one that does not exist", () => {
  const scene = useHiddenScene({ database: "postgres", caller: "local" });
  beforeAll(() => scene().instance.freeze());

  forEachHidden((about, { op, line: [, input], thing: [, actor, idOf] }) => {
    it(about, async () => {
      const ask = async (id: number) => {
        const spy = vi.spyOn(pg.Client.prototype, "query");
        const answer = await outcome(scene().actors[actor].call(op, input(scene(), id)));
        // Announcements are sent a moment after their commit, so those of the operation before may come now.
        const statements = spy.mock.calls
          .map(([given]) => textOf(given))
          .filter((text) => !text?.includes("pg_notify"));
        spy.mockRestore();
        return { answer: JSON.stringify(answer), statements };
      };
      const there = idOf(scene());
      await ask(nothing);
      const [found, missing] = [await ask(there), await ask(nothing)];
      expect(found.statements.length).toBeGreaterThan(0);
      expect(found.statements).toEqual(missing.statements);
      expect(found.answer).toBe(missing.answer.replaceAll(String(nothing), String(there)));
    });
  });
});

const textOf = (given: unknown) => (typeof given === "string" ? given : (given as { text?: string } | undefined)?.text);
