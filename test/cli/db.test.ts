import { once } from "node:events";
import { closeSync, copyFileSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { migrations } from "../../src/store/migrations/migration-list.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { isFull } from "../support/effort.ts";
import { asArgument, newDatabase, newInstanceDatabase } from "../support/instance.ts";
import { madeUp, useNextVersion, usePresentVersion } from "../support/next-version.ts";
import { type Content, contentOf, type NewDatabase, restoreContent } from "../support/postgres-copies.ts";
import { execute } from "../support/template-databases.ts";
import { mistakes } from "./db-mistakes.ts";
import { newHome, type Result, start } from "./support.ts";

vi.mock("../../src/store/latest-migration.ts", () => import("../support/next-version.ts"));

const home = newHome();
afterAll(() => rmSync(home.folder, { recursive: true, force: true }));

const newest = Object.keys(migrations).at(-1)!;
const administrator = ["--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace", "--no-profile"];
let database: string;
let number = 0;

beforeEach(() => {
  database = home.path(`${++number}.db`);
});

const wcs = (...line: string[]): Promise<Result> => home.wcs(line);
const db = (...line: string[]): Promise<Result> => home.wcs(["db", ...line, "--db", database]);
const done = async (result: Promise<Result>): Promise<string> => {
  const { code, stdout, stderr } = await result;
  if (code !== 0) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return stdout;
};
const json = async (result: Promise<Result>) => JSON.parse(await done(result));
const make = () => done(wcs("init", "--db", database, ...administrator));

it("db migrate is refused while a server runs, and db restore returns to the older version", async () => {
  await make();
  onTestFinished(usePresentVersion);
  const server = start(["serve", "--db", database, "--port", "0", "--log-level", "silent"], home.env);
  onTestFinished(() => void server.kill("SIGKILL"));
  const [line] = (await once(server.stdout!, "data")) as [Buffer];
  const backup = `${database}.backup`;
  await done(db("backup", backup));

  useNextVersion((tx) => sql`create table made_up (id integer)`.execute(tx).then(() => {}));
  // In this process, which has become the next version.
  const next = (...args: string[]) => home.sit([...args, "--db", database]);
  const inUse = {
    code: 8,
    stderr: expect.stringMatching(/another process uses it\.\nhint: Stop wcs serve on every machine, make a backup/),
  };
  // At the same time, because each waits some seconds for the other process.
  const refusals = await Promise.all([next("db", "migrate"), next("users", "list")]);
  for (const refusal of refusals) expect(refusal).toMatchObject(inUse);
  expect((await fetch(`${String(line).trim()}/readyz`)).status).toBe(200);
  server.kill("SIGKILL");
  await once(server, "close");
  expect((await next("db", "migrate")).code).toBe(0);

  usePresentVersion();
  const refused = { code: 7, stderr: expect.stringContaining("belongs to a newer version of wcs") };
  for (const args of [["users", "list"], ["serve"]]) expect(await next(...args)).toMatchObject(refused);
  expect(await next("serve", "--check", "--port", "0")).toMatchObject({ code: 9 });
  expect((await next("db", "restore", backup, "--yes")).code).toBe(0);
  expect(await next("users", "list")).toMatchObject({ code: 0, stdout: expect.stringContaining("ada@example.com") });
});

for (const kind of ["sqlite", "postgres"] as const) {
  describe(`db commands on ${kind}`, () => {
    beforeEach(async () => {
      const made = await newInstanceDatabase(kind);
      const argument = asArgument(made.target);
      database = argument.target;
      // For wcs as a process, and in this one.
      Object.assign(home.env, argument.env);
      Object.assign(process.env, argument.env);
      onTestFinished(made.remove);
    });

    it("db info shows the kind, schema and counts, without the key", async () => {
      const info = await json(db("info", "--json"));
      expect(info).toEqual({
        kind: kind === "sqlite" ? "sqlite" : "postgresql",
        version: expect.stringMatching(/^\d+\.\d+/),
        schema: newest,
        latest: newest,
        size_bytes: expect.any(Number),
        instance: expect.stringMatching(/^wcs:/),
        created_at: expect.any(Number),
        counts: {
          users: 1,
          units: 1,
          posts: 0,
          events: 0,
          conversations: 0,
          messages: 0,
          webhooks: 0,
          waiting_callbacks: 0,
          waiting_mails: 0,
        },
      });
      expect(info.size_bytes).toBeGreaterThan(100_000);
    });

    it("db info and check of an older database change nothing; db migrate brings it up to date, once", async () => {
      onTestFinished(usePresentVersion);
      useNextVersion((tx) => sql`create table made_up (id integer)`.execute(tx).then(() => {}));
      // In this process, which has become the next version.
      const db = (...line: string[]) => home.sit(["db", ...line, "--db", database]);
      const schema = async () => JSON.parse((await db("info", "--json")).stdout).schema;
      const looked = await db("info", "--json");
      expect(JSON.parse(looked.stdout)).toMatchObject({ schema: newest, latest: madeUp, counts: null });
      expect(looked.stderr).toMatch(/older .* wcs db migrate/);
      const checked = await db("check", "--query", "[?check=='schema'].state");
      expect([checked.code, checked.stdout.trim()]).toEqual([0, "warning"]);

      const rehearsed = await db("migrate", "-n", "--json");
      expect(JSON.parse(rehearsed.stdout)).toEqual([{ migration: madeUp, applied: false }]);
      expect(rehearsed.stderr).toBe("Dry run: nothing was changed.\n");
      expect(await schema()).toBe(newest);

      expect(JSON.parse((await db("migrate", "--json")).stdout)).toEqual([{ migration: madeUp, applied: true }]);
      expect(await schema()).toBe(madeUp);
      const again = await db("migrate", "--json");
      expect(again).toMatchObject({ code: 0, stdout: "[]\n", stderr: `The schema is up to date (${madeUp}).\n` });
    });

    it("db info names a newer schema, db check fails and db migrate refuses it", async () => {
      const opened = await openDatabase(database);
      await opened.write(async (tx) => sql`insert into kysely_migration values ('9999-future', '2099')`.execute(tx));
      await opened.close();
      const looked = await db("info", "--json");
      expect(JSON.parse(looked.stdout)).toMatchObject({ schema: "9999-future", counts: null });
      expect(looked.stderr).toMatch(/newer than this wcs/);
      expect((await db("check")).code).toBe(9);
      for (const flags of [[], ["-n"]]) expect((await db("migrate", ...flags)).code).toBe(7);
    });
  });
}

// The longer form has the other database.
for (const kind of isFull ? (["postgres"] as const) : (["sqlite"] as const)) {
  describe(`db check on ${kind}`, () => {
    let demo: NewDatabase;
    let content: Content;
    beforeAll(async () => {
      demo = await newDatabase(kind);
      const { target, env } = asArgument(demo.target);
      Object.assign(process.env, env);
      await done(wcs("init", "--db", target, ...administrator, "--demo"));
      if (kind === "postgres") content = await contentOf(demo.target);
    });
    afterAll(() => demo.remove());

    it("db check finds nothing wrong in an organisation", async () => {
      database = asArgument(demo.target).target;
      await done(
        wcs("posts", "create", "--content-type", "news", "--title", "New", "--visibility-all-units", "--db", database),
      );
      const rows = await json(db("check", "--json"));
      expect(rows.map((row: { state: string }) => row.state)).toEqual(rows.map(() => "ok"));
      const checks = [
        "units",
        "users",
        "groups",
        "posts",
        "events",
        "readers",
        "conversations",
        "search",
        "files",
        "search keys",
      ];
      const first = kind === "sqlite" ? ["schema", "integrity", "foreign keys", "structure"] : ["schema", "structure"];
      expect(rows.map((row: { check: string }) => row.check)).toEqual([...first, ...checks]);
    });

    it.each(mistakes)("db check finds %s", async (_, { check, make: texts, message }) => {
      if (kind === "sqlite") copyFileSync(demo.target, database);
      else {
        database = asArgument(demo.target).target;
        // Autovacuum is off here, and each check creates a schema and rolls it back.
        await execute(demo.target, "vacuum");
        expect(await restoreContent(demo.target, content)).toBe(true);
      }
      const opened = await openDatabase(database);
      for (const text of texts) await opened.write(async (tx) => sql.raw(text).execute(tx));
      await opened.close();
      const { code, stdout, stderr } = await db("check", "--json");
      const wrong = JSON.parse(stdout).filter((row: { state: string }) => row.state !== "ok");
      expect(wrong).toEqual([{ check, state: "failed", message: expect.stringMatching(message) }]);
      expect([code, stderr]).toEqual([9, expect.stringMatching(/1 check of \d+ failed\..*Restore a backup that/)]);
    });
  });
}

it("db info, check and migrate exit with 6 for a missing database, and with 7 or 9 for a file of another program", async () => {
  for (const verb of ["info", "check", "migrate"]) expect((await db(verb)).code, verb).toBe(6);
  writeFileSync(database, "name,email\n");
  expect(await Promise.all(["info", "migrate", "check"].map(async (verb) => (await db(verb)).code))).toEqual([7, 7, 9]);
});

it("db commands exit with 2 for the URL of an instance", async () => {
  for (const line of [["info"], ["check"], ["migrate"], ["backup", "x"], ["restore", "x"], ["outbox"], ["prune"]]) {
    const { code, stderr } = await wcs("db", ...line, "--url", "http://127.0.0.1:1");
    expect([line, code, stderr]).toEqual([line, 2, expect.stringMatching(/needs a database.*\nhint: Use --db/)]);
  }
});

it("db check names a trigger whose name SQLite reserves for itself", async () => {
  await make();
  const raw = new DatabaseSync(database, { defensive: false });
  raw.exec(`create trigger hidden after insert on users begin select 1; end; pragma writable_schema = on;
    update sqlite_master set name = 'sqlite_hidden', sql = replace(sql, 'hidden', 'sqlite_hidden') where name = 'hidden'`);
  raw.close();
  const { code, stdout } = await db("check");
  expect([code, stdout]).toEqual([9, expect.stringContaining("the trigger sqlite_hidden is not that of wcs.")]);
});

it("db check names a foreign or changed trigger and a foreign view; a copy is without them", async () => {
  await make();
  const raw = new DatabaseSync(database);
  raw.exec("create table notes (id integer); create index by_note on notes (id)");
  expect((await db("check")).code).toBe(0);
  raw.exec(`drop table notes; create trigger promote after insert on users begin update users set admin = 1 where id = new.id; end;
    create view people as select * from users; drop trigger users_update_version;
    create trigger users_update_version after update on users begin select 1; end`);
  raw.close();
  const { code, stdout } = await db("check", "--json");
  const [wrong] = JSON.parse(stdout).filter(({ state }: { state: string }) => state !== "ok");
  expect([code, wrong.check, wrong.message.split("; ").sort()]).toEqual([
    9,
    "structure",
    [
      "the trigger promote is not that of wcs",
      "the trigger users_update_version is not that of wcs",
      "the view people is not that of wcs.",
    ].sort(),
  ]);
  const copied = `${database}.without`;
  await done(wcs("db", "copy", "--from", database, "--to", copied));
  expect((await wcs("db", "check", "--db", copied)).code).toBe(0);
});

it("db check names a missing index, trigger and table; a copy has the first two again", async () => {
  await make();
  const raw = new DatabaseSync(database);
  raw.exec("drop index deliveries_waiting; drop trigger users_update_version");
  const wrong = async () =>
    JSON.parse((await db("check", "--json")).stdout).filter(({ state }: { state: string }) => state !== "ok");
  const missing = "the index deliveries_waiting is missing; the trigger users_update_version is missing.";
  expect(await wrong()).toEqual([{ check: "structure", state: "failed", message: missing }]);
  const copied = `${database}.copy`;
  await done(wcs("db", "copy", "--from", database, "--to", copied));
  expect((await wcs("db", "check", "--db", copied)).code).toBe(0);
  raw.exec("drop table message_reactions");
  raw.close();
  const [found] = await wrong();
  expect(found.message).toContain("the table message_reactions is missing");
});

it("db check names tables with other columns and indexes of other columns, as in a database of an earlier schema", async () => {
  await make();
  const raw = new DatabaseSync(database);
  raw.exec(`create table notes (id integer);
    alter table webhooks add column color text; alter table mails drop column last_error;
    drop index deliveries_waiting; create index deliveries_waiting on deliveries (id)`);
  raw.close();
  const { code, stdout } = await db("check");
  expect(code).toBe(9);
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "the index deliveries_waiting is not that of wcs; the columns of the table mails are not those of wcs: last_error; the columns of the table webhooks are not those of wcs: color.",
  );
});

