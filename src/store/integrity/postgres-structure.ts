import { sql } from "kysely";
import type { Database, Db } from "../database.ts";
import { runOrRollBack } from "../dry-run.ts";
import { runMigrations } from "../migrations/run-migrations.ts";
import type { Check } from "./check-database.ts";
import { compareObjects } from "./missing-objects.ts";

/** Compares a PostgreSQL database with this program's schema. After errors, `pg_restore` goes on and leaves out objects. */
export const postgresStructureCheck: Check = {
  name: "structure",
  passed:
    "All tables, columns, indexes, foreign keys and triggers are there, and there are no other triggers, rules or row-level security.",
  run: async (database) => compareObjects(await listObjects(database.reader), await objectsOfNewSchema(database)),
};

/** Returns false for a user who only changes rows, and on a standby. */
export async function mayCreateSchema({ reader }: Pick<Database, "reader">): Promise<boolean> {
  const { rows } = await sql<{ allowed: boolean }>`
    select has_database_privilege(current_database(), 'create')
      and current_setting('transaction_read_only') = 'off' as allowed`.execute(reader);
  return rows[0]?.allowed === true;
}

/** Creates the schema of a new database beside the present one, and rolls it back. */
const objectsOfNewSchema = ({ writeLocking }: Database): Promise<Map<string, string>> =>
  runOrRollBack(writeLocking, true, async (tx) => {
    await sql`create schema wcs_structure_check`.execute(tx);
    await sql`set local search_path = wcs_structure_check`.execute(tx);
    await runMigrations(tx);
    return listObjects(tx);
  });

/**
 * Returns the objects of the current schema that are in force, by type and name, with the columns of tables and the text of
 * indexes and triggers. Triggers enforce foreign keys. Storage parameters of indexes, such as `fillfactor`, are left to operators.
 */
async function listObjects(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ object: string; text: string }>`
    with relations as (
      select oid, relname, relkind from pg_class where relnamespace = quote_ident(current_schema())::regnamespace
    )
    select 'table ' || relname as object, (
      select string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attcollation, attnotnull, attidentity,
        pg_get_expr(adbin, adrelid)), chr(10) order by attname)
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = relations.oid and attnum > 0 and not attisdropped
    ) as text from relations where relkind = 'r'
    union all
    select 'index ' || relname, regexp_replace(pg_get_indexdef(indexrelid, 0, true), ' WITH [(][^)]*[)]', '')
    from relations join pg_index on indexrelid = oid where indisvalid
    union all
    select 'foreign key ' || conname, '' from relations join pg_constraint on conrelid = relations.oid
    where contype = 'f' and convalidated
      and not exists (select from pg_trigger where tgconstraint = pg_constraint.oid and tgenabled in ('D', 'R'))
    union all
    select 'trigger ' || tgname || ' on ' || relname, pg_get_triggerdef(pg_trigger.oid, true)
    from relations join pg_trigger on tgrelid = relations.oid where not tgisinternal and tgenabled not in ('D', 'R')
    union all
    select 'rule ' || rulename || ' on ' || relname, '' from relations join pg_rewrite on ev_class = relations.oid
    where rulename <> '_RETURN'
    union all
    select 'row-level security of ' || relname, '' from pg_class where relrowsecurity and oid in (select oid from relations)
    order by 1`.execute(db);
  return new Map(rows.map(({ object, text }) => [object, text]));
}
