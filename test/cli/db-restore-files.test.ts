import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { latestMigration } from "../../src/store/latest-migration.ts";
import { asNobody } from "../store/support.ts";
import { useHome } from "./support.ts";

const mebibyte = 1_048_576;
const home = useHome();

let folder: string;
let database: string;
let backup: string;
let number = 0;

beforeEach(async () => {
  folder = home().path(`files-${++number}`);
  mkdirSync(folder);
  database = `${folder}/wcs.db`;
  backup = `${folder}/backup.db`;
  await done("backup", database);
});

/** Runs a command on the database of the home. */
async function done(...line: string[]): Promise<void> {
  const { code, stderr } = await home().wcs(["db", ...line]);
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
}

const restore = (...line: string[]) => home().wcs(["db", "restore", ...line, "--db", database]);
const hashOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

function change(path: string, sql: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(sql);
  connection.close();
}

function flipBit(path: string, offset: number): void {
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, offset);
  writeSync(file, Buffer.from([byte[0]! ^ 1]), 0, 1, offset); // One byte was read.
  closeSync(file);
}

it("db restore refuses a large backup with a changed bit, wherever it is, and says how to keep a change on purpose", async () => {
  change(
    database,
    `insert into webhook_logs
      (webhook_id, event_id, message_id, event, uri, status, attempt, duration_ms, created_at, request_headers)
      values (1, 1, '', '', '', '', 1, 1, 1, hex(zeroblob(${2 * mebibyte})))`,
  );
  await done("backup", backup, "--db", database);
  // The checksum is in the bytes 60 to 63, and the file is read in portions of a mebibyte.
  for (const offset of [mebibyte + 60, 2 * mebibyte + 63, 3 * mebibyte]) {
    flipBit(backup, offset);
    const { code, stderr } = await restore(backup, "-n");
    expect([offset, code, stderr]).toEqual([offset, 7, expect.stringContaining("does not match its checksum")]);
    expect(stderr).toContain(`wcs db backup --db '${backup}' FILE`);
    flipBit(backup, offset);
  }
  expect((await restore(backup, "-n")).code).toBe(0);
});

it("db restore says to update when the backup is of a newer version", async () => {
  copyFileSync(database, backup);
  change(backup, `pragma user_version = 0; insert into kysely_migration values ('${latestMigration}-next', '2099')`);
  const { code, stderr } = await restore(backup, "-n");
  expect([code, stderr]).toEqual([7, expect.stringMatching(/newer version.*\nhint: Update wcs/is)]);
});

it.each(["instance", "kysely_migration"])(
  "db restore refuses a database of wcs without its table %s",
  async (table) => {
    copyFileSync(database, backup);
    change(backup, `pragma user_version = 0; drop table ${table}`);
    const { code, stderr } = await restore(backup, "-n");
    expect([code, stderr]).toEqual([7, `error: ${backup} contains no wcs instance; nothing was restored.\n`]);
  },
);

it("db restore leaves the bytes of a source with a log as they are", async () => {
  const parts = ["", "-wal"].map((suffix) => `${folder}/source.db${suffix}`);
  const writer = new DatabaseSync(database);
  writer.exec("pragma user_version = 0; pragma journal_mode = wal; pragma wal_autocheckpoint = 0");
  writer.exec("update units set name = 'Only in the log'");
  for (const suffix of ["", "-wal"]) copyFileSync(`${database}${suffix}`, `${folder}/source.db${suffix}`);
  writer.close();
  const before = parts.map(hashOf);
  for (const flag of ["-n", "--yes"]) expect((await restore(`${folder}/source.db`, flag)).code).toBe(0);
  expect(parts.map(hashOf)).toEqual(before);
});

it.each<[string, () => void]>([
  ["a text", () => writeFileSync(database, "notes\n")],
  ["a text with the mark of wcs", () => writeFileSync(database, `${"x".repeat(68)}wcs1${"x".repeat(5000)}`)],
  ["a damaged SQLite file", () => writeFileSync(database, `SQLite format 3\0${"x".repeat(5000)}`)],
  ["the SQLite file of another program", () => change(database, "pragma application_id = 7")],
])("db restore does not replace %s, and its dry run says so, too", async (_, spoil) => {
  await done("backup", backup);
  spoil();
  const before = hashOf(database);
  for (const flag of ["-n", "--yes"]) {
    const { code, stderr } = await restore(backup, flag);
    expect([flag, code, stderr]).toEqual([flag, 7, `error: ${database} is not a wcs database; it was not changed.\n`]);
  }
  expect(hashOf(database)).toBe(before);
});

it("db restore does not replace a pipe or a device", async () => {
  await done("backup", backup);
  const pipe = `${folder}/pipe`;
  execFileSync("mkfifo", [pipe]);
  for (const flag of ["-n", "--yes"]) {
    const { code, stderr } = await home().sit(["db", "restore", backup, "--db", pipe, flag]);
    expect([code, stderr]).toEqual([7, `error: ${pipe} is not a wcs database; it was not changed.\n`]);
  }
  expect(statSync(pipe).isFIFO()).toBe(true);
});

