import { latestMigration } from "../../../store/latest-migration.ts";
import { migrateSchema, openDatabase, openToMigrate } from "../../../store/open-database.ts";
import type { Context } from "../../kit/command-spec.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { createOutput } from "../../output/create-output.ts";
import { withDatabase } from "../../session/with-database.ts";
import { databaseOf } from "./db-target.ts";

export async function migrate(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const dryRun = flags.dryRun === true;
  const sample = { migration: "", applied: false };
  const output = createOutput({ sample, columns: Object.keys(sample), items: "migrations to apply" }, context);
  const address = databaseOf(context);
  const opening = dryRun ? openDatabase(address, { skipMigration: true }) : openToMigrate(address);
  await withDatabase(context, opening, async (database) => {
    const done = await terminal.spin("migrating", migrateSchema(database, dryRun));
    const items = done.map((migration) => ({ migration, applied: !dryRun }));
    await output.all(items);
    if (done.length === 0) terminal.note(`The schema is up to date (${latestMigration}).`);
    else if (dryRun) terminal.note(dryRunNote);
  });
}
