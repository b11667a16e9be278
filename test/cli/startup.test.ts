import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { version } from "../../src/cli/session/version.ts";
import { useHome } from "./support.ts";

const home = useHome();

it("the version is that of the package", async () => {
  const { version: packaged } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(version).toBe(packaged);
  for (const flag of ["--version", "-V"]) expect((await home().spawn([flag])).stdout).toBe(`${packaged}\n`);
  expect((await home().spawn(["--version", "--no-color"])).stdout).toBe(`${packaged}\n`);
});

it("--version --verbose shows the version, the commit, Node and SQLite", async () => {
  const git = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  const commit = git.status === 0 ? git.stdout.trim() : "unknown";
  const { node, sqlite } = process.versions;
  const expected = `wcs ${version}\ncommit ${commit}\nNode ${node}\nSQLite ${sqlite}\n`;
  for (const line of ["--version --verbose", "-v -V"])
    expect((await home().spawn(line.split(" "))).stdout).toBe(expected);
  // The sources do not know their commit.
  expect((await home().sit(["--version", "--verbose"])).stdout).toBe(expected.replace(commit, "unknown"));
});

/** Bytes and number of our own files, and modules of Node, that a command loads: what makes it slow to start. */
async function loaded(args: readonly string[]): Promise<{ bytes: number; files: number; builtins: string[] }> {
  const spy = home().path("spy.cjs");
  const report = home().path("loaded.json");
  writeFileSync(
    spy,
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(report)}, JSON.stringify({
      files: Object.keys(require.cache).filter((file) => file.includes("/dist/")),
      builtins: process.moduleLoadList.filter((name) => name.startsWith("NativeModule")).map((name) => name.slice(13)),
    })));`,
  );
  const { code } = await home().spawn(args, { env: { NODE_OPTIONS: `--require ${spy}` } });
  expect(code).toBe(0);
  const { files, builtins } = JSON.parse(readFileSync(report, "utf8")) as { files: string[]; builtins: string[] };
  return { bytes: files.reduce((sum, file) => sum + statSync(file).size, 0), files: files.length, builtins };
}

it.each([
  [["--version"], 28_500, 3],
  [["--help"], 28_500, 3],
  [["profile", "list"], 112_000, 6],
  [["users", "get", "1", "--json"], 412_000, 9],
])("%s loads little", async (args, most, mostFiles) => {
  const { bytes, files, builtins } = await loaded(args);
  expect(bytes).toBeLessThan(most);
  expect(files).toBeLessThanOrEqual(mostFiles);
  for (const slow of ["http", "https", "child_process", "crypto", "internal/fs/streams", "readline"])
    expect(builtins).not.toContain(slow);
});
