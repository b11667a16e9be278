import { Migrator } from "kysely/migration";
import type { Tx } from "../database.ts";
import { migrations } from "./migration-list.ts";

/** Migrates, up to `last`, in the caller's transaction, which holds the lock. Returns the migrations that ran, oldest first. */
export async function runMigrations(tx: Tx, last?: string): Promise<string[]> {
  const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}
