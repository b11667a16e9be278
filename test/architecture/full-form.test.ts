import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesLeftToFullForm, filesOfFullForm, forms } from "../support/full-form.ts";

const self = "test/architecture/full-form.test.ts";
const full = new Set(filesOfFullForm());

it.each([
  "describeEverywhere(",
  "describeOnOneDatabase(",
  "describePlaces(",
  "each(environments)",
  " tries(",
  "isFull",
  ".wcs(",
  'from "./counts.ts"',
])("test:full runs each file that has %s", (use) => {
  const files = globSync("test/**/*.test.ts").filter((file) => readFileSync(file, "utf8").includes(use));
  expect(files.filter((file) => file !== self)).not.toEqual([]);
  expect(files.filter((file) => file !== self && !full.has(file))).toEqual([]);
});

it("test:full runs what npm test leaves to it, such as tests of other programs beside a server", () => {
  const left = filesLeftToFullForm();
  expect(left).toEqual(expect.arrayContaining(globSync("test/operations/*.test.ts")));
  expect(left.filter((file) => !full.has(file))).toEqual([]);
});

it("test:full leaves out files that give the same result in npm test", () => {
  for (const file of ["test/delivery/queue.test.ts", "test/http/server.test.ts", "test/docs/readme.test.ts"])
    expect(full.has(file), file).toBe(false);
});

it("modules that all tests use differ in the longer form only by exports that test:full looks for", () => {
  const lines = forms.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  expect(lines.filter((line) => /\bisFull\b|WCS_TEST_FULL/.test(line) && !/^(import|\s*\/)/.test(line))).toEqual([
    "export const isFull = process.env.WCS_TEST_FULL !== undefined;",
    "const factor = Number(process.env.WCS_TRIES ?? (isFull ? 1 : 0.1));",
    "export const environments: readonly Environment[] = isFull ? [sqliteLocal, postgresHttp] : [sqliteHttp, postgresLocal];",
    "  describeIn(isFull ? [...environments, postgresLocal] : [sqliteHttp], name, suite);",
    "      if (isFull && calls % 4 === 1) return spawn(args, { stdin, env: more ?? {} });",
  ]);
  const reading = globSync("test/**/*.ts").filter((file) => /env\.WCS_TEST_FULL/.test(readFileSync(file, "utf8")));
  expect(reading.filter((file) => file !== self)).toEqual(["test/support/effort.ts"]);
});
