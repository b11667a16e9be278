import { type Kysely, sql } from "kysely";
import { searchKeyCheck } from "../../src/core/directory/search-key-check.ts";
import type { Database } from "../../src/store/database.ts";
import { isPostgres } from "../../src/store/dialect.ts";
import { contentChecks } from "../../src/store/integrity/check-database.ts";
import type { Schema } from "../../src/store/schema/schema.ts";
import { conversationMistakes } from "./conversation-mistakes.ts";
import { eventMistakes } from "./event-mistakes.ts";
import { fileMistakes, groupMistakes } from "./group-mistakes.ts";
import { postMistakes } from "./post-mistakes.ts";

type Row = Record<string, unknown>;

/** All rows of all tables, in an order of their own: two of these are equal when the data is. */
export async function allRows({ reader }: Database): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {};
  for (const name of await tableNames(reader)) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(reader);
    tables[name] = rows
      .map((row) => ({ row: { ...row }, text: JSON.stringify(row) }))
      .sort((a, b) => compare(a.text, b.text))
      .map(({ row }) => row);
  }
  return tables;
}

/** The rows of each table as one text, to compare often: on PostgreSQL by one query. */
export async function tableTexts(database: Database): Promise<Record<string, string>> {
  const { reader } = database;
  if (!isPostgres(reader)) {
    return Object.fromEntries(
      Object.entries(await allRows(database)).map(([name, rows]) => [name, JSON.stringify(rows)]),
    );
  }
  const texts = (await tableNames(reader)).map(
    (name) =>
      sql`select ${sql.lit(name)} as name, string_agg(t::text, ' ' order by t::text) as text from ${sql.table(name)} as t`,
  );
  const { rows } = await sql<{ name: string; text: string }>`${sql.join(texts, sql` union all `)}`.execute(reader);
  return Object.fromEntries(rows.map(({ name, text }) => [name, text]));
}

async function tableNames(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = isPostgres(db)
    ? await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(
        db,
      )
    : await sql<{
        name: string;
      }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`.execute(db);
  return rows.map((row) => row.name).sort();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns inconsistencies of derived data: paths, levels, counts, first units, words, unread counts, occurrences.
 * Empty when there are none.
 */
export async function mistakes(database: Database): Promise<string[]> {
  return [
    ...(await treeMistakes(database)),
    ...(await userMistakes(database)),
    ...(await conversationMistakes(database)),
    ...(await postMistakes(database)),
    ...(await eventMistakes(database)),
    ...(await groupMistakes(database)),
    ...(await fileMistakes(database)),
    ...(await foundBySql(database)),
  ];
}

/** Returns the issues of `wcs db check`. */
async function foundBySql(database: Database): Promise<string[]> {
  const found: string[] = [];
  for (const { name, run } of [...contentChecks, searchKeyCheck]) {
    for (const example of (await run(database)).examples) found.push(`db check, ${name}: ${example}`);
  }
  return found;
}

async function treeMistakes({ reader }: Database): Promise<string[]> {
  const units = await reader.selectFrom("units").selectAll().execute();
  const rows = await reader.selectFrom("memberships").select("unit_id").execute();
  const members = Map.groupBy(rows, (membership) => membership.unit_id);
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  const children = Map.groupBy(units, (unit) => unit.parent_id);
  const below = (id: number): number =>
    (children.get(id) ?? []).reduce((total, child) => total + 1 + below(child.id), 0);
  const found: string[] = [];
  if (children.get(null)?.length !== 1) found.push(`${children.get(null)?.length} roots`);
  for (const unit of units) {
    const parent = unit.parent_id === null ? undefined : byId.get(unit.parent_id);
    const expected = {
      path: `${parent?.path ?? "/"}${unit.id}/`,
      level: parent === undefined ? 0 : parent.level + 1,
      child_count: children.get(unit.id)?.length ?? 0,
      descendant_count: below(unit.id),
      user_count: members.get(unit.id)?.length ?? 0,
    };
    for (const [name, value] of Object.entries(expected)) {
      const kept = unit[name as keyof typeof expected];
      if (kept !== value) found.push(`unit ${unit.id}: ${name} is ${kept}, not ${value}`);
    }
  }
  return found;
}

async function userMistakes({ reader }: Database): Promise<string[]> {
  const found: string[] = [];
  const rows = await reader.selectFrom("memberships").selectAll().orderBy("id").execute();
  const memberships = Map.groupBy(rows, (membership) => membership.user_id);
  for (const user of await reader.selectFrom("users").selectAll().execute()) {
    const own = memberships.get(user.id) ?? [];
    if (user.unit_id !== (own[0]?.unit_id ?? null)) found.push(`user ${user.id}: unit_id is ${user.unit_id}`);
    if (user.deleted_at === null && own.length === 0) found.push(`user ${user.id}: no membership`);
    if (user.deleted_at !== null && own.length > 0) found.push(`user ${user.id}: deleted, with memberships`);
  }
  const departments = await reader
    .selectFrom("memberships as m")
    .innerJoin("departments as d", "d.id", "m.department_id")
    .select(["m.id", "m.unit_id", "d.unit_id as of"])
    .execute();
  for (const { id, unit_id, of } of departments) {
    if (unit_id !== of) found.push(`membership ${id}: a department of unit ${of} in unit ${unit_id}`);
  }
  return found;
}
