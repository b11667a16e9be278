import { createHash, randomInt } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { kills } from "../faults/counts.ts";
import { startChild } from "../support/child.ts";
import { isFull } from "../support/effort.ts";
import { finished, newHome, type Result, start } from "./support.ts";

const home = newHome();
afterAll(() => rmSync(home.folder, { recursive: true, force: true }));

let folder: string;
let database: string;
let backup: string;
let number = 0;

beforeEach(async () => {
  folder = home.path(`case-${++number}`);
  mkdirSync(folder);
  database = `${folder}/wcs.db`;
  backup = `${folder}/backup.db`;
  await make();
});

const db = (...line: string[]): Promise<Result> => home.wcs(["db", ...line, "--db", database]);
/** As `db`, in a process of its own: for tests of what several processes do to one file. */
const spawnDb = (...line: string[]): Promise<Result> => home.spawn(["db", ...line, "--db", database]);
const done = async (result: Promise<Result>): Promise<string> => {
  const { code, stdout, stderr } = await result;
  if (code !== 0) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return stdout;
};
const json = async (result: Promise<Result>) => JSON.parse(await done(result));
/** Makes a database as wcs init does: the first time by the command, then by copying what it made. */
const make = async (at = database) => {
  const first = home.path("first.db");
  const line = ["init", "--db", first, "--admin-email", "a@example.com", "--admin-name", "Ada A", "--no-profile"];
  if (!existsSync(first)) await done(home.wcs(line));
  copyFileSync(first, at);
};
const addUnit = (name: string, run = home.wcs) =>
  done(run(["units", "create", "--name", name, "--parent", "1", "--db", database]));

