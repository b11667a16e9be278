import { DatabaseSync } from "node:sqlite";
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { users } from "../../src/contract/users.ts";
import { bootstrap } from "../../src/core/bootstrap.ts";
import { createService } from "../../src/core/service.ts";
import type { Database, Tx } from "../../src/store/database.ts";
import { hasTable } from "../../src/store/dialect.ts";
import { migrations } from "../../src/store/migrations/migration-list.ts";
import { migrateSchema, openDatabase, openToMigrate, schemaOf } from "../../src/store/open-database.ts";
import { connectSqlite } from "../../src/store/sqlite/sqlite-database.ts";
import { firstAdministrator, newDatabase, newInstanceDatabase } from "../support/instance.ts";
import { madeUp, useNextVersion, usePresentVersion } from "../support/next-version.ts";
import { codeOf, tally } from "../support/outcome.ts";
import { kinds } from "./support.ts";

vi.mock("../../src/store/latest-migration.ts", () => import("../support/next-version.ts"));

const present = Object.keys(migrations);
const applied = async ({ reader }: Database) => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(reader);
  return rows.map(({ name }) => name);
};
/** The number of servers that hold the lock of servers. */
const serversOn = async ({ reader }: Database) => {
  const { rows } =
    await sql`select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      reader,
    );
  return rows.length;
};

/** Adds a second at each reading of the clock, so that waiting ends after a few attempts. */
function skipSeconds() {
  let skipped = 0;
  const { now } = Date;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => {
    skipped += 1000;
    return now() + skipped;
  });
  onTestFinished(() => void clock.mockRestore());
  return clock;
}

/** A migration that changes the schema and the rows. */
const up = vi.fn(async (db: Kysely<unknown>) => {
  await sql`create table made_up (id integer primary key)`.execute(db);
  await sql`insert into made_up (id) select id from users`.execute(db);
});

describe("migrations", () => {
  it("run in the order of their names, and the last one is known", async () => {
    expect(present).toEqual([...present].sort());
    const actual = await vi.importActual<{ latestMigration: string }>("../../src/store/latest-migration.ts");
    expect(present.at(-1)).toBe(actual.latestMigration);
    expect([...present, madeUp]).toEqual([...present, madeUp].sort());
  });

  it("are found by schemaOf while another process creates the database", async () => {
    const { target, remove } = await newDatabase("sqlite");
    const { reader, close } = await connectSqlite(target, { create: async () => {} });
    const found = schemaOf({ reader });
    using other = new DatabaseSync(target);
    other.exec("create table kysely_migration (name text); insert into kysely_migration values ('made by another')");
    expect(await found).toBe("made by another");
    await close();
    await remove();
  });

  it("are left to the owner of the tables by a PostgreSQL user that may change rows only", async () => {
    const { target, remove } = await newInstanceDatabase("postgres");
    const owner = await openDatabase(target);
    const role = `rows_only_${process.pid}`;
    for (const statement of [
      `create role ${role} login password 'x'`,
      `grant select, insert, update, delete on all tables in schema public to ${role}`,
    ])
      await sql.raw(statement).execute(owner.reader);
    useNextVersion(up);
    const url = Object.assign(new URL(target), { username: role, password: "x" }).href;
    const refused = {
      code: "unavailable",
      message: expect.stringContaining("must be migrated for this version of wcs"),
      hint: expect.stringContaining("run wcs db migrate as the owner"),
    };
    await expect(openDatabase(url)).rejects.toMatchObject(refused);
    const opened = await openToMigrate(url);
    for (const dryRun of [true, false]) await expect(migrateSchema(opened, dryRun)).rejects.toMatchObject(refused);
    usePresentVersion();
    await opened.close();
    await sql.raw(`drop owned by ${role}; drop role ${role}`).execute(owner.reader);
    await owner.close();
    await remove();
  });
});

for (const kind of kinds) {
  describe(`migrations (${kind})`, () => {
    let target: string;
    let remove: () => Promise<void>;
    beforeEach(async () => {
      ({ target, remove } = await newInstanceDatabase(kind));
    });
    afterEach(async () => {
      usePresentVersion();
      up.mockClear();
      await remove();
    });
    const close = (...databases: Database[]) => Promise.all(databases.map((database) => database.close()));

    it("one of several processes that open an older database at once migrates it", async () => {
      useNextVersion(up);
      const opened = await Promise.all([1, 2, 3].map(() => openDatabase(target)));
      expect(up).toHaveBeenCalledTimes(1);
      for (const database of opened) {
        expect(await applied(database)).toEqual([...present, madeUp]);
        expect((await sql`select id from made_up`.execute(database.reader)).rows).toHaveLength(1);
        const service = createService({ database });
        expect(await codeOf(service.caller({ userId: 1 }).call(users.current, {}))).toBe("ok");
      }
      await close(...opened);
    });

    it("an older database is not migrated while a server works on it", async () => {
      const old = await openDatabase(target);
      const stop = old.onChange(() => {});
      if (kind === "postgres") await expect.poll(() => serversOn(old)).toBe(1);
      useNextVersion(up);
      const inUse = { code: "unavailable", message: expect.stringContaining("another process uses it") };
      const clock = skipSeconds();
      await expect(openDatabase(target)).rejects.toMatchObject(inUse);
      const migration = async () => {
        const database = await openToMigrate(target);
        await migrateSchema(database, false).finally(() => database.close());
      };
      await expect(migration()).rejects.toMatchObject(inUse);
      expect([up.mock.calls.length, await applied(old)]).toEqual([0, present]);
      clock.mockRestore();
      stop();
      await close(old);
      await migration();
      expect(up).toHaveBeenCalledTimes(1);
      const next = await openDatabase(target);
      const stopNext = next.onChange(() => {});
      await close(await openDatabase(target));
      stopNext();
      await close(next);
    });

    it("a migration that fails half-way changes nothing, and can run again", async () => {
      useNextVersion(async (db) => {
        await up(db);
        await sql`select * from missing_table`.execute(db);
      });
      await expect(openDatabase(target)).rejects.toThrow("missing_table");
      usePresentVersion();
      const before = await openDatabase(target);
      expect([await applied(before), await hasTable(before.reader, "made_up")]).toEqual([present, false]);
      await close(before);
      useNextVersion(up);
      const after = await openDatabase(target);
      expect(await applied(after)).toEqual([...present, madeUp]);
      await close(after);
    });

    it("a dry run lists the migrations and changes nothing", async () => {
      useNextVersion(up);
      const database = await openDatabase(target, { skipMigration: true });
      expect(await migrateSchema(database, true)).toEqual([madeUp]);
      expect([await applied(database), await hasTable(database.reader, "made_up")]).toEqual([present, false]);
      expect(await migrateSchema(database, false)).toEqual([madeUp]);
      expect(await migrateSchema(database, false)).toEqual([]);
      await close(database);
    });

    it("a database of a newer version is refused and stays as it is", async () => {
      useNextVersion(up);
      await close(await openDatabase(target));
      usePresentVersion();
      expect(await codeOf(openDatabase(target))).toBe("conflict");
      const database = await openDatabase(target, { skipMigration: true });
      expect(await codeOf(migrateSchema(database, false))).toBe("conflict");
      expect(await applied(database)).toEqual([...present, madeUp]);
      await close(database);
    });

    it("one of several processes that create a database at once succeeds, and the others get a conflict", async () => {
      const { target, remove } = await newDatabase(kind);
      const made: Database[] = [];
      const fill = { administrator: firstAdministrator, rootUnit: "Acme", now: 1 };
      const create = async (tx: Tx) => void (await bootstrap(tx, fill));
      const make = async () => void made.push(await openDatabase(target, { create }));
      expect(await tally([make(), make(), make()])).toEqual({ ok: 1, conflict: 2 });
      expect(await made[0]!.reader.selectFrom("users").select("id").execute()).toHaveLength(1);
      await close(...made);
      const again = await openDatabase(target);
      expect(await applied(again)).toEqual(present);
      await close(again);
      await remove();
    });
  });
}
