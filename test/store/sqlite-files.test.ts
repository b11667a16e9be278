import { execFileSync } from "node:child_process";
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { checkNewDatabase, openDatabase } from "../../src/store/open-database.ts";
import { startChild } from "../support/child.ts";
import { refusal } from "../support/outcome.ts";
import { asNobody, get, put } from "./support.ts";

describe("SQLite files", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wcs-store-"));
    path = join(folder, "wcs.db");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const create = async (at = path, fill: (tx: Parameters<typeof put>[0]) => Promise<void> = async () => {}) => {
    const database = await openDatabase(at, { create: fill });
    await database.close();
  };
  const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
  it("openDatabase with create makes the file, the files beside it and new folders readable by their owner only", async () => {
    const deep = join(folder, "a", "b", "wcs.db");
    const database = await openDatabase(deep, { create: (tx) => put(tx, "secret", "1") });
    for (const file of [deep, `${deep}-wal`, `${deep}-shm`]) expect(mode(file), file).toBe("600");
    expect(mode(join(folder, "a"))).toBe("700");
    await database.close();
    expect(mode(deep)).toBe("600");
  });

  it("checkNewDatabase creates nothing, and throws what openDatabase with create would throw", async () => {
    const check = (at: string) => checkNewDatabase(at, { create: async (tx) => put(tx, "secret", "1") });
    const deep = join(folder, "a", "b", "wcs.db");
    await check(deep);
    await check(path);
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(path, "");
    await check(path);
    expect(statSync(path).size).toBe(0);
    expect((await refusal(check(join(path, "wcs.db")))).message).toMatch(/cannot be opened \(ENOTDIR\)/);
    for (const note of ["A note, and no database.", "No database. ".repeat(1000)]) {
      writeFileSync(path, note);
      expect((await refusal(check(path))).message).toBe(`${path} is not a wcs database; it was not changed.`);
      expect((await refusal(openDatabase(path, { create: async () => {} }))).message).toMatch(/it was not changed/);
      expect(readFileSync(path, "latin1")).toBe(note);
    }
  });

  it("openDatabase finds what was committed before", async () => {
    await create(path, (tx) => put(tx, "kept", "1"));
    const database = await openDatabase(path);
    expect(await get(database, "kept")).toBe("1");
    await database.close();
  });

  it("a commit is on the disk before it is acknowledged: synchronous is full", async () => {
    await create();
    expect(await startChild("store/print-synchronous.ts", [path]).next()).toBe("2");
  });

  it("closing a database that was only read, or not used at all, removes its log", async () => {
    await create();
    const read = await openDatabase(path);
    await get(read, "kept");
    await read.close();
    expect(readdirSync(folder)).toEqual(["wcs.db"]);
    await (await openDatabase(path)).close();
    expect(readdirSync(folder)).toEqual(["wcs.db"]);
  });

  it("openDatabase with create leaves an existing database as it is", async () => {
    await create(path, (tx) => put(tx, "kept", "1"));
    const before = readFileSync(path);
    const refused = await refusal(openDatabase(path, { create: (tx) => put(tx, "kept", "2") }));
    expect(refused).toMatchObject({ code: "conflict", message: expect.stringContaining("exists already") });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("openDatabase with create can be repeated after a failure, which leaves no instance", async () => {
    const failing = openDatabase(path, {
      create: async (tx) => {
        await put(tx, "half", "1");
        throw new Error("interrupted");
      },
    });
    await expect(failing).rejects.toThrow("interrupted");
    expect(await refusal(openDatabase(path))).toMatchObject({ code: "not_found" });
    await create(path, (tx) => put(tx, "whole", "1"));
    const database = await openDatabase(path);
    expect([await get(database, "half"), await get(database, "whole")]).toEqual([undefined, "1"]);
    await database.close();
  });

  it("openDatabase switches to WAL mode, and works in another mode while another process writes", async () => {
    await create();
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec("pragma journal_mode = delete; begin immediate");
    const modeOnceOpen = async () => {
      const database = await openDatabase(path);
      const { rows } = await sql`pragma journal_mode`.execute(database.reader);
      await database.close();
      return rows;
    };
    expect(await modeOnceOpen()).toEqual([{ journal_mode: "delete" }]);
    other.exec("commit");
    expect(await modeOnceOpen()).toEqual([{ journal_mode: "wal" }]);
  });

  it("openDatabase refuses a database that is not in WAL mode and can only be read", async () => {
    await create();
    const other = new DatabaseSync(path);
    other.exec("pragma journal_mode = delete");
    other.close();
    chmodSync(folder, 0o755);
    chmodSync(path, 0o444);
    const refused = asNobody(() => openDatabase(path));
    await expect(refused).rejects.toMatchObject({
      code: "unavailable",
      message: "The database cannot be written to.",
      hint: `You need permission to write to ${path}, ${path}-wal and ${path}-shm, and to their folder.`,
    });
  });

  it("openDatabase does not find a missing file, and creates none", async () => {
    expect(await refusal(openDatabase(path))).toMatchObject({
      code: "not_found",
      message: `There is no database at ${path}.`,
    });
    expect(existsSync(path)).toBe(false);
    expect(await refusal(openDatabase(join(folder, "nowhere", "wcs.db")))).toMatchObject({ code: "not_found" });
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
    symlinkSync("nowhere/wcs.db", join(folder, "link.db"));
    const isLink = expect.stringContaining("is a link to a file that does not exist");
    const link = join(folder, "link.db");
    await expect(openDatabase(link)).rejects.toMatchObject({ code: "not_found", message: isLink });
    for (const open of [checkNewDatabase, openDatabase])
      await expect(open(link, { create: async () => {} })).rejects.toMatchObject({ code: "unavailable", hint: isLink });
  });

  it("checkNewDatabase ends at the root of a drive that is missing", async () => {
    const spy = vi.spyOn(fs, "lstatSync").mockImplementation(() => {
      if (spy.mock.calls.length > 100) throw new Error("endless loop");
      return undefined;
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      spy.mockRestore();
      syncBuiltinESMExports();
    });
    await checkNewDatabase("/missing/wcs.db", {});
    expect(spy).toHaveBeenCalledTimes(3);
  });

  it("openDatabase refuses the database of another program, and does not change it", async () => {
    const foreign = new DatabaseSync(path);
    foreign.exec("create table theirs (id integer); insert into theirs values (1)");
    foreign.close();
    const before = readFileSync(path);
    const notOurs = { code: "conflict", message: expect.stringContaining("is not a wcs database") };
    expect(await refusal(openDatabase(path))).toMatchObject(notOurs);
    expect(await refusal(openDatabase(path, { create: async () => {} }))).toMatchObject(notOurs);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it("openDatabase refuses a file that is no database, and does not change it", async () => {
    for (const content of [
      "name,email\nAnn,ann@example.com\n".repeat(100),
      "x",
      `SQLite format 3\0${"x".repeat(5000)}`,
    ]) {
      writeFileSync(path, content);
      expect(await refusal(openDatabase(path))).toMatchObject({ code: "conflict" });
      expect(await refusal(openDatabase(path, { create: async () => {} }))).toMatchObject({ code: "conflict" });
      expect(readFileSync(path, "utf8")).toBe(content);
    }
  });

  it("openDatabase refuses a pipe or a device, and does not change it", async () => {
    execFileSync("mkfifo", ["-m", "644", path]);
    const notOurs = { code: "conflict", message: `${path} is not a wcs database; it was not changed.` };
    const options = { create: async () => {} };
    expect(await refusal(openDatabase(path))).toMatchObject(notOurs);
    expect(await refusal(openDatabase(path, options))).toMatchObject(notOurs);
    expect(await refusal(checkNewDatabase(path, options))).toMatchObject(notOurs);
    expect(mode(path)).toBe("644");
    expect(await refusal(openDatabase("/dev/null"))).toMatchObject({ code: "conflict" });
  });

  it("openDatabase finds no instance in an empty file; with create it fills the file, for its owner only", async () => {
    writeFileSync(path, "");
    chmodSync(path, 0o644);
    expect(await refusal(openDatabase(path))).toMatchObject({
      code: "not_found",
      message: `${path} is empty: it contains no wcs instance.`,
    });
    expect(statSync(path).size).toBe(0);
    await create(path, (tx) => put(tx, "filled", "1"));
    expect(mode(path)).toBe("600");
  });

  it("openDatabase finds no instance after a process was killed while it created one; with create it fills the file", async () => {
    const begun = new DatabaseSync(path);
    begun.exec("pragma journal_mode = wal");
    begun.close();
    expect(statSync(path).size).toBeGreaterThan(0);
    expect(await refusal(openDatabase(path))).toMatchObject({ code: "not_found" });
    await create(path, (tx) => put(tx, "filled", "1"));
  });

  it("a file that is cut off in the middle is refused as damaged", async () => {
    await create(path, async (tx) => {
      for (let n = 0; n < 200; n++) await put(tx, `row ${n}`, "x".repeat(500));
    });
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, 4096 * 3 + 100));
    const opened = openDatabase(path).then(async (database) => {
      try {
        await database.reader.selectFrom("settings").selectAll().execute();
      } catch (error) {
        throw database.explain(error);
      } finally {
        await database.close();
      }
    });
    expect(await refusal(opened)).toMatchObject({ code: "conflict", message: expect.stringContaining("damaged") });
  });

  it("openDatabase refuses a database of a newer wcs", async () => {
    await create();
    const newer = new DatabaseSync(path);
    newer.exec("insert into kysely_migration values ('9999-future', '2099-01-01')");
    newer.close();
    const refused = { code: "conflict", message: expect.stringContaining("newer version") };
    expect(await refusal(openDatabase(path))).toMatchObject(refused);
    expect(await refusal(openDatabase(path, { create: async () => {} }))).toMatchObject({ code: "conflict" });
  });

  it("openDatabase refuses a folder", async () => {
    expect(await refusal(openDatabase(folder))).toMatchObject({
      code: "unavailable",
      message: `${folder} cannot be opened; it is a folder.`,
    });
    expect((await refusal(openDatabase(folder, { create: async () => {} }))).code).toBe("unavailable");
  });

  it("openDatabase refuses a path below a file", async () => {
    writeFileSync(path, "");
    const below = join(path, "wcs.db");
    expect((await refusal(openDatabase(below, { create: async () => {} }))).code).toBe("unavailable");
    expect(["unavailable", "not_found"]).toContain((await refusal(openDatabase(below))).code);
  });

  it.each(["ENOSPC", "EDQUOT"])("openDatabase with create says that the disk is full (%s)", async (code) => {
    const { openSync } = fs;
    fs.openSync = () => {
      throw Object.assign(new Error("no space left on device"), { code });
    };
    syncBuiltinESMExports();
    try {
      const refused = await refusal(openDatabase(path, { create: async () => {} }));
      expect(refused).toMatchObject({ code: "unavailable", message: "The disk is full." });
    } finally {
      fs.openSync = openSync;
      syncBuiltinESMExports();
    }
  });

  it("openDatabase with create refuses a folder in which the user cannot write", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(folder, 0o755);
    chmodSync(closed, 0o555);
    const there = join(closed, "wcs.db");
    const refused = await asNobody(() => refusal(openDatabase(there, { create: async () => {} })));
    expect(refused).toMatchObject({ code: "unavailable", message: `${there} cannot be opened (EACCES).` });
  });

  it("openDatabase does not call a file missing in a folder that the user may not look into", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(folder, 0o755);
    chmodSync(closed, 0o000);
    const there = join(closed, "wcs.db");
    const refused = await asNobody(() => refusal(openDatabase(there)));
    chmodSync(closed, 0o700);
    expect(refused).toMatchObject({ code: "unavailable", message: `${there} cannot be opened (EACCES).` });
  });

  it("a file that the user can only read, or not read either, is refused when it is opened or written to", async () => {
    await create();
    chmodSync(folder, 0o755);
    for (const bits of [0o444, 0o000]) {
      chmodSync(path, bits);
      const refused = await asNobody(() =>
        refusal(
          openDatabase(path).then(async (database) => {
            try {
              await database.write((tx) => put(tx, "x", "1"));
            } catch (error) {
              throw database.explain(error);
            } finally {
              await database.close();
            }
          }),
        ),
      );
      expect(refused.code, bits.toString(8)).toBe("unavailable");
      expect(refused.message).not.toMatch(/SQLITE|attempt to write|unable to open database file/);
      if (bits === 0) expect(refused.message).toMatch(/cannot be opened; SQLite must be able to write to its folder/);
    }
  });
});
