import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Script } from "node:vm";

/** Makes one file of Node and the bundle: `npm run build:exe`. docs/install.md describes it. */
const own = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const { values } = parseArgs({ options: { platform: { type: "string", default: own }, node: { type: "string" } } });
const { platform } = values;
/** V8's code cache can only be used by the Node that made it. */
const withCodeCache = platform === own && values.node === undefined;
const executable = `release/wcs-${platform}${platform.startsWith("win") ? ".exe" : ""}`;
using folder = mkdtempDisposableSync(join(tmpdir(), "wcs-exe-"));
const scratch = folder.path;
await mkdir("release", { recursive: true });
await copyFile(values.node ?? (withCodeCache ? process.execPath : await downloadNode()), executable);
await chmod(executable, 0o755);
// Removes 18 MB of symbols. Later, strip would destroy the executable.
if (own === platform && process.platform === "linux") execFileSync("strip", [executable]);
await addProgram(await createBlob());
process.stdout.write(`${executable}\n`);

/** Downloads the executable of the same Node version for another platform from npm. */
async function downloadNode(): Promise<string> {
  const name = `node-${platform}@${process.versions.node}`;
  execFileSync("npm", ["pack", name, "--silent", "--pack-destination", scratch], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [archive] = await readdir(scratch);
  if (archive === undefined) throw new Error(`npm has no ${name}.`);
  execFileSync("tar", ["-xzf", join(scratch, archive), "-C", scratch]);
  return join(scratch, "package/bin", platform.startsWith("win") ? "node.exe" : "node");
}

/** Returns the path of a file with the program that scripts/exe-main.cjs loads: each file of the bundle as a function, and its code cache. */
async function createBlob(): Promise<string> {
  const assets: Record<string, string> = {};
  const files = (await readdir("dist", { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    if (!name.endsWith(".cjs")) {
      assets[`assets/${name}`] = path;
      continue;
    }
    assets[name] = path;
    if (!withCodeCache) continue;
    const cache = join(scratch, `${name}.cache`);
    assets[`${name}.cache`] = cache;
    await writeFile(cache, new Script(await readFile(path, "utf8"), { filename: name }).createCachedData());
  }
  const output = join(scratch, "program.blob");
  const config = {
    main: "scripts/exe-main.cjs",
    output,
    assets,
    disableExperimentalSEAWarning: true,
    useCodeCache: withCodeCache,
  };
  await writeFile(join(scratch, "config.json"), JSON.stringify(config));
  execFileSync(process.execPath, ["--experimental-sea-config", join(scratch, "config.json")], { stdio: "ignore" });
  return output;
}

/** Adds the program to the executable, and sets the mark at which Node looks for it. */
async function addProgram(blob: string): Promise<void> {
  const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
  const options = [
    "--sentinel-fuse",
    fuse,
    ...(platform.startsWith("darwin") ? ["--macho-segment-name", "NODE_SEA"] : []),
  ];
  // Its warnings about section names that strip has removed say nothing about the result.
  execFileSync(process.execPath, ["node_modules/postject/dist/cli.js", executable, "NODE_SEA_BLOB", blob, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}
