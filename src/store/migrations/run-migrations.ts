import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import type { Tx } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import { migrations } from "./migration-list.ts";

/** Migrates, up to `last`, in the caller's transaction, which holds the lock. Returns the migrations that ran, oldest first. */
export async function runMigrations(tx: Tx, last?: string): Promise<string[]> {
  const schema = isPostgres(tx) ? await currentSchema(tx) : {};
  const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations }, ...schema });
  const { error, results = [] } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}

/** Without it, the migrator would take the tables of an instance in another schema of the database for its own. */
async function currentSchema(tx: Tx): Promise<{ migrationTableSchema: string }> {
  const found = await sql<{ name: string }>`select current_schema() as name`.execute(tx);
  // openDatabase refused a database without one.
  return { migrationTableSchema: found.rows[0]!.name };
}
