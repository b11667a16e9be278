import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { updateApiReference, updateReadme } from "../../scripts/generated-sections.ts";
import { allOperations } from "../../src/contract/all-operations.ts";
import { errorCodes } from "../../src/contract/errors.ts";
import { defaults } from "../../src/contract/settings.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it("docs/api.md has the tables that npm run docs generates", async () => {
  const reference = read("docs/api.md");
  expect(reference).toBe(await updateApiReference(reference));
});

it("docs/api.md lists every operation and every setting of the contract", async () => {
  const lines = read("docs/api.md").split("\n");
  for (const { name, method, path, summary } of await allOperations()) {
    const shown = path.replace(/=\w+\}/g, "}");
    const matches = lines.filter((line) => line.startsWith(`| \`${method} ${shown}\` | ${summary} |`));
    expect(matches, name).toHaveLength(1);
  }
  for (const key of Object.keys(defaults)) {
    expect(
      lines.filter((line) => line.startsWith(`| \`${key}\` |`)),
      key,
    ).toHaveLength(1);
  }
});

it("the README opens with the two commands, and links to the tables", () => {
  const readme = read("README.md");
  expect(readme.split("\n").slice(0, 4)).toEqual(["# wcs", "", "    npm ci && npx wcs demo", "    npm ci && npm test"]);
  expect(readme).toContain("](docs/api.md)");
});

it("npm ci installs what builds the program, also where NODE_ENV is production", () => {
  const env = { ...process.env, NODE_ENV: "production" };
  const { status, stdout } = spawnSync("npm", ["config", "get", "omit"], { cwd: root, env, encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "\n" });
});

it("the README lists every exit code", () => {
  const [, section = ""] = read("README.md").split("\n## Exit codes\n");
  const [table = ""] = section.split("\n## ");
  const listed = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  // Success, crash, usage, a condition that does not hold, and an interruption have no code of the contract.
  const expected = new Set([0, 1, 2, 9, 130, ...Object.values(errorCodes).map(({ exit }) => exit)]);
  expect(listed).toEqual([...expected].sort((a, b) => a - b));
});

it("the README lists the exit codes of wcs help exit-codes", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toBe(updateReadme(readme));
});
