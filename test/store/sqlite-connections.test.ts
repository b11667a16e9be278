import { writeFileSync } from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ServiceError } from "../../src/contract/errors.ts";
import type { Db, Tx } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { runText } from "../../src/store/prepared.ts";
import { refusal } from "../support/outcome.ts";
import { get, put, useDatabase } from "./support.ts";

const open = useDatabase("sqlite");

describe("connections to SQLite", () => {
  const settingOf = async (db: Db, name: string) => {
    const { rows } = await sql<object>`pragma ${sql.raw(name)}`.execute(db);
    return Object.values(rows[0] ?? {})[0];
  };
  const names = ["foreign_keys", "cache_size", "busy_timeout", "journal_mode", "query_only"];
  const settingsOf = (db: Db) => Promise.all(names.map((name) => settingOf(db, name)));

  it("check references, use a bounded cache, and wait for others; only one of them writes", async () => {
    const { database } = open();
    expect(await settingsOf(database.reader)).toEqual([1, -16_384, 5000, "wal", 1]);
    expect(await database.write(settingsOf)).toEqual([1, -16_384, 5000, "wal", 0]);
  });

  /** Lets SQLite report another version. */
  const pretend = (version: string) => {
    const { prepare } = DatabaseSync.prototype;
    const spy = vi.spyOn(DatabaseSync.prototype, "prepare");
    onTestFinished(() => void spy.mockRestore());
    spy.mockImplementation(function (this: DatabaseSync, text, options) {
      return prepare.call(this, text.replace("sqlite_version()", `'${version}'`), options);
    });
  };

  it.each(["3.51.2", "3.50.9", "3.8.11", "2.99.99"])("are refused with SQLite %s", async (version) => {
    pretend(version);
    expect(await refusal(openDatabase(open().target))).toMatchObject({
      code: "unavailable",
      message: `wcs needs SQLite 3.51.3 or newer; this Node includes ${version}.`,
    });
  });

  it.each(["3.51.3", "3.52.0", "3.100.1", "4.0.0"])("are opened with SQLite %s", async (version) => {
    pretend(version);
    await (await openDatabase(open().target)).close();
  });

  /** Fails the next execution of a statement. Returns the spy, which knows all connections. */
  const failOnce = (statement: string, error: Error) => {
    const { exec } = DatabaseSync.prototype;
    let fails = true;
    const executed = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, text) {
      if (fails && text === statement) {
        fails = false;
        throw error;
      }
      exec.call(this, text);
    });
    onTestFinished(() => void executed.mockRestore());
    return executed;
  };

  it.each([
    ["writer", ""],
    ["reader", "pragma query_only = on"],
  ])("are closed when the first statement of the %s fails", async (_, pragmas) => {
    const executed = failOnce(`pragma cache_size = -16384; ${pragmas}`, new Error("failing disk"));
    await expect(openDatabase(open().target)).rejects.toThrow("failing disk");
    const opened = [...new Set(executed.mock.contexts as DatabaseSync[])];
    expect(opened.map(({ isOpen }) => isOpen)).toEqual(pragmas ? [false, false] : [false]);
  });

  it("look versions up once in a turn of the event loop, and after each commit", async () => {
    const { database } = open();
    await turn();
    const got = vi.spyOn(StatementSync.prototype, "get");
    onTestFinished(() => void got.mockRestore());
    /** Numbers of times that the version of the data was looked up, and of those that the versions of facts were read. */
    const lookUps = () => {
      const texts = (got.mock.contexts as StatementSync[]).map(({ sourceSQL }) => sourceSQL);
      return [/^pragma data_version/, /fact_versions/].map((name) => texts.filter((text) => name.test(text)).length);
    };
    await database.write((tx) => put(tx, "changed", 1));
    got.mockClear();
    for (let request = 1; request <= 3; request += 1) database.factVersions();
    expect(lookUps()).toEqual([1, 1]);
    await turn();
    database.factVersions();
    expect(lookUps()).toEqual([2, 1]);
  });

  it("that read refuse transactions", async () => {
    const work = vi.fn(async () => {});
    await expect(open().database.reader.transaction().execute(work)).rejects.toThrow("the reader has no transactions");
    expect(work).not.toHaveBeenCalled();
  });

  it("do not try to begin again after an error other than a lock", async () => {
    const error = Object.assign(new Error("failing disk"), { errcode: 10 });
    failOnce("begin immediate", error);
    await expect(open().database.write((tx) => put(tx, "begun", 1))).rejects.toBe(error);
  });
});

