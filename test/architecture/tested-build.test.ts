import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fingerprint } from "../support/build.ts";

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
  for (const path of ["src/cli", "src/http/pages/assets", "scripts", "dist"])
    mkdirSync(join(folder, path), { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), "before");
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each(files)("a test run builds the program again when %s is another one, or not there", (file) => {
  const before = fingerprint(folder);
  expect(fingerprint(folder)).toBe(before);
  writeFileSync(join(folder, file), "after!");
  const changed = fingerprint(folder);
  rmSync(join(folder, file));
  expect(new Set([before, changed, fingerprint(folder)]).size).toBe(3);
});

it("a test run builds the program again when a source has another name", () => {
  const before = fingerprint(folder);
  renameSync(join(folder, "src/cli/main.ts"), join(folder, "src/cli/other.ts"));
  expect(fingerprint(folder)).not.toBe(before);
});

it("a test run builds the program again when a source is added", () => {
  const before = fingerprint(folder);
  writeFileSync(join(folder, "src/cli/added.ts"), "");
  expect(fingerprint(folder)).not.toBe(before);
});
