import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastCommit } from "./last-commit.ts";

/** The file that tells from which sources the files in `dist` were built. */
const stamp = "node_modules/.wcs-build";

/** Paths of all files that a build may read. */
const sources = ["src/**", "scripts/*.ts", "package-lock.json"];

/** Returns a hash of files. */
export function fingerprint(folder: string, paths: readonly string[]): string {
  const hash = createHash("sha256").update(process.version);
  for (const entry of globSync(paths, { cwd: folder, withFileTypes: true }).sort(byPath)) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    hash.update(`${JSON.stringify([entry.parentPath, entry.name, bytes.length])}\n`).update(bytes);
  }
  return hash.digest("hex");
}

const pathOf = ({ parentPath, name }: { parentPath: string; name: string }) => join(parentPath, name);
const byPath = (a: Parameters<typeof pathOf>[0], b: Parameters<typeof pathOf>[0]) => (pathOf(a) < pathOf(b) ? -1 : 1);

/** The build tells the commit, so after a commit of tests alone it is out of date, too. */
export const sourceFingerprint = (folder = "."): string => `${fingerprint(folder, sources)} ${lastCommit().hash}`;

/** Records the build in `dist`, and the sources that it read. */
export function recordBuild(source: string, folder = "."): void {
  writeFileSync(join(folder, stamp), `${source} ${fingerprint(folder, ["dist/**"])}`);
}

/** Returns true when `dist` is what the present sources were built to. */
export function isBuildCurrent(folder = "."): boolean {
  try {
    const recorded = readFileSync(join(folder, stamp), "utf8");
    return recorded === `${sourceFingerprint(folder)} ${fingerprint(folder, ["dist/**"])}`;
  } catch {
    return false;
  }
}
