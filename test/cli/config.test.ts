import { fork } from "node:child_process";
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  changeConfig,
  configDir,
  configFile,
  dataDir,
  readConfig,
  withConfigLock,
} from "../../src/cli/session/config.ts";
import { withLock } from "../../src/cli/session/file-lock.ts";
import { asNobody } from "../store/support.ts";
import { type Home, newHome } from "./support.ts";

let home: Home;
let env: Record<string, string>;
beforeEach(() => {
  home = newHome();
  env = home.env;
});

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const add = (name: string) =>
  changeConfig(env, (config) => ({ ...config, profiles: { ...config.profiles, [name]: { target: "/x" } } }));

describe("a configuration folder that this user may not read", () => {
  it("is an error with a hint and a finding of doctor, and is not needed for a database by its path", async () => {
    const shared = home.path("shared");
    const db = join(shared, "wcs.db");
    const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace"];
    expect((await home.sit(["init", "--db", db, "--no-profile", ...administrator])).code).toBe(0);
    await add("first");
    chmodSync(configDir(env), 0o000);
    chmodSync(home.folder, 0o755);
    if (process.geteuid?.() === 0) for (const path of [shared, db]) chownSync(path, 65_534, 65_534);
    await asNobody(async () => {
      const refused = await home.sit(["units", "list"]);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/cannot be read \(EACCES\)\.\nhint: Set WCS_CONFIG_DIR to a folder that you can read/),
      ]);
      const doctor = await home.sit(["doctor", "--db", db, "--json"]);
      expect(doctor.code).toBe(9);
      expect(JSON.parse(doctor.stdout)).toContainEqual(
        expect.objectContaining({
          check: "configuration",
          state: "failed",
          message: expect.stringContaining("EACCES"),
        }),
      );
      expect(await home.sit(["units", "list", "--db", db])).toMatchObject({ code: 0, stderr: "" });
      expect(await home.sit(["units", "list"], { env: { WCS_DB: db } })).toMatchObject({ code: 0, stderr: "" });
    });
    chmodSync(configDir(env), 0o700);
  });
});

describe("the configuration file", () => {
  it.each([0o000, 0o022, 0o077])("is private to its owner, also with umask %i", async (umask) => {
    const before = process.umask(umask);
    try {
      await add("first");
      expect([mode(configDir(env)), mode(configFile(env))]).toEqual(["700", "600"]);
      chmodSync(configDir(env), 0o755);
      chmodSync(configFile(env), 0o644);
      await add("second");
      expect([mode(configDir(env)), mode(configFile(env))]).toEqual(["700", "600"]);
      expect(process.umask()).toBe(umask);
    } finally {
      process.umask(before);
    }
  });

  it("keeps unknown fields, and names with dots", async () => {
    mkdirSync(configDir(env), { recursive: true });
    writeFileSync(configFile(env), '{"profiles":{"a":{"target":"/a","colour":"red"}},"later":1}');
    await add("wcs.example.com");
    expect(JSON.parse(readFileSync(configFile(env), "utf8"))).toEqual({
      profiles: { a: { target: "/a", colour: "red" }, "wcs.example.com": { target: "/x" } },
      later: 1,
    });
  });

  it.each([
    "{",
    "[]",
    "null",
    '"x"',
    "",
    '{"profiles":[]}',
    '{"profiles":{"a":1}}',
    '{"profiles":{"a":{"target":1}}}',
    '{"profiles":{"a":{"target":"/a","user":1}},"current":"a"}',
    '{"profiles":{},"current":1}',
  ])("that is invalid (%s) is an error that names it, and stays unchanged", async (text) => {
    mkdirSync(configDir(env), { recursive: true });
    writeFileSync(configFile(env), text);
    const attempts = [
      ["units", "list"],
      ["profile", "add", "x", "--db", "/x"],
      ["profile", "list"],
      ["auth", "logout"],
    ];
    for (const args of attempts) {
      const { code, stderr } = await home.sit(args);
      expect(code).toBe(2);
      expect(stderr).toContain(`The configuration file ${configFile(env)} is invalid.`);
      expect(stderr).toMatch(/hint: .*move it away/);
    }
    expect(readFileSync(configFile(env), "utf8")).toBe(text);
    const { code } = await home.sit(["--version"]);
    expect(code).toBe(0);
  });

  it("that cannot be written, although its folder can be changed, is an error with a hint", async () => {
    const { linkSync } = fs;
    fs.linkSync = (path) => {
      throw Object.assign(new Error("not here"), { code: "EACCES", path });
    };
    syncBuiltinESMExports();
    try {
      await expect(add("first")).rejects.toMatchObject({
        message: `the configuration in ${configDir(env)} cannot be written (EACCES)`,
        hint: "set WCS_CONFIG_DIR to a folder that you can write to",
      });
    } finally {
      fs.linkSync = linkSync;
      syncBuiltinESMExports();
    }
  });

  it("leaves no other files behind, not even after a process that was killed while it saved", async () => {
    await add("first");
    expect(readdirSync(configDir(env))).toEqual(["config.json"]);
    const preload = home.path("kill.cjs");
    writeFileSync(preload, 'require("node:fs").renameSync = () => process.kill(process.pid, "SIGKILL");');
    const NODE_OPTIONS = `--require=${preload}`;
    await home.spawn(["profile", "add", "x", "--db", "/x"], { env: { NODE_OPTIONS } });
    expect(readdirSync(configDir(env))).toContainEqual(expect.stringContaining("config.json.tmp-"));
    await add("second");
    expect(readdirSync(configDir(env))).toEqual(["config.json"]);
  });
});

