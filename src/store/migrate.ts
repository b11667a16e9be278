import { Migrator } from "kysely/migration";
import type { Tx } from "./database.ts";
import { migrations } from "./migrations/index.ts";

/** Brings the schema up to date within the caller's transaction, which has waited for its turn; what it ran, oldest first. */
export async function migrate(tx: Tx): Promise<string[]> {
  const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}