it("check: without a folder for temporary files", async () => {
  await make();
  const checked = await home.spawn(["db", "check", "--db", database], { env: { TMPDIR: home.path("missing") } });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
});

it("check: an instance that is missing", async () => {
  await make();
  const raw = new DatabaseSync(database);
  raw.exec("delete from instance");
  raw.close();
  const { code, stdout } = await db("check", "--json");
  expect(code).toBe(9);
  expect(JSON.parse(stdout)[0]).toMatchObject({
    check: "schema",
    state: "failed",
    message: expect.stringContaining("is missing"),
  });
});

it("db commands name a folder in place of a database", async () => {
  mkdirSync(database);
  const stderr = `error: --db: ${database} is a folder, not the file of a database.\n`;
  expect(await db("info")).toMatchObject({ code: 2, stderr });
});

it("db commands call a truncated database damaged, and name the command that restores a backup", async () => {
  await make();
  truncateSync(database, 200_000);
  const hint = "\nhint: Restore a backup with wcs db restore, which keeps the present file.\n";
  for (const verb of ["info", "migrate", "outbox"]) {
    const { code, stderr } = await db(verb);
    expect([code, stderr]).toEqual([7, `error: ${database} is damaged.${hint}`]);
  }
});

/** Overwrites the beginning of the root page of a table. */
function damage(table: string): void {
  const raw = new DatabaseSync(database);
  const { page } = raw.prepare("select rootpage as page from sqlite_master where name = ?").get(table) as {
    page: number;
  };
  raw.close();
  const file = openSync(database, "r+");
  writeSync(file, Buffer.alloc(100, 7), 0, 100, (page - 1) * 4096);
  closeSync(file);
}

