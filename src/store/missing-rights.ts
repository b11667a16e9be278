import { sql } from "kysely";
import { ServiceError } from "../contract/errors.ts";
import type { Database } from "./database.ts";
import { isPostgres } from "./dialect.ts";

/**
 * Returns a sentence about the rights that the PostgreSQL user lacks, and what to do; undefined when
 * nothing is missing, and on SQLite.
 */
export async function findMissingRights({ reader }: Pick<Database, "reader">): Promise<string | undefined> {
  if (!isPostgres(reader)) return undefined;
  const { rows } = await sql<{ value: string }>`select current_setting('transaction_read_only') as value`.execute(
    reader,
  );
  if (rows[0]?.value === "on") return `${readOnly.message} ${readOnly.hint}`;
  const tables = await tablesWithoutRights(reader);
  return tables.length === 0 ? undefined : describeTables(tables);
}

export const readOnly = {
  message: "PostgreSQL allows only reads: this server is a standby, or the user or the database is read-only.",
  hint: "Connect to the primary server, or reset default_transaction_read_only of the user and the database.",
};

/** Returns the tables that the user may not read and change. That of migrations has to be readable only. */
async function tablesWithoutRights(reader: Database["reader"]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = quote_ident(current_schema())::regnamespace and not (
      has_table_privilege(oid, 'select') and (relname like 'kysely\\_%' or (
        has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))))
    order by relname`.execute(reader);
  return rows.map(({ name }) => name);
}

function describeTables(tables: readonly string[]): string {
  const named = tables.slice(0, 3).join(", ");
  const more = tables.length > 3 ? ` and ${tables.length - 3} more` : "";
  return `The PostgreSQL user may not read and change the tables ${named}${more}. Grant it select, insert, update and delete on all tables of the schema.`;
}

/** Throws `unavailable` when the user of the connection lacks rights that a server needs. */
export async function requireRights(database: Database): Promise<void> {
  const missing = await findMissingRights(database).catch((error) => {
    throw database.explain(error);
  });
  if (missing !== undefined) throw new ServiceError("unavailable", missing);
}
