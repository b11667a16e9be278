import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastCommit } from "../../scripts/last-commit.ts";

/** The fingerprint of the latest build that tests were run with. */
const stamp = "node_modules/.wcs-tested-build";

/** The command line is tested as it is shipped: as a bundle of the sources at hand. Builds it unless that was done before. */
export default function setup(): void {
  if (current() === lastFingerprint()) return;
  execFileSync(process.execPath, ["scripts/build.ts"], { stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(stamp, current());
}

/** The build tells the commit, so after a commit of tests alone it is out of date, too. */
const current = () => `${fingerprint(".")} ${lastCommit().hash}`;

/** Paths of all files that a build may read, and of all that it writes. */
const built = ["src/**", "scripts/*.ts", "package-lock.json", "dist/**"];

/** Returns a hash of files; by default of all that a build reads and of all that it wrote. */
export function fingerprint(folder: string, paths: readonly string[] = built): string {
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

function lastFingerprint(): string | undefined {
  try {
    return readFileSync(stamp, "utf8");
  } catch {
    return undefined;
  }
}
