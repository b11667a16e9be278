import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import type { Db } from "../database.ts";
import { openDatabase } from "../open-database.ts";
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

async function objectsOfNewDatabase(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "wcs-check-"));
  try {
    const database = await openDatabase(join(folder, "new.db"), { create: async () => {} });
    return await listObjects(database.reader).finally(() => database.close());
  } finally {
    await rm(folder, { recursive: true });
  }
}
