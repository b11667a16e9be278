import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Db } from "../database.ts";
import { isPostgres } from "../dialect.ts";

export interface CatalogueTable {
  readonly name: string;
  /** In alphabetical order. */
  readonly columns: readonly string[];
  readonly types: readonly string[];
  /** Columns that order all rows; empty when a table of PostgreSQL has no primary key. */
  readonly order: readonly string[];
}

/** Tables that a copy does not read, with the reason. */
export const notCopied: Readonly<Record<string, string>> = {
  kysely_migration: "The migrations of the target fill it.",
  kysely_migration_lock: "The migrations of the target fill it.",
  fact_versions: "Triggers keep it, and each database has versions of its own.",
  message_words: "The databases store it differently; it is built from the messages.",
};

/** Returns the tables to copy, in the order in which they were created. Virtual tables of SQLite are left out. */
export async function listTables(db: Db): Promise<CatalogueTable[]> {
  const { rows } = await (isPostgres(db) ? postgresColumns : sqliteColumns).execute(db);
  const tables = Map.groupBy(rows, (row) => row.table_name);
  return [...tables].flatMap(([name, columns]) => {
    if (Object.hasOwn(notCopied, name)) return [];
    const key = columns.filter(({ key_place }) => key_place > 0).sort((a, b) => a.key_place - b.key_place);
    const order = columns[0]?.has_rowid === 1 ? ["rowid"] : key.map(({ name }) => name);
    columns.sort((a, b) => (a.name < b.name ? -1 : 1));
    const types = columns.map(({ type }) => type);
    return { name, columns: columns.map(({ name }) => name), types, order };
  });
}

interface ColumnRow {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
  /** Place in the primary key, from 1; 0 outside of it. */
  readonly key_place: number;
  readonly has_rowid: number;
}

const sqliteColumns = sql<ColumnRow>`
  select t.name as table_name, c.name, c.type, c.pk as key_place, not t.wr as has_rowid
  from pragma_table_list as t
  join sqlite_master as m on m.type = 'table' and m.name = t.name
  join pragma_table_info(t.name) as c
  where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite~_%' escape '~'
  order by m.rowid, c.cid`;

const postgresColumns = sql<ColumnRow>`
  select t.relname as table_name, c.attname as name, y.typname as type, 0 as has_rowid,
    coalesce(array_position(i.indkey::int2[], c.attnum) + 1, 0) as key_place
  from pg_class as t
  join pg_attribute as c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
  join pg_type as y on y.oid = c.atttypid
  left join pg_index as i on i.indrelid = t.oid and i.indisprimary
  where t.relkind in ('r', 'p') and t.relnamespace = quote_ident(current_schema())::regnamespace
  order by t.oid, c.attnum`;

/** Throws `conflict` unless both databases have the same tables with the same columns, so that a copy leaves out none. */
export function requireSameColumns(source: readonly CatalogueTable[], target: readonly CatalogueTable[]): void {
  const columnsOf = (tables: readonly CatalogueTable[]) =>
    new Set(tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`)));
  const [found, expected] = [columnsOf(source), columnsOf(target)];
  const unknown = found.values().find((column) => !expected.has(column));
  if (unknown !== undefined)
    throw new ServiceError("conflict", `The source has the column ${unknown}, which wcs does not know.`);
  const missing = expected.values().find((column) => !found.has(column));
  if (missing !== undefined) throw new ServiceError("conflict", `The source does not have the column ${missing}.`);
}
