import { once } from "node:events";
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { fingerprint } from "../../src/store/backup/backup-seal.ts";
import { copyDatabase, type Watch } from "../../src/store/backup/copy-database.ts";
import { immutable, instanceIn, openBackup, requireIntact } from "../../src/store/backup/examine-backup.ts";
import { checkBackupSource, makeBackup } from "../../src/store/backup/make-backup.ts";
import { checkReplacement, replaceDatabase } from "../../src/store/backup/replace-database.ts";
import { examineBackup, restoreBackup } from "../../src/store/backup/restore-backup.ts";
import { latestMigration } from "../../src/store/latest-migration.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { refusal } from "../support/outcome.ts";
import { asNobody, put } from "./support.ts";

const watch: Watch = { signal: new AbortController().signal, progress() {} };

describe("backups of SQLite files", () => {
  let folder: string;
  let path: string;
  let draft: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wcs-backup-"));
    path = join(folder, "wcs.db");
    draft = join(folder, "draft");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Makes a database with an instance. */
  const create = async (at = path) => {
    const database = await openDatabase(at, {
      create: async (tx) => {
        await put(tx, "secret", "1");
        const instance = { id: 1, issuer: "issuer", token_key: "key", created_at: 1 };
        await tx.insertInto("instance").values(instance).execute();
      },
    });
    await database.close();
  };

  /** Makes the database of another program. */
  const makeForeign = (at: string) => {
    const connection = new DatabaseSync(at);
    connection.exec("pragma journal_mode = wal; create table notes (note)");
    connection.close();
  };

  /** Replaces a function of a module until the end of the test, or until the function that this returns is called. */
  const replaced = <T extends object, K extends keyof T>(module: T, name: K, by: T[K]) => {
    const real = module[name];
    const set = (value: T[K]) => {
      module[name] = value;
      syncBuiltinESMExports();
    };
    set(by);
    onTestFinished(() => set(real));
    return () => set(real);
  };

  /** Makes a database that is copied in several steps. */
  const makeLarge = () => {
    const source = new DatabaseSync(path);
    onTestFinished(() => source.close());
    source.exec(
      "pragma journal_mode = wal; create table t (x); insert into t select randomblob(4000) from (with recursive n(i) as (select 1 union all select i + 1 from n where i < 3500) select i from n)",
    );
    return source;
  };

  it("a copy is of one moment, and reports its progress from 0 to 1", async () => {
    const source = makeLarge();
    using other = new DatabaseSync(path);
    const parts: number[] = [];
    const progress = (part: number) => {
      if (parts.push(part) < 5) other.exec("insert into t values ('later')");
    };
    await copyDatabase(source, draft, { ...watch, progress });
    expect(source.isTransaction).toBe(false);
    using copy = new DatabaseSync(draft);
    expect(copy.prepare("select count(*) as rows from t").get()).toMatchObject({ rows: 3500 });
    expect(parts.length).toBeGreaterThan(2);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    for (const part of parts) expect(part).toSatisfy((value: number) => value > 0 && value <= 1);
    expect(parts.at(-1)).toBeGreaterThan(0.7);
  });

  it("work that is aborted ends with the reason, and leaves nothing", async () => {
    const reason = new Error("Ctrl-C");
    const aborted = { ...watch, signal: AbortSignal.abort(reason) };
    const backup = join(folder, "backup.db");
    await create();
    await makeBackup(path, backup, watch);
    await expect(makeBackup(path, draft, aborted)).rejects.toBe(reason);
    await expect(fingerprint(backup, aborted.signal)).rejects.toMatchObject({ cause: reason });
    await expect(restoreBackup(backup, path, draft, aborted)).rejects.toMatchObject({ cause: reason });
    await expect(examineBackup(backup, aborted.signal)).rejects.toMatchObject({ cause: reason });
    using connection = new DatabaseSync(immutable(backup), { readOnly: true });
    await expect(requireIntact(connection, backup, aborted.signal)).rejects.toBe(reason);
    await expect(copyDatabase(connection, draft, aborted)).rejects.toBe(reason);
    expect(readdirSync(folder).sort()).toEqual(["backup.db", "wcs.db"]);
    rmSync(path);
    const source = makeLarge();
    const controller = new AbortController();
    const progress = vi.fn<() => void>(() => controller.abort(reason));
    await expect(copyDatabase(source, draft, { signal: controller.signal, progress })).rejects.toBe(reason);
    expect([progress.mock.calls.length, source.isTransaction, existsSync(draft)]).toEqual([1, false, false]);
  });

  it("a backup is on the disk before it is said to be made", async () => {
    await create();
    const synced: string[] = [];
    const { open } = promises;
    replaced(promises, "open", async (file, ...more) => {
      const handle = await open(file, ...more);
      const { sync } = handle;
      handle.sync = async () => {
        synced.push(basename(String(file)));
        await sync.call(handle);
      };
      return handle;
    });
    await makeBackup(path, draft, watch);
    expect(synced).toEqual(["draft"]);
  });

  it("files that were examined, or refused, are not kept open", async () => {
    await create();
    await makeBackup(path, draft, watch);
    expect(await examineBackup(draft, watch.signal)).toMatchObject({ schema: latestMigration });
    expect(instanceIn(draft)).toBe("issuer");
    const foreign = join(folder, "foreign.db");
    makeForeign(foreign);
    expect(await refusal(openBackup(foreign, watch.signal))).toMatchObject({
      message: `${foreign} is not a wcs database; nothing was restored.`,
    });
    expect(instanceIn(foreign)).toBeUndefined();
    expect((await refusal(openDatabase(foreign))).message).toMatch(/is not a wcs database/);
    expect(instanceIn(join(folder, "missing.db"))).toBeUndefined();
    expect(existsSync(join(folder, "missing.db"))).toBe(false);
    const text = join(folder, "text.db");
    writeFileSync(text, "A note, and no database.");
    await expect(checkReplacement(text)).rejects.toThrow(/is not a wcs database/);
    const open = readdirSync("/proc/self/fd").map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        // The folder was open for the list.
        return undefined;
      }
    });
    expect(open.filter((file) => file?.startsWith(folder))).toEqual([]);
  });

  it("a damaged file is refused when it is examined, as when it is restored", async () => {
    await create();
    const damaged = join(folder, "damaged.db");
    using connection = new DatabaseSync(path);
    const { rootpage } = connection.prepare("select rootpage from sqlite_master where name = 'settings'").get() ?? {};
    const bytes = readFileSync(path);
    bytes.fill(1, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096);
    writeFileSync(damaged, bytes);
    const message = expect.stringMatching(/damaged\.db is damaged: .+; nothing was restored\.$/);
    expect(await refusal(examineBackup(damaged, watch.signal))).toMatchObject({ code: "conflict", message });
    const elsewhere = join(folder, "elsewhere.db");
    expect(await refusal(restoreBackup(damaged, elsewhere, draft, watch))).toMatchObject({ code: "conflict", message });
  });

  it("a file that the user cannot read is refused with the reason", async () => {
    await create();
    chmodSync(folder, 0o755);
    chmodSync(path, 0o000);
    expect(await refusal(asNobody(() => openBackup(path, watch.signal)))).toMatchObject({
      code: "unavailable",
      message: `${path} cannot be opened; SQLite must be able to write to its folder, even to read. Check the permissions of both, and the limit on open files (ulimit -n).`,
    });
  });

  it("a file without an instance is refused as the source of a backup", async () => {
    const database = await openDatabase(path, { create: async (tx) => put(tx, "secret", "1") });
    await database.close();
    expect(() => checkBackupSource(path)).toThrow(/contains no wcs instance/);
  });

  it("a missing source of a backup is refused, and not created", () => {
    expect(() => checkBackupSource(path)).toThrow(`There is no database at ${path}.`);
    expect(existsSync(path)).toBe(false);
  });

  describe("a restore", () => {
    let backup: string;
    beforeEach(async () => {
      backup = join(folder, "backup.db");
      await create(join(folder, "other.db"));
      await makeBackup(join(folder, "other.db"), backup, watch);
    });
    const restore = () => restoreBackup(backup, path, draft, watch);

    it("changes nothing when another process has just replaced the database", async () => {
      await create();
      await create(join(folder, "new.db"));
      const { ino } = statSync(join(folder, "new.db"));
      await promises.copyFile(backup, draft);
      const changeable: { statSync: typeof statSync } = fs;
      const { statSync: real } = fs;
      const undo = replaced(changeable, "statSync", ((file: string, ...more: []) => {
        const found = real(file, ...more);
        undo();
        renameSync(join(folder, "new.db"), path);
        return found;
      }) as typeof statSync);
      expect(await refusal(replaceDatabase(draft, path, watch))).toMatchObject({
        code: "unavailable",
        message: "The database is in use, so nothing was restored.",
      });
      expect(statSync(path).ino).toBe(ino);
      expect(readdirSync(folder).sort()).toEqual(["backup.db", "draft", "other.db", "wcs.db"]);
    });

    it("waits for commands that are still at work", async () => {
      await create();
      const command = `const { parentPort, workerData } = require("node:worker_threads");
        const { DatabaseSync } = require("node:sqlite");
        const connection = new DatabaseSync(workerData);
        connection.exec("begin exclusive");
        parentPort.postMessage("at work");
        setTimeout(() => connection.close(), 300);`;
      await promises.copyFile(backup, draft);
      for (const work of [() => checkReplacement(path), () => replaceDatabase(draft, path, watch)]) {
        const running = new Worker(command, { eval: true, workerData: path });
        await once(running, "message");
        await work();
      }
    });

    it("does not block the event loop while it waits", async () => {
      await create();
      await promises.copyFile(backup, draft);
      for (const work of [() => checkReplacement(path), () => replaceDatabase(draft, path, watch)]) {
        const server = new DatabaseSync(path);
        server.prepare("select count(*) from sqlite_master").get();
        setImmediate(() => server.close());
        await work();
      }
    });

    it("can be aborted while it waits for a server", async () => {
      await create();
      await promises.copyFile(backup, draft);
      using server = new DatabaseSync(path);
      server.prepare("select count(*) from sqlite_master").get();
      const reason = new Error("Ctrl-C");
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      await expect(replaceDatabase(draft, path, { ...watch, signal: controller.signal })).rejects.toBe(reason);
      expect(readdirSync(folder)).not.toContain("draft-old");
    });

    it("gives up when a server keeps the database open", async () => {
      await create();
      await promises.copyFile(backup, draft);
      using server = new DatabaseSync(path);
      server.prepare("select count(*) from sqlite_master").get();
      let now = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
      onTestFinished(() => clock.mockRestore());
      expect(await refusal(replaceDatabase(draft, path, watch))).toMatchObject({ code: "unavailable" });
      expect(existsSync(draft)).toBe(true);
    });

    it("changes nothing when the database stays in WAL mode, which SQLite reports without an error", async () => {
      await create();
      const { ino } = statSync(path);
      await promises.copyFile(backup, draft);
      const { prepare } = DatabaseSync.prototype;
      const spy = vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, text) {
        return prepare.call(this, text === "pragma journal_mode" ? "select 'wal' as journal_mode" : text);
      });
      onTestFinished(() => spy.mockRestore());
      let now = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 6000));
      onTestFinished(() => clock.mockRestore());
      expect(await refusal(replaceDatabase(draft, path, watch))).toMatchObject({
        code: "unavailable",
        message: "The database is in use, so nothing was restored.",
      });
      expect(statSync(path).ino).toBe(ino);
    });

    it.each<[string, () => void]>([
      ["the database of another program", () => makeForeign(path)],
      ["a file that is no database", () => writeFileSync(path, "notes\n")],
    ])("does not touch %s", async (_, make) => {
      make();
      const bytes = readFileSync(path);
      const message = `${path} is not a wcs database; it was not changed.`;
      expect(await refusal(restore())).toMatchObject({ message });
      // Waiting, as for a database in use, would end with the reason of the signal.
      const aborted = { ...watch, signal: AbortSignal.abort(new Error("waited")) };
      expect(await refusal(replaceDatabase(draft, path, aborted))).toMatchObject({ message });
      expect(readFileSync(path).equals(bytes)).toBe(true);
    });

    it("puts the new database on the disk before it takes the place of the old one, and its name at the end", async () => {
      await create();
      const steps: string[] = [];
      const { open, rename } = promises;
      replaced(promises, "open", async (file, ...more) => {
        const handle = await open(file, ...more);
        const { sync } = handle;
        handle.sync = async () => {
          steps.push(`sync ${basename(String(file))}`);
          await sync.call(handle);
        };
        return handle;
      });
      replaced(promises, "rename", async (from, to) => {
        steps.push(`rename ${basename(String(from))} to ${basename(String(to)).slice(0, 6)}`);
        await rename(from, to);
      });
      const { previous } = await restore();
      expect(previous).toMatch(/wcs\.db\.\d{8}T\d{6}Z$/);
      const inFolder = `sync ${basename(folder)}`;
      expect(steps).toEqual([
        ...["sync draft", "sync draft-old", "rename draft-old to wcs.db"],
        ...[inFolder, inFolder, "rename draft to wcs.db", inFolder],
      ]);
    });

    it("keeps each old database when several restores end within the same second", async () => {
      await create();
      onTestFinished(() => void vi.useRealTimers());
      vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-01T12:00:00Z") });
      // Only a log is left of an old database.
      const log = `${path}.20260301T120000Z-3-wal`;
      writeFileSync(log, "log");
      const names: (string | undefined)[] = [];
      for (let count = 1; count <= 3; count++) names.push((await restore()).previous);
      const first = `${path}.20260301T120000Z`;
      expect(names).toEqual([first, `${first}-2`, `${first}-4`]);
    });

    it("lets nobody read or change the old database while it is replaced", async () => {
      await create();
      const { rename } = promises;
      const errors: unknown[] = [];
      replaced(promises, "rename", async (from, to) => {
        using other = new DatabaseSync(path, { timeout: 0 });
        try {
          errors.push(other.prepare("select * from instance").get());
        } catch (error) {
          errors.push((error as Error).message);
        }
        await rename(from, to);
      });
      await restore();
      expect(errors).toEqual(["database is locked", "database is locked"]);
    });

    it("keeps a damaged database only where files can have two names; elsewhere the error says so", async () => {
      const hint = `Move ${path} and the files whose names begin with it to another folder, and try again.`;
      const errors = {
        EPERM: { message: "The old database cannot be kept beside the new one (EPERM).", hint },
        ENOTSUP: { message: "The old database cannot be kept beside the new one (ENOTSUP).", hint },
        EEXIST: { message: `Another process created ${path} at the same time.` },
      };
      for (const [code, error] of Object.entries(errors)) {
        writeFileSync(path, "");
        replaced(promises, "link", async () => {
          throw Object.assign(new Error(code), { code });
        });
        await expect(restore(), code).rejects.toMatchObject(error);
        expect(readFileSync(path, "latin1"), code).toBe("");
        expect(readdirSync(folder).sort(), code).toEqual(["backup.db", "other.db", "wcs.db"]);
      }
    });

    it("does not mistake another failure of the disk for that", async () => {
      mkdirSync(join(folder, "empty"));
      replaced(promises, "link", async () => {
        throw Object.assign(new Error("EIO"), { code: "EIO" });
      });
      const refused = await refusal(restoreBackup(backup, join(folder, "empty", "wcs.db"), draft, watch));
      expect(refused.message).toMatch(/cannot be opened \(EIO\)/);
      expect(refused.message).not.toMatch(/kept beside/);
    });
  });
});
