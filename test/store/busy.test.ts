import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { latestMigration } from "../../src/store/latest-migration.ts";
import { removeEmptyFile, waitUntilUnused } from "../../src/store/sqlite/wait-until-unused.ts";
import { type Child, startChild } from "../support/child.ts";
import { newDatabase, newInstanceDatabase } from "../support/instance.ts";
import { refusal } from "../support/outcome.ts";
import { turnsDuring } from "../support/turns.ts";
import { get, put, useDatabase } from "./support.ts";

describe("another process that writes (SQLite)", () => {
  const open = useDatabase("sqlite");
  let child: Child | undefined;
  afterEach(() => child?.kill());

  const hold = async () => {
    child = startChild("store/lock-holder.ts", [open().target]);
    expect(await child.next()).toBe("locked");
    return child;
  };

  it("is waited for, while everything else goes on", async () => {
    const { database } = open();
    const holder = await hold();
    let written = false;
    const writing = [1, 2].map((n) =>
      database
        .write((tx) => put(tx, `after ${n}`, 1))
        .then(() => {
          written = true;
        }),
    );
    // Reads and other requests have their turn meanwhile.
    for (let n = 0; n < 20; n++) {
      await turn();
      expect(await get(database, "held")).toBeUndefined();
    }
    expect(written).toBe(false);
    // The system's clock may be set while it waits.
    const later = Date.now() + 3_600_000;
    vi.spyOn(Date, "now").mockImplementation(() => later);
    onTestFinished(() => void vi.mocked(Date.now).mockRestore());
    holder.process.kill("SIGTERM");
    await Promise.all(writing);
    expect([await get(database, "held"), await get(database, "after 1")]).toEqual(["1", "1"]);
    await database.write((tx) => tx.deleteFrom("settings").execute());
  });

  it("that takes too long is given up, and nothing is written later", async () => {
    const { database } = open();
    const holder = await hold();
    let ran = false;
    const writing = database.write(async (tx) => {
      ran = true;
      await put(tx, "too late", 1);
    });
    const refused = await refusal(
      writing.catch((error) => {
        throw database.explain(error);
      }),
    );
    expect(refused).toMatchObject({ code: "unavailable", message: expect.stringContaining("busy"), retryAfter: 1 });
    expect(ran).toBe(false);
    holder.process.kill("SIGTERM");
    await database.write((tx) => put(tx, "after", 1));
    expect(await get(database, "too late")).toBeUndefined();
  });

  it("that takes too long is waited for once, by all who wait at the same time", async () => {
    const { database } = open();
    await database.write((tx) => tx.deleteFrom("settings").execute());
    const holder = await hold();
    const refused = Array.from({ length: 4 }, (_, n) =>
      refusal(
        database
          .write((tx) => put(tx, `waiting ${n}`, 1))
          .catch((error) => {
            throw database.explain(error);
          }),
      ),
    );
    await refused[0];
    // While one waits, the event loop turns thousands of times.
    expect(await turnsDuring(Promise.all(refused))).toBeLessThan(100);
    expect(await Promise.all(refused)).toEqual(Array(4).fill(expect.objectContaining({ code: "unavailable" })));
    const late = database.write((tx) => put(tx, "late", 1));
    await turn();
    holder.process.kill("SIGTERM");
    await late;
    expect(await get(database, "late")).toBe("1");
  });

  it("that is killed in the middle leaves nothing, and holds nobody up", async () => {
    const { database } = open();
    await database.write((tx) => tx.deleteFrom("settings").execute());
    const holder = await hold();
    const writing = database.write((tx) => put(tx, "after the end", 1));
    await holder.kill();
    await writing;
    expect([await get(database, "held"), await get(database, "after the end")]).toEqual([undefined, "1"]);
  });
});

it("waitUntilUnused waits for a command that is still at work", async () => {
  const { target, remove } = await newInstanceDatabase("sqlite");
  onTestFinished(remove);
  const command = new DatabaseSync(target);
  command.prepare("select * from instance").get();
  const unused = waitUntilUnused(target, "a later migration");
  command.close();
  expect(await unused).toBe(true);
});

it("removeEmptyFile removes a database only if it is empty and no other process is at work on it", async () => {
  const { target, remove } = await newDatabase("sqlite");
  onTestFinished(remove);
  const command = new DatabaseSync(target);
  command.exec("pragma journal_mode = wal; begin immediate");
  removeEmptyFile(target);
  expect(existsSync(target)).toBe(true);
  command.exec("create table theirs (id integer); commit");
  command.close();
  removeEmptyFile(target);
  expect(existsSync(target)).toBe(true);
  const emptied = new DatabaseSync(target);
  emptied.exec("drop table theirs");
  emptied.close();
  removeEmptyFile(target);
  expect(existsSync(target)).toBe(false);
});

it("waitUntilUnused throws at once for a file that is damaged, not busy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-busy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "wcs.db");
  writeFileSync(path, "No database. ".repeat(1000));
  await expect(waitUntilUnused(path, latestMigration)).rejects.toThrow("file is not a database");
});
