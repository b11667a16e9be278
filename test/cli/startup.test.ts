import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { version } from "../../src/cli/session/version.ts";
import { bin, useHome } from "./support.ts";

const home = useHome();
const root = join(import.meta.dirname, "../..");
const bundle = join(root, "bin/bundle.js");

it("the version is that of the package", async () => {
  const { version: packaged } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
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

it("a program that was not built says how to build it", () => {
  cpSync(join(root, "bin"), home().path("unbuilt/bin"), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [home().path("unbuilt/bin/wcs.js")], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^wcs is not built\. .* npm ci --ignore-scripts=false, .*\n$/),
  });
});

interface Loaded {
  readonly bytes: number;
  readonly files: readonly string[];
  /** Modules of Node. */
  readonly builtins: readonly string[];
  /** Classes of Intl that were used; the first takes 10 ms. */
  readonly intl: readonly string[];
}

/** Returns what a command loads at its start. */
async function loaded(args: readonly string[]): Promise<Loaded> {
  const spy = home().path("spy.cjs");
  const report = home().path("loaded.json");
  writeFileSync(
    spy,
    `const intl = new Set();
    for (const name of ["Collator", "DateTimeFormat", "NumberFormat", "Segmenter"])
      Intl[name] = new Proxy(Intl[name], {
        construct: (target, args) => (intl.add(name), Reflect.construct(target, args)),
        apply: (target, self, args) => (intl.add(name), Reflect.apply(target, self, args)),
      });
    process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(report)}, JSON.stringify({
      intl: [...intl],
      files: [...require(${JSON.stringify(bundle)}).modules.keys()],
      builtins: process.moduleLoadList.filter((name) => name.startsWith("NativeModule")).map((name) => name.slice(13)),
    })));`,
  );
  const { code } = await home().spawn(args, { env: { NODE_OPTIONS: `--require ${spy}` } });
  expect(code).toBe(0);
  const found: Omit<Loaded, "bytes"> = JSON.parse(readFileSync(report, "utf8"));
  return { ...found, bytes: found.files.reduce((sum, file) => sum + statSync(join(root, "dist", file)).size, 0) };
}

it.each([
  [["--version"], 29_700, 3],
  [["--help"], 29_700, 3],
  [["profile", "list"], 122_000, 6],
  [["users", "get", "1", "--json"], 459_000, 9],
])("%s loads little", async (args, max, maxFiles) => {
  const { bytes, files, builtins } = await loaded(args);
  expect(bytes).toBeLessThan(max);
  expect(files.length).toBeLessThanOrEqual(maxFiles);
  for (const slow of [
    "http",
    "https",
    "child_process",
    "crypto",
    "internal/fs/streams",
    "net",
    "perf_hooks",
    "readline",
  ])
    expect(builtins).not.toContain(slow);
});

it.each(["users get 1", "users list -o table", "posts list -o table", "webhooks list -o table"])(
  "%s needs no Intl, no other program, and no library for the width of Latin letters",
  async (line) => {
    const post = ["posts", "create", "--content-type", "news", "--title", "News", "--unit", "1"];
    const webhook = ["webhooks", "create", "--name", "ci", "--uri", "https://example.com/hook", "--if-not-exists"];
    for (const args of [post, webhook]) expect((await home().sit(args)).code).toBe(0);
    const { files, builtins, intl } = await loaded(line.split(" "));
    expect(intl).toEqual([]);
    expect(builtins).not.toContain("child_process");
    expect(files.filter((name) => name.startsWith("string-width-"))).toEqual([]);
  },
);

it("files of the bundle are ASCII, which V8 reads fastest", () => {
  const names = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".cjs"));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => readFileSync(join(root, "dist", name)).some((byte) => byte > 0x7f))).toEqual([]);
});

