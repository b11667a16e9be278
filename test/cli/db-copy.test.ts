import { spawn } from "node:child_process";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { files } from "../../src/contract/files.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { createService } from "../../src/core/service.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { migrations } from "../../src/store/migrations/migration-list.ts";
import { copyInstance } from "../../src/store/move/copy-instance.ts";
import { listTables, notCopied } from "../../src/store/move/table-catalogue.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { kills, timeFor } from "../faults/counts.ts";
import { password } from "../support/actors.ts";
import { bytesOf } from "../support/attachments.ts";
import { isFull } from "../support/effort.ts";
import { newEngine } from "../support/engine.ts";
import { fillScene, searched } from "../support/full-scene.ts";
import { asArgument, type DatabaseKind, newDatabase, newInstanceDatabase } from "../support/instance.ts";
import { useNextVersion, usePresentVersion } from "../support/next-version.ts";
import { type Scene, useScene } from "../support/permission-table.ts";
import type { NewDatabase } from "../support/postgres-copies.ts";
import { receiverOfTest, verify } from "../support/receiver.ts";
import { allRows, mistakes } from "../support/tables.ts";
import { execute } from "../support/template-databases.ts";
import { bin, finished, newHome, type Result, start } from "./support.ts";

vi.mock("../../src/store/latest-migration.ts", () => import("../support/next-version.ts"));

const home = newHome();
afterAll(() => rmSync(home.folder, { recursive: true, force: true }));

/** Lends a database to the test. `argument` is its URL without the password, which is in the environment. */
async function lend({ target, remove }: NewDatabase): Promise<{ argument: string; target: string }> {
  onTestFinished(remove);
  return { argument: argumentOf(target), target };
}

const emptyDatabase = async (kind: DatabaseKind) => lend(await newDatabase(kind));
const filledDatabase = async (kind: DatabaseKind) => lend(await newInstanceDatabase(kind));

/** An empty database, and the bytes that it has on the disk, also those that no other connection sees yet. */
async function measured(kind: DatabaseKind) {
  const made = await emptyDatabase(kind);
  if (kind === "sqlite") {
    const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return { ...made, size: async () => sizeOf(made.target) + sizeOf(`${made.target}-wal`) };
  }
  // A connection to the database itself would make it one that is in use.
  const server = new pg.Client(`${inject("postgresUrl")}/postgres`);
  await server.connect();
  onTestFinished(() => server.end());
  const name = new URL(made.target).pathname.slice(1);
  const query = "select pg_database_size($1) as size";
  return { ...made, size: async () => Number((await server.query(query, [name])).rows[0].size) };
}

function argumentOf(address: string): string {
  const { target, env } = asArgument(address);
  // For wcs as a process, and in this one.
  Object.assign(home.env, env);
  Object.assign(process.env, env);
  return target;
}

/** Runs in this process, since tests replace its version. */
const copy = (from: string, to: string, ...more: string[]) =>
  home.sit(["db", "copy", "--from", argumentOf(from), "--to", to, ...more]);
const done = async (result: Promise<Omit<Result, "signal">>): Promise<string> => {
  const { code, stdout, stderr } = await result;
  if (code !== 0) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return stdout;
};

/** The rows of all tables that are copied, with bytes as text. */
async function rowsOf(target: string): Promise<Record<string, unknown[]>> {
  const database = await openDatabase(target);
  const rows = await allRows(database);
  const names = (await listTables(database.reader)).map(({ name }) => name);
  await database.close();
  const plain = (_: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
  const text = (row: object) =>
    JSON.stringify(Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(key, value)])));
  return Object.fromEntries(names.sort().map((name) => [name, rows[name]!.map(text).sort()]));
}

