import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const [, promises = ""] = readFileSync(new URL("docs/security.md", root), "utf8").split("\n## Promises\n");
const items = promises.split("\n").filter((line) => line.startsWith("- "));
const testsOf = (item: string) => [...item.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path ?? "");

it("every promise of docs/security.md names a test file", () => {
  expect(items.length).toBeGreaterThan(0);
  expect(items.filter((item) => !testsOf(item).some((path) => path.endsWith(".test.ts")))).toEqual([]);
});

it("every test file that docs/security.md names exists", () => {
  const named = items.flatMap(testsOf);
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

it("what stands under the promises is a heading or an item of its own line", () => {
  const other = promises.split("\n").filter((line) => line !== "" && !/^(- |### )/.test(line));
  expect(other).toEqual([]);
});
