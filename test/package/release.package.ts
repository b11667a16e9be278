import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
// The build renames folders, so the copy is on the file system of its node_modules. Git ignores this folder.
const parent = join(root, "release-tests");
let copy = "";

/** A repository with a copy of the sources, in which releases can be made. */
beforeAll(() => {
  mkdirSync(parent, { recursive: true });
  copy = mkdtempSync(join(parent, "copy-"));
  for (const name of [
    "bin",
    "completions",
    "scripts",
    "src",
    ".gitignore",
    "LICENSE",
    "README.md",
    "package-lock.json",
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // The executable has tests of its own.
  const { "build:exe": _, ...scripts } = manifest(root).scripts;
  writeFileSync(join(copy, "package.json"), JSON.stringify({ ...manifest(root), scripts }));
  writeFileSync(join(copy, ".git-exclude"), "node_modules\n");
  git("init", "--quiet");
  git("config", "core.excludesFile", ".git-exclude");
  git("config", "user.name", "Ada Lovelace");
  git("config", "user.email", "ada@example.com");
  write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- A change.\n");
});
afterAll(() => rmSync(parent, { recursive: true }));

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
}
const manifest = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: copy, encoding: "utf8" }).trim();
const write = (name: string, text: string) => {
  writeFileSync(join(copy, name), text);
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", name);
};
const release = (...args: readonly string[]) =>
  spawnSync("npm", ["run", "--silent", "release", "--", "--skip-tests", ...args], { cwd: copy, encoding: "utf8" });
const setVersion = (version: string) => {
  write("package.json", JSON.stringify({ ...manifest(copy), version }));
  write("src/cli/session/version.ts", `export const version = "${version}";\n`);
};
const logVersion = (version: string) =>
  write("CHANGELOG.md", `# Changelog\n\n## [${version}] - 2026-12-01\n\n### Added\n\n- A feature.\n`);

it("a release needs a section of the changelog", () => {
  const { stderr, status } = release("--dry-run");
  expect({ stderr, status }).toEqual({
    stderr: 'error: CHANGELOG.md has no section "## [0.1.0] - <YYYY-MM-DD>" with changes.\n'.replace(
      "0.1.0",
      manifest(root).version,
    ),
    status: 1,
  });
});

it("a release needs committed changes and a version of SemVer", () => {
  setVersion("1.0");
  logVersion("1.0");
  write("src/cli/session/version.ts", 'export const version = "0.9.0";\n');
  writeFileSync(join(copy, "notes.txt"), "Not committed.");
  const { stderr, status } = release("--dry-run");
  expect({ stderr, status }).toEqual({
    stderr: [
      "error: There are changes that are not committed.",
      "error: The version 1.0 in package.json is not a version of SemVer.",
      "error: src/cli/session/version.ts has the version 0.9.0, and package.json 1.0.",
      "",
    ].join("\n"),
    status: 1,
  });
  rmSync(join(copy, "notes.txt"));
});

it.each(["v1.3.0", "v1.10.0"])("a release must be newer than the tag %s", (tag) => {
  git("tag", tag);
  setVersion("1.3.0");
  logVersion("1.3.0");
  const { stderr, status } = release();
  expect({ stderr, status }).toEqual({
    stderr: `error: The version 1.3.0 is not newer than the tag ${tag}.\n`,
    status: 1,
  });
});

it("a dry run makes the files and no tag, a release also the tag", () => {
  setVersion("1.11.0-rc.1");
  logVersion("1.11.0-rc.1");
  const tags = () => git("tag", "--points-at", "HEAD");
  const dryRun = release("--dry-run");
  expect(dryRun.stderr).toBe("");
  expect(dryRun.stdout).toContain(`Dry run: would tag v1.11.0-rc.1 at ${git("rev-parse", "HEAD")}.\n`);
  expect(tags()).toBe("");
  const files = ["SHA256SUMS", "wcs-1.11.0-rc.1.cdx.json", "wcs-tool-wcs-1.11.0-rc.1.tgz"];
  expect(readdirSync(join(copy, "release")).sort()).toEqual(files);
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: join(copy, "release") });

  expect(release().status).toBe(0);
  expect(tags()).toBe("v1.11.0-rc.1");
  expect(git("cat-file", "-t", "v1.11.0-rc.1")).toBe("tag");
  expect(git("status", "--porcelain")).toBe("");
});