it("both databases have the same tables and columns, and each that db copy leaves out has a reason", async () => {
  const found = [];
  for (const kind of ["sqlite", "postgres"] as const) {
    const { target } = await filledDatabase(kind);
    const database = await openDatabase(target);
    const tables = await listTables(database.reader);
    const all = Object.keys(await allRows(database));
    // FTS5 keeps its index in tables of its own.
    const rest = all.filter((name) => !tables.some((table) => table.name === name) && !/^message_words_/.test(name));
    expect(rest.sort()).toEqual(Object.keys(notCopied).sort());
    found.push(tables.map(({ name, columns }) => ({ name, columns })).sort((a, b) => (a.name < b.name ? -1 : 1)));
    await database.close();
  }
  expect(found[0]).toEqual(found[1]);
  expect(found[0]!.length).toBeGreaterThan(40);
});

const directions = [
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
] as const;

// The longer form has the other direction, too, and kills.
for (const [kind, other] of isFull ? directions : directions.slice(0, 1)) {
  describe(`db copy from ${kind} to ${other}`, () => {
    const open = useScene({ database: kind, caller: "local" });
    let scene: Scene;
    let secret: string;
    let token: string;
    let key: string;
    beforeAll(async () => {
      scene = await open();
      secret = await fillScene(scene);
      token = await scene.instance.tokenOf(scene.ids.member);
      await scene.actors.member.call(conversations.send, { id: scene.talk.group, message: searched });
      const made = await scene.actors.member.call(tokens.create, { name: "Moved", scopes: ["read"] });
      key = made.token ?? "";
      // The first 32 units are read at once; the first one comes before its parent.
      const added: number[] = [];
      for (let more = 0; more < 33; more++)
        added.push((await scene.actors.administrator.call(units.create, { name: `Unit ${more}`, parent: 1 })).id);
      await scene.actors.administrator.call(units.move, { id: added[0]!, parent: added.at(-1)! });
    });

    it("copies every row of every table, also a unit before its parent, and passwords, tokens and files work in the copy", async () => {
      const { instance, ids, talk, groups } = scene;
      const { argument, target } = await emptyDatabase(other);
      const before = await rowsOf(instance.target);
      expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
      const result = JSON.parse(await done(copy(instance.target, argument, "--json")));
      const total = Object.values(before).reduce((sum, rows) => sum + rows.length, 0);
      expect(result).toMatchObject({ to: argument, rows: total, tables: Object.keys(before).length, failed_checks: 0 });
      expect(await rowsOf(target)).toEqual(before);
      expect(await rowsOf(instance.target)).toEqual(before);
      // Also the columns of the tables, and the indexes.
      await done(home.sit(["db", "check", "--db", argument]));

      const database = await openDatabase(target);
      onTestFinished(() => database.close());
      expect(await mistakes(database)).toEqual([]);
      const service = createService({ database, clock: () => instance.now() * 1000 });
      for (const each of [token, key]) {
        expect((await service.caller({ token: each }).call(users.current, {})).id).toBe(ids.member);
      }
      const signedIn = await service
        .caller({ token: "" })
        .call(auth.authenticate, { username: "member@example.com", password });
      expect(signedIn[0].jwt).toMatch(/\./);
      const member = service.caller({ userId: ids.member });
      for (const query of ["übersicht hafen", "港湾"]) {
        const { data } = await member.call(conversations.messages, { id: talk.group, query });
        expect(data.map(({ message }) => message)).toEqual([searched]);
      }
      expect(String(await bytesOf(await member.call(files.get, { id: groups.ofMessage })))).toBe("Note");

      const receiver = await receiverOfTest();
      const administrator = service.caller({ userId: 1 });
      const hook = (await administrator.call(webhooks.list, {})).data.find(({ name }) => name === "Moved")!;
      await administrator.call(webhooks.update, { id: hook.id, uri: receiver.url, active: true });
      // The latest user type of the source was deleted; its ID is not given again.
      const types = (await administrator.call(usertypes.list, {})).data.map(({ id }) => id);
      const type = await administrator.call(usertypes.create, { name: "New" });
      expect(type.id).toBe(Math.max(...types) + 2);
      const person = { first_name: "New", last_name: "User", email: "new.user@example.com", unit: 1 };
      expect(before.users).toHaveLength((await administrator.call(users.create, person)).id - 1);
      await newEngine({ ...instance, database }).drain({ maxSeconds: 60 });
      expect(verify(secret, receiver.received.at(-1)!).type).toBe("user.create");
      await receiver.close();
    });

    it("refuses a target that is not empty, and does not change it", async () => {
      const { argument, target } = await filledDatabase(other);
      const before = await rowsOf(target);
      const { code, stderr } = await copy(scene.instance.target, argument);
      expect([code, stderr]).toEqual([7, expect.stringContaining("exists already")]);
      expect(await rowsOf(target)).toEqual(before);
    });

    it("copies an older database without changing it, and brings the copy up to date", async () => {
      const { argument, target } = await emptyDatabase(other);
      const { instance } = scene;
      const before = await rowsOf(instance.target);
      onTestFinished(usePresentVersion);
      useNextVersion(async (tx) => {
        await sql`create table made_up (id integer primary key)`.execute(tx);
        await sql`insert into made_up (id) select id from users`.execute(tx);
      });
      await done(copy(instance.target, argument));
      const copied = await openDatabase(target, { skipMigration: true });
      const rows = await allRows(copied);
      await copied.close();
      expect(rows.made_up?.length).toBe(rows.users?.length);
      expect(rows.kysely_migration?.length).toBe(Object.keys(migrations).length);
      usePresentVersion();
      expect(await rowsOf(instance.target)).toEqual(before);

      // Now the copy is newer than this version.
      const { argument: next, target: untouched } = await emptyDatabase(kind);
      const { code, stderr } = await copy(target, next);
      expect([code, stderr]).toEqual([7, expect.stringContaining("newer version")]);
      if (kind === "sqlite") expect(existsSync(untouched)).toBe(false);
    });

    it("copies the rows as they were at the start while others write", async () => {
      const { argument, target } = await emptyDatabase(other);
      const { database, target: from } = scene.instance;
      let isDone = false;
      const copying = done(copy(from, argument)).finally(() => {
        isDone = true;
      });
      const written: string[] = [];
      while (!isDone) {
        const path = `/written/${written.length + 1}`;
        const entry = { created_at: 1, operation: "users.update", path, fields: "[]" };
        await database.write((tx) => insertRows(tx, "audit_entries", [entry]));
        written.push(path);
      }
      await copying;
      const { audit_entries: entries = [] } = await rowsOf(target);
      const copied = entries.flatMap((row) => /\/written\/\d+/.exec(String(row)) ?? []);
      // Those of the beginning, and not those of the end.
      expect(copied.length).toBeLessThan(written.length);
      expect(copied.toSorted()).toEqual(written.slice(0, copied.length).toSorted());
    });

    it("refuses a source with a table that wcs does not know, and leaves the target empty", async () => {
      const { argument, target } = await emptyDatabase(other);
      const { database, target: from } = scene.instance;
      await database.write((tx) => sql`create table theirs (note text)`.execute(tx));
      const { code, stderr } = await copy(from, argument);
      await database.write((tx) => sql`drop table theirs`.execute(tx));
      expect([code, stderr]).toEqual([7, expect.stringContaining("theirs.note")]);
      const { code: looked } = await home.sit(["db", "info", "--db", argumentOf(target)]);
      expect(looked).toBe(6);
    });

    it("leaves the target empty when it is stopped while it builds the search index", async () => {
      const { instance, actors, talk } = scene;
      // The first 32 messages are read at once.
      for (let more = 0; more < 33; more++)
        await actors.member.call(conversations.send, { id: talk.group, message: `Message ${more}` });
      const { argument, target } = await emptyDatabase(other);
      const stop = new AbortController();
      const wordsOf = () => {
        stop.abort();
        return ["word"];
      };
      const watch = { signal: stop.signal, progress: () => {} };
      const copying = copyInstance({ from: instance.target, to: target, wordsOf, watch });
      await expect(copying).rejects.toMatchObject({ name: "AbortError" });
      expect((await home.sit(["db", "info", "--db", argument])).code).toBe(6);
    });

    it.runIf(isFull)(
      "killed at any point: the target stays empty, and the next run fills it",
      { timeout: timeFor(2 * kills) },
      async () => {
        const { database, target: from } = scene.instance;
        // Larger than the page cache of SQLite, so that the target grows before the commit.
        const entries = Array.from({ length: 6000 }, (_, at) => ({
          created_at: at,
          operation: "users.update",
          path: `/users/${at}`,
          fields: JSON.stringify(["x".repeat(3000)]),
        }));
        await database.write((tx) => insertRows(tx, "audit_entries", entries));
        const line = ["db", "copy", "--from", argumentOf(from), "--to"];
        // A process that is killed after its commit has filled the target. Its rows are compared at the end.
        const isFilled = async (to: string) => {
          const { code } = await home.sit(["db", "info", "--db", to]);
          expect([0, 6]).toContain(code);
          return code === 0;
        };
        const first = await measured(other);
        const empty = await first.size();
        await done(home.spawn([...line, first.argument]));
        const growth = (await first.size()) - empty;
        let killed = first;
        let begun = 0;
        // On a busy machine one may end before its size is seen.
        for (let kill = 0; kill < kills || begun === 0; kill++) {
          killed = await measured(other);
          const point = (await killed.size()) + (growth * (kill % kills)) / kills;
          const child = start([...line, killed.argument], home.env);
          const ended = finished(child);
          const isReached = async () => child.exitCode !== null || (await killed.size()) > point;
          await expect.poll(isReached, { interval: 1 }).toBe(true);
          child.kill("SIGKILL");
          const { code, signal, stderr } = await ended;
          expect([code, signal, stderr]).toEqual(code === 0 ? [0, null, expect.anything()] : [null, "SIGKILL", ""]);
          if (!(await isFilled(killed.argument))) begun++;
        }
        const { argument, target } = killed;
        // PostgreSQL may still be ending the transaction of the killed process.
        const fill = async () => (await isFilled(argument)) || (await home.spawn([...line, argument])).code === 0;
        await expect.poll(fill, { interval: 200 }).toBe(true);
        expect(await rowsOf(target)).toEqual(await rowsOf(from));
      },
    );
  });
}

