import { sql } from "kysely";
import type { Db, Tx } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import type { CatalogueTable } from "./table-catalogue.ts";

interface Sequence {
  readonly name: string;
  readonly last: number;
}

/** Returns the last ID that each table has given, by table; tables that never gave one are missing. */
export async function readSequences(db: Db): Promise<Map<string, number>> {
  const query = isPostgres(db)
    ? sql<Sequence>`select t.relname as name, q.last_value as last
        from pg_sequences as q
        join pg_class as s on s.relname = q.sequencename and s.relnamespace = quote_ident(current_schema())::regnamespace
        join pg_depend as d on d.objid = s.oid and d.deptype = 'i' and d.refclassid = 'pg_class'::regclass
        join pg_class as t on t.oid = d.refobjid
        where q.schemaname = current_schema() and q.last_value is not null`
    : sql<Sequence>`select name, seq as last from sqlite_sequence`;
  const { rows } = await query.execute(db);
  return new Map(rows.map(({ name, last }) => [name, last]));
}

/** Makes IDs continue after those of the source, also of deleted rows, which tokens and audit entries may name. */
export async function continueSequences(
  tx: Tx,
  tables: readonly CatalogueTable[],
  given: Map<string, number>,
): Promise<void> {
  for (const { name, columns } of tables) {
    if (!columns.includes("id")) continue;
    const { rows } = await sql<{ last: number }>`select coalesce(max(id), 0) as last from ${sql.table(name)}`.execute(
      tx,
    );
    const last = Math.max(given.get(name) ?? 0, rows[0]?.last ?? 0);
    if (last === 0) continue;
    if (isPostgres(tx)) {
      await sql`select setval(pg_get_serial_sequence(quote_ident(${name}), 'id'), ${last})`.execute(tx);
    } else {
      await sql`delete from sqlite_sequence where name = ${name}`.execute(tx);
      await sql`insert into sqlite_sequence (name, seq) select name, ${last} from sqlite_master
        where type = 'table' and name = ${name} and sql like '%autoincrement%'`.execute(tx);
    }
  }
}
