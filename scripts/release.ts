// Makes a release of the checked-out commit: `npm run release`. Publishes nothing.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gt, maxSatisfying, valid } from "semver";
import { version as builtVersion } from "../src/cli/session/version.ts";

const folder = "release";

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
}

const { values: options } = parseArgs({
  options: { "dry-run": { type: "boolean" }, "skip-tests": { type: "boolean" } },
});
const { version, scripts } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const tag = `v${version}`;
const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
const npm = (...args: readonly string[]) => void execFileSync("npm", args, { stdio: "inherit" });

const issues = issuesOf();
for (const issue of issues) process.stderr.write(`error: ${issue}\n`);
if (issues.length > 0) process.exitCode = 1;
else release();

/** Returns the reasons for which the commit cannot be released. */
function issuesOf(): string[] {
  const versions = git("tag", "--list", "v*")
    .split("\n")
    .flatMap((name) => valid(name) ?? []);
  const last = maxSatisfying(versions, "*", { includePrerelease: true });
  return [
    ...(git("status", "--porcelain") === "" ? [] : ["There are changes that are not committed."]),
    ...(valid(version) === version ? [] : [`The version ${version} in package.json is not a version of SemVer.`]),
    ...(last && valid(version) && !gt(version, last)
      ? [`The version ${version} is not newer than the tag v${last}.`]
      : []),
    ...(builtVersion === version
      ? []
      : [`src/cli/session/version.ts has the version ${builtVersion}, and package.json ${version}.`]),
    ...(hasChanges() ? [] : [`CHANGELOG.md has no section "## [${version}] - <YYYY-MM-DD>" with changes.`]),
  ];
}

/** Returns true when the changelog lists changes of this version. */
function hasChanges(): boolean {
  const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
  return sections.some((section) => {
    const [title = "", ...lines] = section.split("\n");
    const isRelease = title.startsWith(`[${version}] - `) && /\d{4}-\d\d-\d\d$/.test(title);
    return isRelease && lines.some((line) => line.startsWith("- "));
  });
}

function release(): void {
  if (!options["skip-tests"]) {
    npm("test");
    npm("run", "test:package");
  }
  makeFiles();
  const target = `${tag} at ${git("rev-parse", "HEAD")}`;
  if (options["dry-run"]) return void process.stdout.write(`Dry run: would tag ${target}.\n`);
  git("tag", "--annotate", tag, "--message", `wcs ${version}`);
  process.stdout.write(`Tagged ${target}. Push the tag and publish the files in ${folder}/ to complete the release.\n`);
}

/** Makes the package, its SBOM, the executable where it can be built, and their checksums. */
function makeFiles(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  npm("pack", "--silent", "--pack-destination", folder);
  copyFileSync("sbom.cdx.json", join(folder, `wcs-${version}.cdx.json`));
  if (scripts["build:exe"]) npm("run", "build:exe");
  const lines = readdirSync(folder).map((name) => {
    const content = readFileSync(join(folder, name));
    process.stdout.write(`${join(folder, name)}  ${content.length} bytes\n`);
    return `${hash("sha256", content)}  ${name}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}