it("db restore names a link to a file that does not exist, also in a dry run", async () => {
  await done("backup", backup);
  const link = `${folder}/link.db`;
  symlinkSync("target.db", link);
  for (const flag of ["-n", "--yes"]) {
    const { code, stderr } = await home().wcs(["db", "restore", backup, "--db", link, flag]);
    expect([flag, code, stderr]).toEqual([flag, 8, expect.stringContaining("is a link to a file that does not exist")]);
  }
});

it("db restore keeps each old database under a name of its own, also within one second", async () => {
  const clock = vi.spyOn(Date.prototype, "toISOString").mockReturnValue("2030-01-02T03:04:05.678Z");
  onTestFinished(() => clock.mockRestore());
  await done("backup", backup);
  const name = `${database}.20300102T030405Z`;
  // The log of a database that is gone would be taken for the log of another one.
  writeFileSync(`${name}-2-wal`, "log");
  for (const previous of [name, `${name}-3`, `${name}-4`]) {
    // In this process, whose clock is set; of the others, some run in a process of their own in the longer form.
    const { code, stdout } = await home().sit(["db", "restore", backup, "--db", database, "--yes", "--json"]);
    expect([code, JSON.parse(stdout || "{}").previous]).toEqual([0, previous]);
  }
});

it("db backup and db restore name a folder or a file that the user may not look into", async () => {
  const closed = `${folder}/closed`;
  mkdirSync(closed);
  chmodSync(home().folder, 0o755);
  if (process.geteuid?.() === 0) for (const path of [folder, database]) chownSync(path, 65_534, 65_534);
  chmodSync(closed, 0o000);
  onTestFinished(() => chmodSync(closed, 0o700));
  const run = (...line: string[]) => asNobody(() => home().sit(["db", ...line]));
  expect(await run("backup", `${closed}/wcs.db`, "--db", database)).toMatchObject({
    code: 2,
    stderr: `error: Cannot write ${closed}/wcs.db: no permission.\n`,
  });
  expect(await run("restore", database, "--db", `${closed}/wcs.db`)).toMatchObject({
    code: 8,
    stderr: `error: ${closed}/wcs.db cannot be opened (EACCES).\nhint: Run the command as a user who has access to it and to its folder.\n`,
  });
  const hidden = `${folder}/hidden.db`;
  writeFileSync(hidden, "x", { mode: 0o000 });
  expect(await run("restore", database, "--db", hidden)).toMatchObject({
    code: 8,
    stderr: expect.stringContaining(`${hidden} cannot be opened`),
  });
});

it.each([
  ["below a file", "file/wcs.db", /A part of (its|the) path is a file, not a folder/i],
  ["with a long name", "a".repeat(300), /a name in (its|the) path is too long for the file system/i],
  ["through a link that leads to itself", "loop/wcs.db", /a link in (its|the) path leads back to itself/i],
])("a path %s is named, with the reason", async (_, name, reason) => {
  const path = `${folder}/${name}`;
  writeFileSync(`${folder}/file`, "");
  symlinkSync("loop", `${folder}/loop`);
  const administrator = ["--admin-email", "a@example.com", "--admin-name", "Ann Lee", "--no-profile"];
  const lines = [
    ["init", "--db", path, ...administrator],
    ["init", "--db", path, ...administrator, "--dry-run"],
    ["db", "backup", path],
    ["db", "restore", database, "--db", path],
    ["db", "copy", "--to", path],
    ["users", "export", path],
    ["users", "export-data", "1", "--to", path],
  ];
  for (const line of lines) {
    const { code, stderr } = await home().wcs(line);
    expect({ line, code: [2, 8].includes(code ?? 0), stderr }).toEqual({
      line,
      code: true,
      stderr: expect.stringMatching(reason),
    });
    expect(stderr).toContain(path);
  }
});

it("restore and check warn when the secrets cannot be read with the key of the environment", async () => {
  const [made, kept] = [`${folder}/made.db`, `${folder}/kept.db`];
  const run = async (line: string[], key?: string) => {
    const { code, stdout, stderr } = await home().wcs(line, { env: key === undefined ? {} : { WCS_SECRET_KEY: key } });
    expect(code, stderr).toBe(0);
    return { stdout, stderr };
  };
  const [key, other] = ["ab".repeat(32), "cd".repeat(32)];
  const admin = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace", "--no-profile"];
  await run(["init", "--db", made, ...admin], key);
  await run(["db", "backup", kept, "--db", made]);
  const warning = "The secrets of the database are encrypted with another key. Set WCS_SECRET_KEY";
  for (const more of [["--dry-run"], ["--yes"]]) {
    const restoring = ["db", "restore", kept, "--db", made, ...more];
    expect((await run(restoring, other)).stderr).toContain(`Warning: ${warning}`);
    expect((await run(restoring)).stderr).toContain("no key is set. Set WCS_SECRET_KEY");
    expect((await run(restoring, key)).stderr).not.toContain("Warning");
  }
  const checking = ["db", "check", "--db", made];
  expect((await run(checking, other)).stdout).toContain(`secret key\twarning\t${warning}`);
  expect((await run(checking, key)).stdout).toContain("secret key\tok\tThe secrets are encrypted with the key");
});