it("is in the folder that each system has for it", () => {
  expect(configDir({ WCS_CONFIG_DIR: "/own" })).toBe("/own");
  expect(configDir({ XDG_CONFIG_HOME: "/xdg" }, "linux")).toBe("/xdg/wcs");
  expect(configDir({}, "linux")).toMatch(/\/\.config\/wcs$/);
  expect(configDir({ APPDATA: "C:/Roaming" }, "win32")).toBe(join("C:/Roaming", "wcs"));
  expect(dataDir({ XDG_DATA_HOME: "/data" }, "linux")).toBe("/data/wcs");
  expect(dataDir({ LOCALAPPDATA: "C:/Local" }, "win32")).toBe(join("C:/Local", "wcs"));
});

describe("the lock", () => {
  const file = () => join(home.folder, "lock");
  const locked = { code: "unavailable" };

  it("is held by one process at a time, and no change is lost", async () => {
    let inside = 0;
    let max = 0;
    await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        withLock(file(), 60_000, async () => {
          inside += 1;
          max = Math.max(max, inside);
          // Gives the others, which try every few milliseconds, time to take the lock.
          await new Promise((resolve) => setTimeout(resolve, number % 3));
          inside -= 1;
        }),
      ),
    );
    expect(max).toBe(1);
    await Promise.all(Array.from({ length: 20 }, (_, number) => add(`profile-${number}`)));
    expect(Object.keys(readConfig(env).profiles)).toHaveLength(20);
  });

  it("is not waited for longer than the given time", async () => {
    await withLock(file(), 1000, async () => {
      await expect(withLock(file(), 50, async () => {})).rejects.toMatchObject(locked);
    });
    expect(existsSync(file())).toBe(false);
  });

  it("is released when the work fails", async () => {
    await expect(withLock(file(), 50, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await withLock(file(), 50, async () => "in")).toBe("in");
  });

  it("of a dead process is taken over by one of many", async () => {
    const child = fork("-e", [], { execArgv: ["-e", "0"], stdio: "ignore" });
    await new Promise((resolve) => child.on("exit", resolve));
    writeFileSync(file(), `${child.pid} ${hostname()} x`);
    let inside = 0;
    let max = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        withLock(file(), 60_000, async () => {
          inside += 1;
          max = Math.max(max, inside);
          // Gives the others time to take the lock.
          await new Promise((resolve) => setTimeout(resolve, 2));
          inside -= 1;
        }),
      ),
    );
    expect(max).toBe(1);
  });

  it.each([
    ["is too old", -11],
    ["has a time in the future", 11],
  ])("that %s is taken over, and its owner notices it", async (_, difference) => {
    await withLock(file(), 100, async (held) => {
      expect(held()).toBe(true);
      const time = Date.now() / 1000 + difference;
      utimesSync(file(), time, time);
      await withLock(file(), 60_000, async (heldByOther) => {
        expect([held(), heldByOther()]).toEqual([false, true]);
      });
      expect(existsSync(file())).toBe(false);
    });
  });

  it("without an owner, because its process was killed before it wrote one, is taken over soon", async () => {
    writeFileSync(file(), "");
    const time = Date.now() / 1000 - 1;
    utimesSync(file(), time, time);
    expect(await withLock(file(), 50, async () => "in")).toBe("in");
  });

  it("that was taken over is not released by its former owner", async () => {
    const { promise: inside, resolve: enter } = Promise.withResolvers<void>();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let second: Promise<boolean> | undefined;
    await withLock(file(), 100, async () => {
      const old = Date.now() / 1000 - 11;
      utimesSync(file(), old, old);
      second = withLock(file(), 60_000, async (held) => {
        enter();
        await over;
        return held();
      });
      await inside;
    });
    expect(existsSync(file())).toBe(true);
    end();
    expect(await second).toBe(true);
    expect(existsSync(file())).toBe(false);
  });

  it("that another process has just taken over is not broken again", async () => {
    const child = fork("-e", [], { execArgv: ["-e", "0"], stdio: "ignore" });
    await new Promise((resolve) => child.on("exit", resolve));
    writeFileSync(file(), `${child.pid} ${hostname()} dead`);
    const other = `${process.pid} ${hostname()} other`;
    const { linkSync } = fs;
    fs.linkSync = (from, to) => {
      linkSync(from, to);
      // Between the check of the lock and the right to break it.
      if (String(to).endsWith(".stale")) writeFileSync(file(), other);
    };
    syncBuiltinESMExports();
    try {
      await expect(withLock(file(), 100, async () => {})).rejects.toMatchObject(locked);
    } finally {
      fs.linkSync = linkSync;
      syncBuiltinESMExports();
    }
    expect(readFileSync(file(), "utf8")).toBe(other);
  });

  it("works on a file system without links", async () => {
    const { linkSync } = fs;
    fs.linkSync = () => {
      throw Object.assign(new Error("no links"), { code: "EPERM" });
    };
    syncBuiltinESMExports();
    try {
      await withLock(file(), 100, async (held) => {
        expect(held()).toBe(true);
        expect(statSync(file()).mode & 0o777).toBe(0o600);
        await expect(withLock(file(), 50, async () => {})).rejects.toMatchObject(locked);
      });
    } finally {
      fs.linkSync = linkSync;
      syncBuiltinESMExports();
    }
    expect(existsSync(file())).toBe(false);
  });

  it("of the configuration that was lost to another process prevents saving", async () => {
    await withConfigLock(env, 100, async (save) => {
      const old = Date.now() / 1000 - 11;
      utimesSync(`${configFile(env)}.lock`, old, old);
      await add("by the other");
      await expect(save({ profiles: {} })).rejects.toThrow("took over");
    });
    expect(Object.keys(readConfig(env).profiles)).toEqual(["by the other"]);
  });

  it("of another machine is as old as the clock of its folder says, whatever the clock of this machine says", async () => {
    writeFileSync(file(), "1 elsewhere x");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await expect(withLock(file(), 50, async () => {})).rejects.toMatchObject(locked);
    expect(readFileSync(file(), "utf8")).toBe("1 elsewhere x");
  });

  it("of another machine is respected until it is too old", async () => {
    writeFileSync(file(), "1 elsewhere x");
    await expect(withLock(file(), 50, async () => {})).rejects.toMatchObject({
      ...locked,
      message: `Another process has the lock ${file()}.`,
      hint: "Try again. If no other wcs command is running, delete that file.",
    });
  });
});