it("commands call a database with a damaged table of users damaged while they look up the user to act as", async () => {
  await make();
  damage("users");
  for (const as of [[], ["--as", "1"], ["--as", "ada@example.com"]]) {
    const { code, stderr } = await wcs("units", "list", "--db", database, ...as);
    expect([code, stderr]).toEqual([8, expect.stringMatching(/^error: The database is damaged\./)]);
  }
});

it("db check finds damaged pages and broken foreign keys", async () => {
  await make();
  const raw = new DatabaseSync(database, { enableForeignKeyConstraints: false });
  raw.exec("insert into departments (unit_id, name) values (77, 'D'), (78, 'D'), (79, 'D'), (80, 'D')");
  raw.close();
  const states = async () => Object.fromEntries((await rows()).map(({ check, state }) => [check, state]));
  const rows = async (): Promise<{ check: string; state: string; message: string }[]> =>
    JSON.parse((await db("check", "--json")).stdout);
  expect(await states()).toMatchObject({ integrity: "ok", "foreign keys": "failed" });
  expect((await rows()).find(({ check }) => check === "foreign keys")?.message).toMatch(
    /^(row \d of departments refers to a missing row of units; ){3}4 in total\.$/,
  );
  damage("webhook_logs");
  expect(await states()).toMatchObject({ integrity: "failed", units: "ok" });
});
