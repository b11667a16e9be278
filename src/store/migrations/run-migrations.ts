import { Migrator } from "kysely/migration";
import type { Tx } from "../database.ts";
import { migrations } from "./migration-list.ts";

/**
 * Migrates the schema within the caller's transaction, which already holds the lock. Returns the migrations that ran, oldest
 * first.
 */
export async function runMigrations(tx: Tx): Promise<string[]> {
  const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}
