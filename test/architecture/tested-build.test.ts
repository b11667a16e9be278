import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isBuildCurrent, recordBuild, sourceFingerprint } from "../../scripts/build-stamp.ts";

let folder: string;
const files = [
  "src/cli/main.ts",
  "src/http/pages/assets/page.css",
  "scripts/build.ts",
  "scripts/group-imports.ts",
  "scripts/load-on-use.ts",
  "package-lock.json",
  "dist/main.cjs",
];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wcs-build-"));
  for (const path of ["src/cli", "src/http/pages/assets", "scripts", "dist", "node_modules"])
    mkdirSync(join(folder, path), { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), "before");
  recordBuild(sourceFingerprint(folder), folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

it("a test run builds the program only when it is not built", () => {
  expect(isBuildCurrent(folder)).toBe(true);
  rmSync(join(folder, "node_modules"), { recursive: true });
  expect(isBuildCurrent(folder)).toBe(false);
});

it("a test run builds the program again when a source changed during the build", () => {
  const before = sourceFingerprint(folder);
  writeFileSync(join(folder, "src/cli/main.ts"), "after!");
  recordBuild(before, folder);
  expect(isBuildCurrent(folder)).toBe(false);
});

it.each(files)("a test run builds the program again when %s is another one, or not there", (file) => {
  writeFileSync(join(folder, file), "after!");
  expect(isBuildCurrent(folder)).toBe(false);
  rmSync(join(folder, file));
  expect(isBuildCurrent(folder)).toBe(false);
});

it("a test run builds the program again when a source has another name", () => {
  renameSync(join(folder, "src/cli/main.ts"), join(folder, "src/cli/other.ts"));
  expect(isBuildCurrent(folder)).toBe(false);
});

it("a test run builds the program again when a source is added", () => {
  writeFileSync(join(folder, "src/cli/added.ts"), "");
  expect(isBuildCurrent(folder)).toBe(false);
});
