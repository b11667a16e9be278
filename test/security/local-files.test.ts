import { execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bin, finished, type Home, newHome, type Result, useHome } from "../cli/support.ts";
import { startChild } from "../support/child.ts";

describe("the lock of the configuration", () => {
  const newLock = () => {
    const folder = mkdtempSync(join(tmpdir(), "wcs-lock-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "number"), "0");
    return { folder, lock: join(folder, "lock"), number: join(folder, "number") };
  };

  /** Several processes take the lock, each within 5 seconds: half of the time after which a lock is taken over. */
  async function countTo(max: number, { folder, lock, number }: ReturnType<typeof newLock>) {
    const children = Array.from({ length: max }, () => startChild("security/lock-user.ts", ["count", lock, number]));
    await Promise.all(
      children.map(async (child) => expect(await Promise.all([child.next(), child.next()])).toEqual(["held", "done"])),
    );
    expect(readFileSync(number, "utf8")).toBe(String(max));
    expect(readdirSync(folder)).toEqual(["number"]);
  }

  it("Concurrent processes do not lose each other's changes", async () => {
    await countTo(6, newLock());
  });

  it("A process that is killed while it holds the lock does not block others", async () => {
    const place = newLock();
    const owner = startChild("security/lock-user.ts", ["hold", place.lock]);
    await owner.next();
    expect(readFileSync(place.lock, "utf8")).toMatch(new RegExp(`^${owner.process.pid} `));
    expect(statSync(place.lock).mode & 0o777).toBe(0o600);
    await owner.kill();
    await countTo(4, place);
  });

  it("An empty lock, as a full disk leaves it, does not block others", async () => {
    const place = newLock();
    writeFileSync(place.lock, "");
    writeFileSync(`${place.lock}.stale`, "");
    await countTo(4, place);
  });
});

/** Exists on Linux; every write to it fails as on a full disk. */
const hasFullDevice = existsSync("/dev/full");
const full = "error: The disk is full.\nhint: Free some space, then run the command again.\n";

describe("a full disk", () => {
  const home = useHome();
  const rows = "first_name,last_name,email,unit\nBo,Berg,bo@example.com,SALES\n";

  it.runIf(hasFullDevice).each([
    ["results of an import", ["users", "import", "ROWS", "--results", "/dev/full", "--dry-run"]],
    ["an export of rows", ["users", "export", "/dev/full"]],
    ["an organisation", ["export", "/dev/full"]],
  ])("%s: exit 1, with a hint", async (_, args) => {
    const file = home().path("rows.csv");
    writeFileSync(file, rows);
    const { code, stderr } = await home().wcs(args.map((arg) => (arg === "ROWS" ? file : arg)));
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(full) });
  });

  it.runIf(hasFullDevice)("in JSON it has a code, also where stdout goes to the disk", async () => {
    const line = ["-c", 'exec "$@" > /dev/full', "bash", process.execPath, bin, "users", "list", "--json"];
    const { code, stderr } = await finished(spawn("bash", line, { env: home().env, stdio: "pipe" }), "");
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "disk_full", message: "The disk is full." } });
  });

  it("while a profile is saved leaves no lock behind", async () => {
    const place = newHome();
    onTestFinished(() => rmSync(place.folder, { recursive: true, force: true }));
    const add = ["profile", "add", "here", "--db", home().path("data/wcs/wcs.db")];
    const { code, stderr } = await limited(place, add, 0);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: The file would be larger/),
    });
    expect(readdirSync(place.path("config"))).toEqual([]);
    expect(await place.wcs(add)).toMatchObject({ code: 0 });
  });

  it("under a database: exit 1, and the database stays intact", async () => {
    const file = home().path("many.csv");
    writeFileSync(file, `${rows}${many(3000)}`);
    const blocks = Math.ceil(statSync(home().path("data/wcs/wcs.db")).size / 512) + 100;
    const { code, stderr } = await limited(home(), ["users", "import", file], blocks);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The disk is full or failing|The change may or may not have been saved/),
    });
    expect((await home().wcs(["db", "check"])).code).toBe(0);
  });

  it("Too few open files: every message names the limit", async () => {
    const messages: string[] = [];
    for (let files = 20, isEnough = false; !isEnough; files += 1) {
      const { code, stderr } = await withLimit(home(), ["users", "list"], `-n ${files}`);
      isEnough = code === 0;
      // With still fewer, Node itself does not start.
      if (stderr.startsWith("error:")) messages.push(stderr);
    }
    expect(messages.filter((message) => !message.includes("ulimit -n"))).toEqual([]);
    expect(messages.length).toBeGreaterThan(0);
  });
});

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => `Given,Family,many${at}@example.com,SALES\n`).join("");

/** Runs wcs with a limit on the size of files, in blocks of 512 or 1024 bytes. */
function limited(home: Home, args: readonly string[], blocks: number): Promise<Result> {
  return withLimit(home, args, `-f ${blocks}`);
}

