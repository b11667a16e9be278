import { sql } from "kysely";
import { ServiceError } from "../contract/errors.ts";
import type { Database } from "./database.ts";
import { isPostgres } from "./dialect.ts";

/** Returns the tables that the user may not read and change; on SQLite none. That of migrations has to be readable only. */
export async function tablesWithoutRights({ reader }: Pick<Database, "reader">): Promise<string[]> {
  if (!isPostgres(reader)) return [];
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and not (
      has_table_privilege(oid, 'select') and (relname like 'kysely\\_%' or (
        has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))))
    order by relname`.execute(reader);
  return rows.map(({ name }) => name);
}

/** Throws `unavailable` when the user of the connection lacks rights that a server needs. */
export async function requireRights(database: Database): Promise<void> {
  const tables = await tablesWithoutRights(database).catch((error) => {
    throw database.explain(error);
  });
  if (tables.length > 0) throw new ServiceError("unavailable", describeMissingRights(tables));
}

/** Returns the sentence that says which rights are missing and how to grant them. */
export function describeMissingRights(tables: readonly string[]): string {
  const named = tables.slice(0, 3).join(", ");
  const more = tables.length > 3 ? ` and ${tables.length - 3} more` : "";
  return `The PostgreSQL user may not read and change the tables ${named}${more}. Grant it select, insert, update and delete on all tables of the schema.`;
}
