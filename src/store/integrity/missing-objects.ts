import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import type { Db } from "../database.ts";
import { runMigrations } from "../migrations/run-migrations.ts";
import { WritingDriver } from "../sqlite/group-commit.ts";
import { createKysely, WritingAdapter } from "../sqlite/kysely-on-sqlite.ts";
import type { Check } from "./check-database.ts";
import { mostExamples } from "./recount.ts";

/** Checks a SQLite database with this program's schema. A missing index only makes it slow, so nothing else tells of it. */
export const structureCheck: Check = {
  name: "structure",
  passed: "All tables, indexes and triggers exist.",
  async run({ reader }) {
    const there = new Set(await listObjects(reader));
    const missing = (await objectsOfNewDatabase()).filter((object) => !there.has(object));
    return {
      total: missing.length,
      examples: missing.slice(0, mostExamples).map((object) => `the ${object} is missing`),
    };
  },
};

/** Lists tables, indexes and triggers, each as its type and name. */
async function listObjects(reader: Db): Promise<string[]> {
  const { rows } = await sql<{ object: string }>`
    select type || ' ' || name as object from sqlite_master where name not like 'sqlite\\_%' escape '\\' order by 1`.execute(
    reader,
  );
  return rows.map(({ object }) => object);
}

/** Creates the new database in memory, since there may be no folder for temporary files. */
async function objectsOfNewDatabase(): Promise<string[]> {
  const connection = new DatabaseSync(":memory:");
  const driver = new WritingDriver(
    connection,
    async () => connection.exec("begin"),
    () => {},
  );
  try {
    return await createKysely(driver, new WritingAdapter())
      .transaction()
      .execute(async (tx) => {
        await runMigrations(tx);
        return listObjects(tx);
      });
  } finally {
    connection.close();
  }
}