describe("db copy", () => {
  const make = async () => (await filledDatabase("sqlite")).target;

  it("names a target or a source on which the user lacks rights", async () => {
    const [{ argument }, filled] = [await emptyDatabase("postgres"), await filledDatabase("postgres")];
    const name = `limited_${process.pid}`;
    await execute(`${inject("postgresUrl")}/postgres`, `create role ${name} login password 'postgres'`);
    onTestFinished(() => execute(filled.target, `drop owned by ${name}; drop role ${name}`));
    const url = new URL(argument);
    url.username = name;
    const { code, stderr } = await copy(await make(), url.href);
    expect([code, stderr]).toEqual([8, expect.stringContaining(`error: ${url.host}${url.pathname}: `)]);
    expect(stderr).toContain("lacks a right");
    await execute(filled.target, `grant select on kysely_migration to ${name}`);
    url.pathname = new URL(filled.target).pathname;
    const reading = await copy(url.href, home.path("unreadable.db"));
    expect([reading.code, reading.stderr]).toEqual([8, expect.stringContaining("lacks a right")]);
  });

  it("names the database that cannot be used: the source or the target", async () => {
    const empty = argumentOf((await emptyDatabase("postgres")).target);
    const { host, pathname } = new URL(empty);
    const missing = new URL(empty);
    missing.pathname = "/no_such_database";
    const without = `error: ${host}${pathname}: The database contains no wcs instance. Create one with wcs init.\n`;
    expect(await copy(empty, home.path("never.db"))).toMatchObject({ code: 6, stderr: without });
    const stderr = `error: ${host}/no_such_database: The PostgreSQL database does not exist. Create it with createdb.\n`;
    expect(await copy(await make(), missing.href)).toMatchObject({ code: 6, stderr });
  });

  it("names the PostgreSQL database that fails during the copy: the source or the target", async () => {
    const from = await filledDatabase("postgres");
    const to = await emptyDatabase("postgres");
    // The table of users gets a trigger that fails as a server that shuts down does.
    const failing = `create function fail() returns trigger language plpgsql as
        'begin raise exception ''gone'' using errcode = ''57P01''; end';
      create function add_trigger() returns event_trigger language plpgsql as
        'begin if to_regclass(''users'') is not null and not exists (select from pg_trigger where tgname = ''failing'') then
           create trigger failing before insert on users for each row execute function fail(); end if; end';
      create event trigger adding on ddl_command_end when tag in ('CREATE TABLE') execute function add_trigger()`;
    await execute(to.target, failing);
    const nameOf = (argument: string) => `${new URL(argument).host}${new URL(argument).pathname}`;
    const unreachable = `error: ${nameOf(to.argument)}: PostgreSQL cannot be reached`;
    const failed = await copy(from.target, to.argument);
    expect([failed.code, failed.stderr]).toEqual([8, expect.stringContaining(unreachable)]);
    const name = `reading_${process.pid}`;
    await execute(
      from.target,
      `create role ${name} login password 'postgres'; grant select on kysely_migration to ${name}`,
    );
    onTestFinished(() => execute(from.target, `drop owned by ${name}; drop role ${name}`));
    const url = new URL(from.argument);
    url.username = name;
    for (const more of [[], ["--dry-run"]]) {
      const { code, stderr } = await copy(url.href, to.argument, ...more);
      expect([code, stderr]).toEqual([8, expect.stringContaining(`error: ${nameOf(from.argument)}: `)]);
      expect(stderr).toContain("lacks a right");
    }
  });

  it.each(["prefer", "require", "verify-ca", "verify-full"])(
    "sslmode=%s is strict, without a warning of pg",
    async (mode) => {
      const target = argumentOf(`${inject("postgresUrl")}/postgres`);
      const { host, pathname } = new URL(target);
      const { code, stderr } = await home.spawn(["db", "info", "--db", `${target}?sslmode=${mode}`]);
      expect([code, stderr.split("\n")[0]]).toEqual([
        8,
        expect.stringContaining("PostgreSQL cannot be reached over TLS"),
      ]);
      expect(stderr).toContain(`${host}${pathname}`);
      expect(stderr).not.toContain("Warning");
    },
  );

  it("keeps values that the databases write differently, there and back", async () => {
    const source = await make();
    const database = new DatabaseSync(source);
    const texts = ["", "\\N", "a\tb\nc\rd\\e", "\\.", "'\"{},", "\u{1f44d}\u00e5\u2028", "\u0001\u007f"];
    const numbers = [0.1, 1e-7, 1.5e300, -0, 123456789.125, 9007199254740991, 1e16, 5e-324];
    const add = database.prepare("insert into settings (key, value) values (?, ?)");
    for (const [at, text] of texts.entries()) add.run(`odd ${at}`, text);
    const unit = database.prepare(
      "insert into units (name, name_key, parent_id, path, level, lat, created_at, updated_at) values ('U', 'u', 1, ?, 1, ?, 0, 0)",
    );
    for (const [at, each] of numbers.entries()) unit.run(`/odd ${at}/`, each);
    database.close();
    const { argument, target } = await emptyDatabase("postgres");
    // The path of these units is wrong, so the checks at the end find something.
    expect((await copy(source, argument)).stderr).toContain("ll rows were copied, but 1 check");
    expect(await rowsOf(target)).toEqual(await rowsOf(source));
    const back = home.path("odd-back.db");
    expect((await copy(target, back)).stderr).toContain("ll rows were copied, but 1 check");
    expect(await rowsOf(back)).toEqual(await rowsOf(source));
  });

  it("names the table in which the target changed a value, and leaves the target empty", async () => {
    const source = await make();
    const { argument, target } = await emptyDatabase("postgres");
    await execute(
      target,
      `create function change_row() returns trigger language plpgsql as 'begin new.first_name = new.first_name || ''x''; return new; end';
       create function add_trigger() returns event_trigger language plpgsql as
         'begin if to_regclass(''users'') is not null and not exists (select from pg_trigger where tgname = ''changing'') then
            create trigger changing before insert on users for each row execute function change_row(); end if; end';
       create event trigger adding on ddl_command_end when tag in ('CREATE TABLE') execute function add_trigger()`,
    );
    const { code, stderr } = await copy(source, argument);
    expect([code, stderr]).toEqual([7, expect.stringContaining("The table users differs after the copy")]);
    expect((await home.sit(["db", "info", "--db", argument])).code).toBe(6);
  });

  it("names the table in which a SQLite file has another value, and removes the file", async () => {
    const source = await make();
    const { prepare } = DatabaseSync.prototype;
    const prepared = vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (
      this: DatabaseSync,
      text,
    ) {
      if (text.includes("into users (")) {
        this.exec(`create temp trigger if not exists changing after insert on users
          begin update users set first_name = 'Other' where id = new.id; end`);
      }
      return prepare.call(this, text);
    });
    onTestFinished(() => prepared.mockRestore());
    const to = home.path("other.db");
    const { code, stderr } = await copy(source, to);
    expect([code, stderr]).toEqual([7, expect.stringContaining("The table users differs after the copy")]);
    expect(existsSync(to)).toBe(false);
  });

  it("reports a full disk, and leaves the target empty", async () => {
    const source = await make();
    const to = home.path("full.db");
    // The process cannot make a file larger than this, as on a disk that is full.
    const limit = `ulimit -f 400; exec "$0" "$@"`;
    const args = [process.execPath, bin, "db", "copy", "--from", source, "--to", to];
    const limited = await finished(spawn("/bin/sh", ["-c", limit, ...args], { env: home.env, stdio: "pipe" }));
    expect(limited.code).not.toBe(0);
    expect(limited.stderr).toMatch(/disk/);
    await done(copy(source, to));
  });

  it("refuses passwords on the command line, and does not repeat them", async () => {
    for (const flag of ["--from", "--to"]) {
      const { code, stderr } = await home.sit(
        ["db", "copy", flag, "postgres://wcs:hunter2@db.example/wcs", "--to", "x.db"].slice(0, flag === "--to" ? 4 : 6),
      );
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} must not contain a password`)]);
      expect(stderr).not.toContain("hunter2");
    }
  });

  it("refuses a line without --to, and the URL of an instance", async () => {
    expect((await home.sit(["db", "copy", "--from", "x.db"])).code).toBe(2);
    expect((await home.sit(["db", "copy", "--from", "x.db", "--to", "https://wcs.example"])).code).toBe(2);
  });

  it("removes the file that it made when it is stopped, and leaves one that was there", async () => {
    const { target: from } = await filledDatabase("sqlite");
    const stop = new AbortController();
    const watch = { signal: stop.signal, progress: () => stop.abort() };
    const [made, found] = [home.path("made.db"), home.path("found.db")];
    writeFileSync(found, "");
    for (const to of [made, found])
      await expect(copyInstance({ from, to, wordsOf: () => [], watch })).rejects.toMatchObject({ name: "AbortError" });
    expect(["", "-wal", "-shm"].filter((suffix) => existsSync(made + suffix))).toEqual([]);
    expect(existsSync(found)).toBe(true);
    await done(home.sit(["db", "copy", "--from", from, "--to", found]));
  });

  it("refuses to copy a database to itself", async () => {
    const source = await make();
    expect((await copy(source, source)).code).toBe(7);
  });

  it("copies the selected database without --from, with encrypted secrets and without their key", async () => {
    const source = home.path("sealed.db");
    const env = { WCS_SECRET_KEY: "ab".repeat(32) };
    const line = ["init", "--db", source, "--admin-email", "a@example.com", "--admin-name", "Ada A", "--no-profile"];
    await done(home.sit(line, { env }));
    const to = home.path("sealed-copy.db");
    await done(home.sit(["db", "copy", "--to", to], { env: { WCS_DB: source } }));
    expect((await home.sit(["users", "list", "--db", to])).code).not.toBe(0);
    await done(home.sit(["users", "list", "--db", to], { env }));
  });
});
