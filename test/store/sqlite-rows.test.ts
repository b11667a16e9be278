import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { insertRows } from "../../src/store/bulk.ts";
import type { Db } from "../../src/store/database.ts";
import { ReadingDriver } from "../../src/store/sqlite/sqlite-driver.ts";
import { useDatabase } from "./support.ts";

/** More rows than a statement names one by one. */
const many = 1200;

describe("rows of SQLite", () => {
  const open = useDatabase("sqlite");

  beforeAll(async () => {
    const mail = (n: number) => ({
      kind: "welcome",
      recipient: `r${n}`,
      user_id: n,
      payload: "",
      created_at: 1,
      due_at: n,
    });
    const rows = Array.from({ length: many }, (_, n) => mail(n));
    await open().database.write((tx) => insertRows(tx, "mails", rows));
  });

  it("are the same after the statement has returned many", async () => {
    const { reader } = open().database;
    const query = reader
      .selectFrom("mails")
      .select(["user_id", "recipient", sql<null>`null`.as('a "quoted" name')])
      .orderBy("user_id");
    const expected = Array.from({ length: many }, (_, n) => ({
      user_id: n,
      recipient: `r${n}`,
      'a "quoted" name': null,
    }));
    for (let run = 0; run < 2; run += 1) expect(await query.execute()).toStrictEqual(expected);
  });

  it("are made by a compiled function only from the 502nd row of a statement on", async () => {
    const compile = vi.spyOn(globalThis, "Function");
    onTestFinished(() => compile.mockRestore());
    const { reader } = open().database;
    const first = reader.selectFrom("mails").select("recipient as address").where("user_id", "=", 1);
    const others = reader.selectFrom("mails").select("recipient as address").where("user_id", ">", 700);
    for (let run = 1; run <= 500; run += 1) expect(await first.execute()).toStrictEqual([{ address: "r1" }]);
    expect(compile).not.toHaveBeenCalled();
    for (let run = 501; run <= 503; run += 1) expect(await first.execute()).toStrictEqual([{ address: "r1" }]);
    expect(compile).toHaveBeenCalledTimes(1);
    // Compiled once, while its rows are read.
    expect(await others.execute()).toHaveLength(many - 701);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("are none after a statement that returns none, and those that it changed are counted", async () => {
    const update = sql`update mails set due_at = due_at`;
    const { rows, numAffectedRows } = await open().database.write((tx) => update.execute(tx));
    expect([rows, numAffectedRows]).toEqual([[], BigInt(many)]);
  });

  it("have the columns that another process has added", async () => {
    const { database } = open();
    const read = () => database.reader.selectFrom("mails").selectAll().orderBy("id").execute();
    expect(Object.keys((await read()).at(-1) ?? {})).not.toContain("later");
    await database.write((tx) => sql`alter table mails add column later text default 'x'`.execute(tx));
    for (const row of await read()) expect(row).toMatchObject({ later: "x" });
  });

  it("are found by flags and limits of any value", async () => {
    const { reader } = open().database;
    const first = (user: number, limit: number) =>
      reader
        .selectFrom("mails")
        .select("user_id")
        .where("user_id", ">=", user)
        .orderBy("user_id")
        .limit(limit)
        .execute();
    expect(await first(0, 2)).toStrictEqual([{ user_id: 0 }, { user_id: 1 }]);
    expect(await first(1, 1)).toStrictEqual([{ user_id: 1 }]);
    expect(await first(7, 3)).toStrictEqual([{ user_id: 7 }, { user_id: 8 }, { user_id: 9 }]);
    expect(await first(0, 0)).toStrictEqual([]);
  });

  it("are found by statements with flags and limits as literals", async () => {
    const { reader } = open().database;
    const users = reader.selectFrom("users").select("id");
    const query = users.where("active", "=", 1).where("admin", "=", 0).where("id", ">", 5).limit(7);
    const { sql: text, parameters } = query.compile();
    expect(text).toMatch(/"active" = 1 and "admin" = 0 and "id" > \? limit 7$/);
    expect(parameters).toStrictEqual([5]);
    // Flags to store are parameters, so that rows with different ones have one statement.
    expect(reader.updateTable("users").set({ active: 0 }).compile().parameters).toStrictEqual([0]);
  });

  it("are read all at once, not as a stream", async () => {
    const stream = (db: Db) => Array.fromAsync(db.selectFrom("users").select("id").stream());
    const { database } = open();
    await expect(stream(database.reader)).rejects.toThrow("queries are not streamed");
    await expect(database.write(stream)).rejects.toThrow("queries are not streamed");
    expect(await database.write((tx) => sql<object>`select 1 as one`.execute(tx))).toMatchObject({
      rows: [{ one: 1 }],
    });
  });

  it("come from statements that are prepared once, of which at most 500 are kept", () => {
    const connection = new DatabaseSync(":memory:");
    const prepare = vi.spyOn(connection, "prepare");
    const driver = new ReadingDriver(connection);
    const run = (number: number) => {
      expect(driver.run(`select ${number} as number`, [])).toStrictEqual([{ number }]);
      return prepare.mock.calls.length;
    };
    for (let number = 1; number <= 500; number += 1) expect(run(number)).toBe(number);
    expect(run(1)).toBe(500);
    expect(run(501)).toBe(501);
    expect(run(1)).toBe(502);
    connection.close();
  });
});