function connected<T>(path: string, work: (connection: DatabaseSync) => T): T {
  const connection = new DatabaseSync(path);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

const unitsIn = (path: string) =>
  connected(path, (connection) =>
    connection
      .prepare("select name from units where parent_id = 1 order by id")
      .all()
      .map((row) => String(row.name)),
  );
const journalOf = (path: string) =>
  connected(path, (connection) => connection.prepare("pragma journal_mode").get()?.journal_mode);
const isWhole = (path: string) =>
  connected(path, (connection) => connection.prepare("pragma integrity_check").get()?.integrity_check === "ok");
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const hash = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
/** Returns the other files beside the database and its backup: drafts, logs, old databases. */
const others = () => readdirSync(folder).filter((name) => !["wcs.db", "backup.db"].includes(name));

/**
 * Runs a command that begins with a draft beside the database, and sends it a signal so many milliseconds after that.
 * `took` is the time from the draft to the end.
 */
async function signalAtWork(line: readonly string[], signal: NodeJS.Signals | 0, wait = 0) {
  const child = start(["db", ...line, "--db", database], home.env);
  const ended = finished(child);
  while (!others().some((name) => name.includes(`${child.pid}`)) && child.exitCode === null) await sleep(1);
  const seen = performance.now();
  await sleep(wait);
  child.kill(signal);
  return { ...(await ended), took: performance.now() - seen };
}

/** Fills it, so that work on all of it takes a moment. */
const fatten = (path: string, mebibytes: number) =>
  connected(path, (connection) =>
    connection.exec(
      `insert into webhook_logs (webhook_id, event_id, message_id, event, uri, status, attempt, duration_ms, created_at, request_headers)
       with recursive n(n) as (select 1 union all select n + 1 from n where n < ${mebibytes * 100})
       select 1, 1, '', '', '', '', 1, 1, 1, hex(randomblob(5000)) from n`,
    ),
  );

const writeAt = (path: string, offset: number, bytes: Uint8Array) => {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
};

describe("db backup", () => {
  it("db backup makes a complete database that only the owner can read, and prints its size and hash", async () => {
    await addUnit("One");
    const made = await json(spawnDb("backup", backup, "--json"));
    expect(made).toEqual({ file: backup, size_bytes: statSync(backup).size, sha256: hash(backup) });
    expect(mode(backup)).toBe("600");
    expect(others()).toEqual([]);
    expect(isWhole(backup)).toBe(true);
    // Looking into it changes nothing.
    expect(hash(backup)).toBe(made.sha256);
    expect(unitsIn(backup)).toEqual(["One"]);
  });

  it("db backup replaces an existing file only with --force", async () => {
    writeFileSync(backup, "mine");
    const refused = await db("backup", backup);
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      7,
      "",
      `error: ${backup} already exists.\nhint: Pass --force to replace it.\n`,
    ]);
    expect(readFileSync(backup, "utf8")).toBe("mine");
    await done(db("backup", backup, "--force"));
    expect(isWhole(backup)).toBe(true);
    expect(others()).toEqual([]);
  });

  it("db backup refuses the database itself, a place beside the log of another database, and one that cannot be written", async () => {
    symlinkSync(database, backup);
    expect((await db("backup", backup, "--force")).code).toBe(2);
    rmSync(backup);
    writeFileSync(`${backup}-wal`, "left");
    expect((await db("backup", backup)).code).toBe(7);
    expect((await db("backup", `${folder}/none/backup.db`)).stderr).toMatch(
      /Cannot write .*none\/backup.db: its folder does not exist/,
    );
    expect((await db("backup", folder)).code).toBe(2);
    expect(others()).toEqual(["backup.db-wal"]);
  });

  it("db backup refuses a damaged database", async () => {
    const page = connected(database, (connection) =>
      Number(connection.prepare("select rootpage as page from sqlite_master where name = 'webhook_logs'").get()?.page),
    );
    writeAt(database, (page - 1) * 4096, Buffer.alloc(100, 7));
    const { code, stderr } = await db("backup", backup);
    expect([code, stderr]).toEqual([
      7,
      expect.stringMatching(
        /The database is damaged, so no backup was made: .+\nhint: Restore an older backup with wcs db restore/s,
      ),
    ]);
    expect([existsSync(backup), others()]).toEqual([false, []]);
  });

  it("db backup refuses a missing or empty database, and does not change it", async () => {
    truncateSync(database, 0);
    expect(await db("backup", backup)).toMatchObject({ code: 6, stderr: expect.stringContaining("is empty") });
    expect(statSync(database).size).toBe(0);
    rmSync(database);
    expect(await db("backup", backup)).toMatchObject({ code: 6, stderr: expect.stringContaining("no database at") });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    "drop table instance",
    "delete from instance",
    "drop table kysely_migration",
    "delete from kysely_migration",
  ])("db backup refuses a database without an instance: after %s", async (text) => {
    connected(database, (connection) => connection.exec(text));
    for (const more of [[], ["-n"]]) {
      const stderr = expect.stringMatching(
        /wcs\.db contains no wcs instance, so no backup was made\.\nhint: Check the path of the database, or restore/,
      );
      expect(await db("backup", backup, ...more)).toMatchObject({ code: 6, stdout: "", stderr });
    }
    expect([existsSync(backup), others()]).toEqual([false, []]);
  });

  it("db backup of PostgreSQL exits with 2, names pg_dump and does not repeat the URL", async () => {
    for (const verb of ["backup", "restore"]) {
      const { code, stderr } = await home.wcs(["db", verb, backup], {
        env: { WCS_DB: "postgres://ann:secret@127.0.0.1:1/wcs" },
      });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/hint: Use pg_(dump|restore)/)]);
      expect(stderr).not.toMatch(/ann|secret/);
    }
  });

  it("db backup while another process writes has a consistent prefix of its changes", async () => {
    const writer = startChild("faults/counting-writer.ts", [database]);
    onTestFinished(() => writer.kill());
    while (Number(writer.lines.at(-1) ?? 0) < 100) await writer.next();
    for (let turn = 0; turn < (isFull ? 5 : 2); turn++) {
      const before = Number(writer.lines.at(-1));
      await done(db("backup", backup, "--force"));
      await done(home.wcs(["db", "restore", backup, "--yes", "--db", `${folder}/copy-${turn}.db`]));
      const names = unitsIn(`${folder}/copy-${turn}.db`);
      expect(names).toEqual(names.map((_, at) => String(at + 1)));
      expect(names.length).toBeGreaterThanOrEqual(before);
      // The writer goes on.
      while (Number(writer.lines.at(-1)) <= names.length) await writer.next();
      expect(isWhole(`${folder}/copy-${turn}.db`)).toBe(true);
    }
  });

  it("db backup leaves nothing after Ctrl-C, and nothing that passes for a backup after a power cut", async () => {
    fatten(database, 20);
    const line = ["backup", backup];
    let interrupted = await signalAtWork(line, "SIGINT");
    // On a busy machine it may have ended before it was seen at work.
    for (; interrupted.code === 0; interrupted = await signalAtWork(line, "SIGINT")) rmSync(backup);
    expect(interrupted).toMatchObject({ code: 130, stdout: "", stderr: "" });
    expect(readdirSync(folder)).toEqual(["wcs.db"]);

    let { took: shortest } = await signalAtWork(line, 0);
    rmSync(backup);
    for (let begun = 0; begun < kills; ) {
      const { code, took } = await signalAtWork(line, "SIGKILL", shortest * Math.random());
      if (code === 0) shortest = Math.min(shortest, took);
      if (existsSync(backup)) {
        expect((await home.wcs(["db", "restore", backup, "-n", "--db", `${folder}/new.db`])).code).toBe(0);
        rmSync(backup);
      } else begun++;
    }
    expect(isWhole(database)).toBe(true);
  });
});