describe("a SQLite file that cannot be read for a while", () => {
  it("ends nothing that waits for changes, which are noticed afterwards", async () => {
    let failures: number | undefined;
    const { prepare } = DatabaseSync.prototype;
    const spy = vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, ...given) {
      const statement = prepare.apply(this, given);
      const get = statement.get.bind(statement) as () => Record<string, number>;
      if (given[0] !== "pragma data_version") return statement;
      return Object.assign(statement, {
        get() {
          if (failures === undefined) return get();
          failures += 1;
          throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 });
        },
      });
    });
    onTestFinished(() => void spy.mockRestore());
    const database = await openDatabase(open().target);
    let woken = 0;
    const stop = database.onChange(() => {
      woken += 1;
    });
    failures = 0;
    await expect.poll(() => failures).toBeGreaterThan(1);
    await open().database.write((tx) => put(tx, "meanwhile", 1));
    expect(woken).toBe(0);
    failures = undefined;
    await expect.poll(() => woken).toBe(1);
    await database.close();
    await sleep(100);
    expect([database.isWriting(), woken]).toEqual([false, 1]);
    stop();
  });
});

describe("a SQLite file without an instance", () => {
  it("is refused with the command that makes one", async () => {
    const path = `${open().target} of Ada's`;
    const quoted = `'${open().target} of Ada'\\''s'`;
    await expect(openDatabase(path)).rejects.toMatchObject({ hint: `Create it with wcs init --db ${quoted}` });
    writeFileSync(path, "");
    await expect(openDatabase(path)).rejects.toMatchObject({ hint: `Create one with wcs init --db ${quoted}` });
  });
});

