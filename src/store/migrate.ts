import { Migrator } from "kysely/migration";
import type { Tx } from "./database.ts";
import { migrations } from "./migrations/index.ts";

/** Brings the schema up to date within the caller's transaction, which has waited for its turn. */
export async function migrate(tx: Tx): Promise<void> {
  const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
