import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isGroup } from "../../src/cli/kit/command-spec.ts";
import { registry } from "../../src/cli/registry.ts";
import { allOperations } from "../../src/contract/all-operations.ts";
import type { languages } from "../../src/contract/languages.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { type GroupName, groupEntries } from "../../src/contract/operation-groups.ts";
import { findAdmission, findHandler } from "../../src/core/find-handler.ts";
import type { Admission, Handlers } from "../../src/core/pipeline/context.ts";
import { openapi } from "../../src/http/openapi.ts";

const source = join(import.meta.dirname, "../../src");
const operations = await allOperations();
const groupOf = ({ name }: AnyOperation) => name.slice(0, name.indexOf(".")) as GroupName;

// Each mistake is a compile error; without the error the type checker reports the comment.
const handlers: Handlers<typeof languages>[] = [
  { list: async () => ({ data: [{ code: "en", name: "English" }] }) },
  // @ts-expect-error: an operation has no handler
  {},
  // @ts-expect-error: a handler has no operation
  { list: async () => ({ data: [] }), get: async () => ({ data: [] }) },
  // @ts-expect-error: the contract promises another answer
  { list: async () => ({ data: [{ code: "en" }] }) },
  // @ts-expect-error: the input has no such field
  { list: async (_, { limit }) => ({ data: [limit] }) },
];
const rules: Admission<typeof languages>[] = [
  { list: async () => {} },
  // @ts-expect-error: a rule has no operation
  { get: async () => {} },
];

it("handlers and rules that do not fit the contract do not compile", () => {
  expect([handlers.length, rules.length]).toEqual([5, 2]);
});

describe.each(groupEntries)("%s", (group, { tags }) => {
  const own = operations.filter((op) => groupOf(op) === group);

  it("has operations, each with a handler", async () => {
    expect(own).not.toEqual([]);
    for (const op of own) expect(await findHandler(op), op.name).toBeTypeOf("function");
  });

  it("has handlers and rules of its operations only, typed by the contract", async () => {
    const exported = await import(`../../src/core/${group}/${group}-operations.ts`);
    const names = own.map(({ name }) => name.slice(group.length + 1));
    expect(Object.keys(exported[group]).toSorted()).toEqual(names.toSorted());
    expect(Object.keys(exported.admission ?? {}).filter((name) => !names.includes(name))).toEqual([]);
    const text = readFileSync(join(source, `core/${group}/${group}-operations.ts`), "utf8");
    expect(text).toMatch(/Handlers<\s*typeof contract\s*>/);
    if (exported.admission) expect(text).toContain(": Admission<typeof contract>");
  });

  it("has commands", async () => {
    const { load, ...entry } = registry[group]!;
    const commands = await load();
    expect(isGroup(commands)).toBe(true);
    expect(entry).toEqual({ summary: entry.summary, heading: entry.heading });
  });

  it("has all of its tags in the OpenAPI document, and no other", () => {
    const { paths } = openapi(own);
    const used = Object.values(paths ?? {}).flatMap((path) => Object.values(path).flatMap(tagsIn));
    expect([...new Set(used)]).toEqual(Object.keys(tags));
  });
});

function tagsIn(described: unknown): string[] {
  return (described as { tags?: string[] }).tags ?? [];
}

it("an operation without a handler or a group is an error", async () => {
  const [list] = operations;
  const nameless = (name: string) => ({ ...list!, name });
  await expect(findHandler(nameless("users.nothing"))).rejects.toThrow("users.nothing has no handler");
  await expect(findHandler(nameless("nothing.list"))).rejects.toThrow("nothing-operations.ts");
  expect(await findAdmission(nameless("users.list"))).toBeUndefined();
});
