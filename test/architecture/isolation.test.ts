import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { replacing } from "../../vitest.config.ts";

it("suites that replace modules, and only they, run in a process of their own", () => {
  const found = globSync("test/**/*.test.ts").filter((file) => /^vi\.mock\(/m.test(readFileSync(file, "utf8")));
  expect(found.toSorted()).toEqual(replacing.toSorted());
});

it("tests wait by expect.poll, which has one long limit, and not by vi.waitFor, which gives up after a second", () => {
  const waiting = globSync("test/**/*.ts").filter((file) => /\bvi\.waitFor\(/.test(readFileSync(file, "utf8")));
  expect(waiting).toEqual([]);
});

it("no test or hook has a shorter limit than the general one, which a busy machine needs", () => {
  const shorter =
    /^\s*\}, (\d{1,2}|1[01]\d)_000\);|\{\s*timeout: ([1-9]|[1-5]\d|1[01]\d)_000,?\s*\}(?=\)|, async|,?\n)/m;
  const limited = globSync("test/**/*.test.ts").filter((file) => shorter.test(readFileSync(file, "utf8")));
  expect(limited).toEqual([]);
});