describe("db restore", () => {
  const prepared = home.path("prepared");

  /** The commands make the database and its backup once; each test begins with copies. */
  beforeEach(async () => {
    if (!existsSync(prepared)) {
      await addUnit("Before");
      await done(db("backup", backup));
      await addUnit("After");
      mkdirSync(prepared);
      for (const file of [database, backup]) copyFileSync(file, join(prepared, basename(file)));
    }
    for (const file of [database, backup]) copyFileSync(join(prepared, basename(file)), file);
  });

  it("db restore replaces the database and keeps the old one, which can be restored in turn", async () => {
    const restored = await json(spawnDb("restore", backup, "--yes", "--json"));
    const [old = ""] = others();
    expect(restored).toEqual({
      database,
      file: backup,
      schema: expect.stringMatching(/^0/),
      previous: `${folder}/${old}`,
    });
    expect(others().length).toBe(1);
    expect([unitsIn(database), unitsIn(restored.previous)]).toEqual([["Before"], ["Before", "After"]]);
    expect([mode(database), mode(restored.previous)]).toEqual(["600", "600"]);
    expect([statSync(database).nlink, statSync(restored.previous).nlink]).toEqual([1, 1]);
    expect(journalOf(database)).toBe("wal");
    expect(isWhole(database)).toBe(true);
    await addUnit("Later");
    const { previous } = await json(db("restore", restored.previous, "--yes", "--json"));
    expect(unitsIn(database)).toEqual(["Before", "After"]);
    // A database that was a backup has been changed, so its checksum no longer counts.
    await done(db("restore", previous, "--yes"));
    expect(unitsIn(database)).toEqual(["Before", "Later"]);
    await done(db("restore", restored.previous, "--yes"));
    // Now that it is a database again, it takes part as any other.
    await done(db("backup", backup, "--force"));
    await done(db("restore", backup, "--yes"));
    expect(unitsIn(database)).toEqual(["Before", "After"]);
    expect(others().length).toBe(5);
  });

  it("db restore asks first, and needs --yes without a terminal", async () => {
    const untouched = hash(database);
    const silent = await db("restore", backup);
    expect([silent.code, silent.stderr]).toEqual([2, expect.stringMatching(/hint: Pass --yes to confirm/)]);
    const refused = await home.sit(["db", "restore", backup, "--db", database], { answers: ["n"] });
    expect([refused.code, refused.stderr]).toEqual([130, expect.stringMatching(/Replace the database .*Nothing was/s)]);
    expect([hash(database), others()]).toEqual([untouched, []]);
    expect((await home.sit(["db", "restore", backup, "--db", database], { answers: ["y"] })).code).toBe(0);
    expect(unitsIn(database)).toEqual(["Before"]);
  });

  it("db restore asks nothing when there is no database yet", async () => {
    const fresh = `${folder}/deep/er/wcs.db`;
    expect((await home.wcs(["db", "restore", backup, "-n", "--db", fresh])).code).toBe(0);
    expect(existsSync(`${folder}/deep`)).toBe(false);
    expect(await json(home.wcs(["db", "restore", backup, "--db", fresh, "--json"]))).toMatchObject({ previous: null });
    expect([mode(fresh), mode(`${folder}/deep/er`), journalOf(fresh)]).toEqual(["600", "700", "wal"]);
    expect(unitsIn(fresh)).toEqual(["Before"]);
    expect(readdirSync(`${folder}/deep/er`)).toEqual(["wcs.db"]);
  });

  it("db restore --dry-run checks everything and changes nothing", async () => {
    const before = readdirSync(folder).map((name) => [name, hash(`${folder}/${name}`)]);
    const { code, stderr } = await db("restore", backup, "-n");
    expect([code, stderr]).toEqual([0, "Dry run: nothing was changed.\n"]);
    writeAt(backup, 50_000, Buffer.from("x"));
    expect((await db("restore", backup, "-n")).code).toBe(7);
    copyFileSync(database, backup);
    expect(
      readdirSync(folder).map((name) => [name, name === "backup.db" ? before[0]?.[1] : hash(`${folder}/${name}`)]),
    ).toEqual(before);
  });

  it.each<[string, RegExp, () => void]>([
    ["cut off", /damaged/, () => truncateSync(backup, 100_000)],
    ["cut off by a page", /damaged/, () => truncateSync(backup, statSync(backup).size - 4096)],
    // Behind the mark of wcs, without which it is no backup.
    ["with a bit that has changed", /damaged/, () => flip(randomInt(72, statSync(backup).size))],
    ["empty", /is empty/, () => truncateSync(backup, 0)],
    ["no database", /is not a wcs database/, () => writeFileSync(backup, "name,email\n".repeat(1000))],
    ["a database of somebody else", /is not a wcs database/, () => foreign()],
    ["of a newer wcs", /newer version/, () => newer()],
    ["without an instance", /contains no wcs instance/, () => plain("delete from instance")],
    ["damaged, without a checksum", /damaged/, () => scratched()],
  ])("db restore refuses a backup that is %s, and changes nothing", async (_, reason, spoil) => {
    spoil();
    const before = [hash(database), hash(backup)];
    for (const flag of ["--yes", "-n"]) {
      const { code, stdout, stderr } = await home.wcs(["db", "restore", backup, flag, "--db", database]);
      expect([code, stdout, stderr]).toEqual([7, "", expect.stringMatching(reason)]);
      expect(stderr).toMatch(/nothing was restored/);
    }
    expect([hash(database), hash(backup)]).toEqual(before);
    expect(others()).toEqual([]);
  });

  const flip = (offset: number) => {
    const byte = readFileSync(backup)[offset]!;
    writeAt(backup, offset, Buffer.from([byte ^ (1 << (offset % 8))]));
  };
  const foreign = () => {
    rmSync(backup);
    connected(backup, (connection) => connection.exec("create table theirs (id integer)"));
  };
  /** A copy of the database that is no backup, changed. */
  const plain = (text: string) => {
    copyFileSync(database, backup);
    connected(backup, (connection) => connection.exec(text));
  };
  const newer = () => plain("insert into kysely_migration values ('9999-future', '2099')");
  const scratched = () => {
    copyFileSync(database, backup);
    const page = connected(backup, (connection) =>
      Number(connection.prepare("select rootpage as page from sqlite_master where name = 'webhook_logs'").get()?.page),
    );
    writeAt(backup, (page - 1) * 4096, Buffer.alloc(100, 7));
  };

  it("db restore of a missing backup, or of a folder, exits with 2", async () => {
    for (const file of [`${folder}/none`, folder, database]) expect((await db("restore", file, "--yes")).code).toBe(2);
  });

  it("db restore does not replace a file that is no wcs database", async () => {
    for (const content of ["notes\n", `SQLite format 3\0${"x".repeat(5000)}`]) {
      writeFileSync(database, content);
      const refused = await home.wcs(["db", "restore", backup, "--yes", "--db", database]);
      expect(refused.stderr).toMatch(/is not a wcs database; it was not changed/);
      expect(readFileSync(database, "utf8")).toBe(content);
    }
    expect(others()).toEqual([]);
  });

  it("db restore exits with 8 while another process has the database open, also as a dry run", async () => {
    const server = start(["serve", "--port", "0", "--db", database], home.env);
    await new Promise((resolve) => server.stdout?.once("data", resolve));
    const refused = await Promise.all(["--yes", "-n"].map((flag) => spawnDb("restore", backup, flag)));
    for (const { code, stderr } of refused) {
      expect([code, stderr]).toEqual([8, expect.stringMatching(/in use.*\nhint: Stop wcs serve/i)]);
    }
    server.kill("SIGTERM");
    await finished(server);
    expect(unitsIn(database)).toEqual(["Before", "After"]);
    await done(db("restore", backup, "--yes"));
    expect(unitsIn(database)).toEqual(["Before"]);
  });

  it("db restore includes what is only in the -wal of its source, and does not change the source", async () => {
    const source = `${folder}/source.db`;
    connected(database, (connection) => {
      connection.exec("pragma wal_autocheckpoint = 0; update units set name = 'Only in the log' where parent_id = 1");
      for (const suffix of ["", "-wal"]) copyFileSync(`${database}${suffix}`, `${source}${suffix}`);
    });
    expect(statSync(`${source}-wal`).size).toBeGreaterThan(0);
    const fresh = `${folder}/fresh.db`;
    await done(home.wcs(["db", "restore", source, "--db", fresh]));
    expect(new Set(unitsIn(fresh))).toEqual(new Set(["Only in the log"]));
    expect(new Set(unitsIn(source))).toEqual(new Set(["Only in the log"]));
  });

  it("db restore keeps the log of a killed process with the old database, apart from the new one", async () => {
    const writer = startChild("faults/counting-writer.ts", [database]);
    while (Number(writer.lines.at(-1) ?? 0) < 20) await writer.next();
    await writer.kill();
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(0);
    const { previous } = await json(spawnDb("restore", backup, "--yes", "--json"));
    expect(unitsIn(previous).length).toBeGreaterThanOrEqual(2 + writer.lines.length);
    expect(unitsIn(database)).toEqual(["Before"]);
    expect(isWhole(previous)).toBe(true);
  });

  it.each([false, true])("a log that stands there without a database is kept, too (empty: %s)", async (empty) => {
    const writer = startChild("faults/counting-writer.ts", [database]);
    while (Number(writer.lines.at(-1) ?? 0) < 20) await writer.next();
    await writer.kill();
    const log = hash(`${database}-wal`);
    if (empty) truncateSync(database, 0);
    else rmSync(database);
    const { previous } = await json(db("restore", backup, "--yes", "--json"));
    expect(hash(`${previous}-wal`)).toBe(log);
    expect(unitsIn(database)).toEqual(["Before"]);
  });

  it.each<[string, () => void]>([
    ["cut off", () => truncateSync(database, 10_000)],
    ["with a damaged schema", () => writeAt(database, 100, Buffer.alloc(3000, 7))],
    ["of no length", () => truncateSync(database, 0)],
  ])("db restore replaces and keeps a database that is %s", async (_, spoil) => {
    spoil();
    const { previous } = await json(db("restore", backup, "--yes", "--json"));
    expect(existsSync(previous)).toBe(true);
    expect(unitsIn(database)).toEqual(["Before"]);
    expect(isWhole(database)).toBe(true);
  });

  it("db restore replaces the file that a symbolic link leads to", async () => {
    symlinkSync(database, `${folder}/link.db`);
    await done(home.wcs(["db", "restore", backup, "--yes", "--db", `${folder}/link.db`]));
    expect(unitsIn(database)).toEqual(["Before"]);
    expect(unitsIn(`${folder}/link.db`)).toEqual(["Before"]);
  });

  it("db restore run several times at once restores one after the other, or fails", async () => {
    const results = await Promise.all([1, 2, 3].map(() => spawnDb("restore", backup, "--yes", "--json")));
    const codes = results.map(({ code }) => code);
    expect(codes).toContain(0);
    expect(codes.filter((code) => code !== 0 && code !== 8)).toEqual([]);
    const old = results.filter(({ code }) => code === 0).map(({ stdout }) => JSON.parse(stdout).previous);
    expect(others().sort()).toEqual(old.map((path) => path.slice(folder.length + 1)).sort());
    expect(old.filter((path) => unitsIn(path).includes("After")).length).toBe(1);
    expect(unitsIn(database)).toEqual(["Before"]);
  });

  it("db restore leaves a process that opened the old database just before no way to write", async () => {
    const late = new DatabaseSync(database);
    await done(spawnDb("restore", backup, "--yes"));
    expect(() => late.exec("update units set name = 'Late'")).toThrow(/readonly/);
    expect(() => late.exec("pragma journal_mode = wal")).toThrow(/readonly/);
    late.close();
    expect(unitsIn(database)).toEqual(["Before"]);
  });

  it("db restore leaves the complete old or new database after a power cut", async () => {
    fatten(database, 10);
    fatten(backup, 20);
    connected(backup, (connection) => connection.exec("pragma user_version = 0"));
    const original = home.path("original.db");
    copyFileSync(database, original);
    const line = ["restore", backup, "--yes"];
    let { took: shortest } = await signalAtWork(line, 0);
    let before = 0;
    for (let round = 0; round < kills || before === 0; round++) {
      if (!unitsIn(database).includes("After")) {
        for (const name of others()) rmSync(`${folder}/${name}`);
        copyFileSync(original, database);
      }
      const { code, took } = await signalAtWork(line, "SIGKILL", shortest * Math.random());
      if (code === 0) shortest = Math.min(shortest, took);
      const names = unitsIn(database);
      const old = others().filter((name) => /^wcs\.db\.\d+T\d+Z(-\d+)?$/.test(name));
      if (names.includes("After")) before++;
      else {
        expect(names).toEqual(["Before"]);
        expect(old.some((name) => unitsIn(`${folder}/${name}`).includes("After"))).toBe(true);
      }
      expect(isWhole(database)).toBe(true);
      // Every command sets the journal mode that a restore was about to set.
      await done(db("check"));
      expect(journalOf(database)).toBe("wal");
      for (const name of others().filter((each) => each.endsWith(".tmp"))) rmSync(`${folder}/${name}`);
    }
  });

  it("a database that a killed restore left in another journal mode takes changes, and can be restored", async () => {
    connected(database, (connection) => connection.exec("pragma journal_mode = delete"));
    await Promise.all(Array.from({ length: 6 }, (_, at) => addUnit(`Again ${at}`, home.spawn)));
    expect(journalOf(database)).toBe("wal");
    expect(unitsIn(database).length).toBe(8);
    await done(db("restore", backup, "--yes"));
    expect(unitsIn(database)).toEqual(["Before"]);
  });
});
