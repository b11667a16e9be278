import { sql } from "kysely";
import type { Tx } from "../database.ts";
import { isPostgres, statements } from "../dialect.ts";

/**
 * Drops indexes, triggers and, on PostgreSQL, foreign keys, of all tables by default. Returns a function that creates them again,
 * and calls `pause` before each, since an index of a large table takes seconds.
 */
export async function suspendIndexes(tx: Tx, pause: () => Promise<void>, table?: string): Promise<() => Promise<void>> {
  if (isPostgres(tx)) await sql`set local maintenance_work_mem = '256MB'`.execute(tx);
  else await sql`pragma defer_foreign_keys = on`.execute(tx);
  const { rows: all } = await (isPostgres(tx) ? postgresObjects : sqliteObjects).execute(tx);
  const rows = all.filter((row) => table === undefined || row.table_name === table);
  await statements(tx, ...rows.map((row) => row.removal));
  return async () => {
    for (const { creation } of rows.toReversed()) {
      await pause();
      await statements(tx, creation);
    }
  };
}

interface Suspended {
  readonly table_name: string;
  readonly removal: string;
  readonly creation: string;
}

const sqliteObjects = sql<Suspended>`
  select 'drop ' || type || ' "' || name || '"' as removal, sql as creation, tbl_name as table_name
  from sqlite_master where type in ('index', 'trigger') and sql is not null order by type desc, name`;

/** Foreign keys come first, since they need the indexes. Triggers remain, since the only one runs once per statement. */
const postgresObjects = sql<Suspended>`
  (select format('alter table %s drop constraint %I', conrelid::regclass, conname) as removal,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as creation,
    conrelid::regclass::text as table_name
  from pg_constraint where contype = 'f' and connamespace = quote_ident(current_schema())::regnamespace)
  union all
  (select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), t.relname
  from pg_index as i join pg_class as t on t.oid = i.indrelid
  where t.relkind = 'r' and t.relnamespace = quote_ident(current_schema())::regnamespace
    and not exists (select 1 from pg_constraint as c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x')))`;