/** Runs a command that keeps its compiled code in a folder of the home, and returns its stdout. */
async function runWithCache(
  args: readonly string[],
  folder: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await home().spawn(args, { env: { ...env, XDG_CACHE_HOME: home().path(folder) } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Returns the files with compiled code in a folder of the home. Each is replaced, not changed, so its inode says whether it is the same. */
function codeIn(folder: string): Map<string, { path: string; inode: number; size: number }> {
  const found = readdirSync(home().path(folder), { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  return new Map(
    found.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const { ino: inode, size } = statSync(path);
      return [name, { path, inode, size }];
    }),
  );
}

const getUser = ["users", "get", "1", "--json"];

it("compiled code is kept until a command loads another file, and then has the functions that it called", async () => {
  const output = await runWithCache(getUser, "kept");
  const first = codeIn("kept");
  expect(first.size).toBe((await loaded(getUser)).files.length - 1);
  expect([...first.keys()].filter((name) => !/-[\w-]{8}\.cjs$/.test(name))).toEqual([]);
  expect(await runWithCache(getUser, "kept")).toBe(output);
  expect(codeIn("kept")).toEqual(first);

  await runWithCache(["units", "list"], "kept");
  const second = codeIn("kept");
  expect(second.size).toBeGreaterThan(first.size);
  const start = [...first.keys()].find((name) => name.startsWith("command-"))!;
  expect(second.get(start)!.size).toBeGreaterThan(first.get(start)!.size);
});

it("compiled code that V8 refuses is replaced", async () => {
  const output = await runWithCache(getUser, "damaged");
  const before = codeIn("damaged");
  const [name, { path, size }] = [...before].find(([name]) => name.startsWith("command-"))!;
  truncateSync(path, size - 100);
  expect(await runWithCache(getUser, "damaged")).toBe(output);
  const repaired = codeIn("damaged");
  expect(repaired.get(name)!.inode).not.toBe(before.get(name)!.inode);
  await runWithCache(getUser, "damaged");
  expect(codeIn("damaged")).toEqual(repaired);
});

it("compiled code is kept under the flags of V8 at the start", async () => {
  const exportEvents = ["events", "export"];
  // This command sets V8 flags to limit the heap.
  await runWithCache(exportEvents, "flags");
  const before = codeIn("flags");
  await runWithCache(exportEvents, "flags");
  await runWithCache(["--help"], "flags");
  expect(codeIn("flags")).toEqual(before);

  const spy = home().path("flags.cjs");
  const set = (percent: number) => `require("node:v8").setFlagsFromString("--heap-growing-percent=${percent}")`;
  writeFileSync(spy, `process.nextTick(() => ${set(50)}); process.on("exit", () => ${set(0)});`);
  await runWithCache(exportEvents, "flags", { NODE_OPTIONS: `--require ${spy}` });
  writeFileSync(spy, `process.on("exit", () => ${set(50)});`);
  await runWithCache(getUser, "flags", { NODE_OPTIONS: `--require ${spy}` });
  expect(codeIn("flags")).toEqual(before);
});

it("a cache directory that cannot be written stops no command", async () => {
  writeFileSync(home().path("file"), "");
  expect(JSON.parse(await runWithCache(getUser, "file"))).toMatchObject({ id: 1 });
});

it.skipIf(process.platform !== "linux")("a command ends when its home cannot be created", () => {
  const env = { ...home().env, HOME: "/proc/nowhere", XDG_CACHE_HOME: "" };
  const { status, stdout } = spawnSync(process.execPath, [bin, "--version"], {
    env,
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  expect({ status, stdout: String(stdout) }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d/) });
});

it("compiled code that others can write is not used", async () => {
  const output = await runWithCache(getUser, "open");
  const kept = codeIn("open");
  const [name, { path }] = [...kept].find(([name]) => name.startsWith("command-"))!;
  chmodSync(path, 0o666);
  expect(await runWithCache(getUser, "open")).toBe(output);
  const replaced = codeIn("open").get(name)!;
  expect(replaced.inode).not.toBe(kept.get(name)!.inode);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  chmodSync(dirname(path), 0o770);
  truncateSync(path, replaced.size - 100);
  const damaged = codeIn("open");
  expect(await runWithCache(getUser, "open")).toBe(output);
  expect(codeIn("open")).toEqual(damaged);
});

it("compiled code is kept in the home, unless XDG_CACHE_HOME is an absolute path, and nowhere without a home", async () => {
  const run = async (env: Record<string, string>) =>
    expect((await home().spawn(["profile", "list"], { env })).code).toBe(0);
  await run({ XDG_CACHE_HOME: "relative-cache" });
  expect(codeIn(".cache/wcs").size).toBeGreaterThan(0);
  await run({ HOME: "", XDG_CACHE_HOME: "" });
  for (const folder of ["relative-cache", ".cache", "wcs"]) expect(existsSync(folder)).toBe(false);

  const spy = home().path("no-home.cjs");
  writeFileSync(spy, `require("node:os").homedir = () => { throw new Error("no home"); };`);
  await run({ XDG_CACHE_HOME: "", NODE_OPTIONS: `--require ${spy}` });
});

it("saving compiled code deletes that which was not read for long", async () => {
  await runWithCache(["--help"], "unused");
  const { path } = [...codeIn("unused").values()][0]!;
  const old = join(dirname(path), "command-00000000.cjs");
  writeFileSync(old, "");
  utimesSync(old, 0, 0);
  await runWithCache(getUser, "unused");
  expect(existsSync(old)).toBe(false);
  expect(existsSync(path)).toBe(true);
});
