import { sql } from "kysely";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { prepared } from "../../src/store/prepared.ts";
import { put, useDatabase } from "./support.ts";

const quotient = prepared((db, p: { divisor: number }) =>
  db
    .selectFrom("fact_versions")
    .select([
      sql<number>`1000 / cast(${p.divisor} as integer)`.as("result"),
      sql<number>`pg_backend_pid()`.as("connection"),
    ])
    .where("kind", "=", "settings"),
);

const everything = prepared((db) => db.selectFrom("settings").selectAll());

describe("reads at the same time (postgres)", () => {
  const open = useDatabase("postgres");
  const read = async (divisor: number) => {
    const [row] = await quotient(open().database.reader, { divisor });
    return row;
  };

  it("get their own rows from few connections", async () => {
    const divisors = Array.from({ length: 200 }, (_, n) => n + 1);
    for (let run = 0; run < 2; run += 1) {
      const rows = await Promise.all(divisors.map(read));
      expect(rows.map((row) => row?.result)).toEqual(divisors.map((divisor) => Math.floor(1000 / divisor)));
      expect(new Set(rows.map((row) => row?.connection)).size).toBeLessThanOrEqual(4);
    }
  });

  it("do not fail because another one on their connection does", async () => {
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => read(n % 5)));
    for (const [n, result] of results.entries()) {
      if (n % 5 === 0) expect(result).toMatchObject({ status: "rejected", reason: { code: "22012" } });
      else expect(result).toMatchObject({ status: "fulfilled", value: { result: Math.floor(1000 / (n % 5)) } });
    }
  });

  it("fail with their connection, and those after it do not", async () => {
    const { database, target } = open();
    const { connection } = (await read(1))!;
    const other = new pg.Client({ connectionString: target });
    await other.connect();
    await other.query("select pg_terminate_backend($1)", [connection]);
    await other.end();
    await expect.poll(() => read(2).catch((error) => database.explain(error))).toMatchObject({ result: 500 });
    const rows = await Promise.all(Array.from({ length: 50 }, (_, n) => read(n + 1)));
    expect(rows.map((row) => row?.connection)).not.toContain(connection);
  });

  it("have the columns that another process has added", async () => {
    const { database, target } = open();
    const columns = async () => {
      const rows = await everything(database.reader, {}).catch((error) => [database.explain(error) as object]);
      return Object.keys(rows[0] ?? {});
    };
    await database.write((tx) => put(tx, "port", "Genoa"));
    expect(await columns()).not.toContain("later");
    const other = new pg.Client({ connectionString: target });
    await other.connect();
    await other.query("alter table settings add column later text default 'x'");
    await other.end();
    await expect.poll(columns).toContain("later");
  });
});