function withLimit(home: Home, args: readonly string[], limit: string): Promise<Result> {
  const line = ["-c", `ulimit ${limit}; exec "$@"`, "bash", process.execPath, bin, ...args];
  return finished(spawn("bash", line, { env: home.env, stdio: "pipe" }), "");
}

const disk = mkdtempSync(join(tmpdir(), "wcs-disk-"));
const mount = () => execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "none", disk], { stdio: "ignore" });
const unmount = () => execFileSync("umount", [disk], { stdio: "ignore" });

/** Returns whether this user may mount a file system. */
function mayMount(): boolean {
  try {
    mount();
    unmount();
    return true;
  } catch {
    return false;
  }
}

afterAll(() => rmSync(disk, { recursive: true, force: true }));

// Mounting needs rights that not every user has; the tests with limits above run everywhere.
describe.runIf(mayMount())("a disk of 4 MiB", () => {
  const home = newHome();
  const path = (name: string) => join(disk, name);
  const env = { WCS_CONFIG_DIR: path("config"), WCS_DB: path("wcs.db") };
  const wcs = (...args: string[]) => home.spawn(args, { env });
  beforeAll(() => void mount());
  afterAll(() => {
    unmount();
    rmSync(home.folder, { recursive: true, force: true });
  });

  function fill(): void {
    for (const block of [65_536, 4096, 1]) {
      try {
        for (;;) writeFileSync(path("filler"), Buffer.alloc(block), { flag: "a" });
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
      }
    }
  }

  it("import, backup, export and login on a full disk: exit 1, no incomplete files, and all work again when there is space", async () => {
    const file = home.path("many.csv");
    writeFileSync(file, `first_name,last_name,email,unit\n${many(5000)}`);
    const admin = ["--admin-email", "a@example.com", "--admin-name", "Ada A"];
    const made = ["init", ...admin, "--root-unit", "Acme", "--no-profile"];
    expect((await wcs(...made)).code).toBe(0);
    expect((await wcs("units", "create", "--name", "Sales", "--parent", "1", "--reference", "SALES")).code).toBe(0);
    mkdirSync(path("config"), { recursive: true });
    copyFileSync(path("wcs.db"), home.path("elsewhere.db"));
    fill();
    const tried = ["users", "import", file, "--results", path("results.csv"), "--dry-run"];
    const attempts = [
      ["users", "import", file],
      tried,
      [...tried, "--db", home.path("elsewhere.db")],
      ["db", "backup", path("backup.db")],
      ["export", path("organisation.yaml")],
      ["profile", "add", "here", "--db", path("wcs.db")],
    ];
    for (const args of attempts) {
      const { code, stderr } = await wcs(...args);
      expect({ args, code, stderr }).toMatchObject({ args, code: 1, stderr: expect.stringMatching(/disk is full/i) });
    }
    expect(readdirSync(disk).filter((name) => !/^(wcs\.db|filler|config)/.test(name))).toEqual([]);
    expect(readdirSync(path("config"))).toEqual([]);
    rmSync(path("filler"));
    expect((await wcs("db", "check")).code).toBe(0);
    expect((await wcs("db", "backup", path("backup.db"))).code).toBe(0);
    expect(existsSync(path("backup.db"))).toBe(true);
  });

  it("a disk that is mounted read-only is named as such", async () => {
    execFileSync("mount", ["-o", "remount,ro", disk], { stdio: "ignore" });
    onTestFinished(() => void execFileSync("mount", ["-o", "remount,rw", disk], { stdio: "ignore" }));
    expect(await wcs("units", "list")).toMatchObject({
      code: 8,
      stderr: `error: ${path("wcs.db")} cannot be opened; its disk is mounted read-only.\n`,
    });
    const checked = await wcs("serve", "--check", "--port", "0");
    expect(checked.code).toBe(9);
    expect(checked.stdout).toContain(`This user cannot write to ${path("wcs.db")}. Its disk is mounted read-only.`);
  });

  it("a disk that is mounted read-only after a crash is named as such by changes, and reading works", async () => {
    const logs = ["wcs.db-wal", "wcs.db-shm"];
    const connection = new DatabaseSync(path("wcs.db"));
    connection.exec("update units set name = name");
    for (const log of logs) copyFileSync(path(log), home.path(log));
    connection.close();
    for (const log of logs) copyFileSync(home.path(log), path(log));
    execFileSync("mount", ["-o", "remount,ro", disk], { stdio: "ignore" });
    onTestFinished(() => void execFileSync("mount", ["-o", "remount,rw", disk], { stdio: "ignore" }));
    expect((await wcs("units", "list")).code).toBe(0);
    expect(await wcs("units", "create", "--name", "A", "--parent", "1")).toMatchObject({
      code: 8,
      stderr: `error: The database cannot be written to.\nhint: The disk of ${path("wcs.db")} is mounted read-only.\n`,
    });
  });
});
