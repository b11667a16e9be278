import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import type { Db } from "../database.ts";
import { runMigrations } from "../migrations/run-migrations.ts";
import { WritingDriver } from "../sqlite/group-commit.ts";
import { createKysely, WritingAdapter } from "../sqlite/kysely-on-sqlite.ts";
import type { Check } from "./check-database.ts";
import { type IntegrityIssues, maxExamples } from "./recount.ts";

/** Compares a SQLite database with this program's schema. A missing index only makes it slow, so nothing else tells of it. */
export const structureCheck: Check = {
  name: "structure",
  passed: "All tables, columns, indexes and triggers are there, and there are no other triggers or views.",
  run: async ({ reader }) => compareObjects(await listObjects(reader), await objectsOfNewDatabase()),
};

/** Compares objects, by type and name, with those of a new database. The text of a table has a line for each column. */
export function compareObjects(
  there: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): IntegrityIssues {
  const missing = [...expected.keys()].filter((object) => !there.has(object));
  // Other tables and indexes do no harm. A trigger or a rule changes data unseen, for example the rights of new users.
  const isForeign = (object: string) => /^(trigger|view|rule|row-level security) /.test(object);
  const others = [...there].flatMap(([object, text]) => {
    const wanted = expected.get(object);
    if (wanted === undefined ? !isForeign(object) : text === wanted) return [];
    return wanted !== undefined && object.startsWith("table ")
      ? `the columns of the ${object} are not those of wcs: ${columnsThatDiffer(text, wanted).join(", ")}`
      : `the ${object} is not that of wcs`;
  });
  const issues = [...others, ...missing.map((object) => `the ${object} is missing`)];
  return { total: issues.length, examples: issues.slice(0, maxExamples) };
}

/** Returns the names of the columns that are in one text only, or different. */
function columnsThatDiffer(one: string, other: string): string[] {
  const [ones, others] = [one.split("\n"), other.split("\n")];
  const lines = [...ones.filter((line) => !others.includes(line)), ...others.filter((line) => !ones.includes(line))];
  return [...new Set(lines.map((line) => line.replace(/ .*/, "")))];
}

/** Returns the columns of each table and the SQL text of each index, trigger and view, by type and name. */
async function listObjects(reader: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ object: string; text: string }>`
    select type || ' ' || name as object, case type when 'table' then (
      select group_concat(concat_ws(' ', c.name, c.type, c."notnull", c.dflt_value), char(10) order by c.name)
      from pragma_table_info(m.name) c
    ) else sql end as text from sqlite_master m
    where type in ('trigger', 'view') or name not like 'sqlite\\_%' escape '\\' order by 1`.execute(reader);
  return new Map(rows.map(({ object, text }) => [object, text]));
}

/** Creates the new database in memory, since there may be no folder for temporary files. */
async function objectsOfNewDatabase(): Promise<Map<string, string>> {
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