describe("transactions that wait for SQLite at the same moment", () => {
  /** Number of commits of three transactions, of which the first takes some milliseconds. */
  const commitsOf = async (milliseconds: number) => {
    const { database } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const executed = vi.spyOn(DatabaseSync.prototype, "exec");
    onTestFinished(() => void executed.mockRestore());
    const slow = database.write(async (tx) => {
      await put(tx, "slow", 1);
      vi.advanceTimersByTime(milliseconds);
    });
    await Promise.all([slow, ...["a", "b"].map((key) => database.write((tx) => put(tx, key, 1)))]);
    return executed.mock.calls.filter(([text]) => text === "commit").length;
  };

  it("are committed together", async () => expect(await commitsOf(5)).toBe(1));
  it("are committed together only for some milliseconds", async () => expect(await commitsOf(6)).toBe(2));

  it("run in savepoints, except for the first, and each savepoint ends with its transaction", async () => {
    const { database } = open();
    vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => void vi.mocked(performance.now).mockRestore());
    const executed = vi.spyOn(DatabaseSync.prototype, "exec");
    onTestFinished(() => void executed.mockRestore());
    const write = (key: string, error?: Error) =>
      database.write(async (tx) => {
        await put(tx, key, 1);
        if (error) throw error;
      });
    await Promise.allSettled([write("first"), write("second"), write("third", new Error("failed")), write("fourth")]);
    const texts = executed.mock.calls.map(([text]) => text).filter((text) => !text.startsWith("pragma "));
    const kept = ["savepoint member", "release member"];
    const failed = ["savepoint member", "rollback to member", "release member"];
    expect(texts).toEqual(["begin immediate", ...kept, ...failed, ...kept, "commit"]);
  });

  it.each([
    // SQLITE_IOERR_FSYNC and SQLITE_FULL.
    [1034, "The database failed while saving. The change may or may not have been saved; check before you repeat it."],
    [13, "The disk is full; nothing was changed."],
    // Some errors have rolled back already.
    [13, "The disk is full; nothing was changed.", "rollback"],
  ])("are said to be lost when their commit fails with %i only if they are", async (errcode, message, before = "") => {
    const { database } = open();
    const { exec } = DatabaseSync.prototype;
    const executed = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, text) {
      exec.call(this, text === "commit" ? before : text);
      if (text === "commit") throw Object.assign(new Error("failing disk"), { errcode });
    });
    const failed = ["a", "b"].map((key) => database.write((tx) => put(tx, key, 1)).catch(database.explain));
    expect(await Promise.all(failed)).toMatchObject([{ message }, { message }]);
    executed.mockRestore();
    await database.write((tx) => put(tx, "a", 2));
  });

  it.each<[string, (tx: Tx) => Promise<unknown>]>([
    ["of a query", (tx) => sql`select disk_space`.execute(tx)],
    ["of a prepared query", (tx) => runText(tx, "select disk_space", [])],
  ])(
    "all fail with the error %s after which SQLite rolled back, as on a full disk, and leave nothing",
    async (query, fail) => {
      const { database } = open();
      // A group accepts members for some milliseconds: on this clock, until no one waits.
      vi.spyOn(performance, "now").mockReturnValue(performance.now());
      onTestFinished(() => void vi.mocked(performance.now).mockRestore());
      const first = database.write((tx) => put(tx, query, 1));
      const second = database.write(async (tx) => {
        await sql`rollback`.execute(tx);
        await fail(tx);
      });
      const reason = { message: expect.stringContaining("disk_space") };
      expect(await Promise.allSettled([first, second])).toMatchObject([{ reason }, { reason }]);
      expect(await get(database, query)).toBeUndefined();
      await database.write((tx) => put(tx, query, 2));
    },
  );
});

describe("errors of SQLite", () => {
  const explained = (error?: object) => open().database.explain(error) as ServiceError;

  it.each([
    [5, "unavailable", "The database is busy; try again."],
    [6, "unavailable", "The database is busy; try again."],
    [8, "unavailable", "The database cannot be written to."],
    [10, "unavailable", "The disk is full or failing; nothing was changed."],
    [11, "unavailable", "The database is damaged."],
    [13, "unavailable", "The disk is full; nothing was changed."],
    [14, "unavailable", "The database cannot be opened; its folder must exist and be writable."],
    [26, "unavailable", "The database is not a wcs database, or it is damaged."],
  ])("%i and its extended codes are explained", (errcode, code, message) => {
    for (const error of [{ errcode }, { errcode: errcode + 256 }]) {
      const { retryAfter, cause, ...rest } = explained(error);
      expect([rest.code, explained(error).message, cause]).toEqual([code, message, error]);
      expect(retryAfter).toBe(errcode < 8 ? 1 : undefined);
    }
  });

  it("name the file that cannot be written in their hint only", () => {
    const { database, target: path } = open();
    const { message, hint } = database.explain({ errcode: 8 }) as ServiceError;
    expect([message.includes(path), hint?.includes(path)]).toEqual([false, true]);
  });

  it("of other kinds are passed on", () => {
    const others = [{ errcode: 1 }, { errcode: 19 }, { code: "ERR_OTHER" }, new Error("no code"), undefined];
    for (const error of others) expect(explained(error)).toBe(error);
  });

  it("of files are explained", () => {
    const found = ["ENOSPC", "EDQUOT", "EACCES"].map((code) => explained({ code }).message);
    expect(found).toEqual(["The disk is full.", "The disk is full.", "The database cannot be opened (EACCES)."]);
    // Hints are for those who open a file.
    expect(explained({ code: "EACCES" }).hint).toBeUndefined();
  });
});
