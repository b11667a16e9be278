import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { checkReplacement } from "../../../store/backup/replace-database.ts";
import { examineBackup, restoreBackup } from "../../../store/backup/restore-backup.ts";
import { latestMigration } from "../../../store/latest-migration.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { draftFor } from "../../file-io/open-destination.ts";
import { readFailure } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { requireConfirmation } from "../../kit/confirmation.ts";
import { dryRunNote } from "../../kit/note-done.ts";
import { createOutput } from "../../output/create-output.ts";
import { keyIssue, sqliteFileOf, watched } from "./db-target.ts";

export async function restore(context: Context): Promise<void> {
  const { terminal, args, flags } = context;
  const address = sqliteFileOf(context, "pg_restore");
  const database = existsSync(address) ? realpathSync(address) : address;
  const file = sourceOf(args.file as string, database);
  await checkReplacement(database);
  const output = createOutput({ sample: { database: "", file: "", schema: "", previous: "" } }, context);
  if (flags.dryRun) {
    const { schema, keyId } = await watched("checking", context, ({ signal }) => examineBackup(file, signal));
    await output.one({ database, file, schema, previous: null });
    await noteWrongKey(keyId, context);
    return terminal.note(dryRunNote);
  }
  if (existsSync(database)) {
    await requireConfirmation(
      context,
      async () => `Replace the database ${database} by ${file}? The old database is kept beside it.`,
    );
  }
  const { path: draft } = draftFor(database, true);
  const { schema, keyId, previous } = await watched("copying", context, (watch) =>
    restoreBackup(file, database, draft, watch),
  );
  await output.one({ database, file, schema, previous: previous ?? null });
  terminal.note(`Restored ${database}.`);
  if (previous !== undefined) terminal.note(`The old database is now ${previous}.`);
  if (schema < latestMigration)
    terminal.note(
      "Its schema is older than this wcs. Bring it up to date with wcs db migrate; any command does so, too.",
    );
  await noteWrongKey(keyId, context);
}

async function noteWrongKey(keyId: string | undefined, { terminal }: Context): Promise<void> {
  const issue = await keyIssue(keyId, terminal.env);
  if (issue !== undefined) terminal.note(`Warning: ${issue}`);
}

function sourceOf(path: string, database: string): string {
  let file: string;
  try {
    file = realpathSync(path);
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UsageError(`<file>: ${readFailure(error, path)}`);
  }
  if (!statSync(file).isFile()) throw new UsageError(`<file>: ${path} is not a file`);
  if (file === database) throw new UsageError(`<file>: ${path} is the database itself`);
  return file;
}
