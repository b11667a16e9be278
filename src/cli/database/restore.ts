import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { mayReplace } from "../../store/backups/replace.ts";
import { examineBackup, restoreBackup } from "../../store/backups/restore.ts";
import { latestMigration } from "../../store/database.ts";
import { agree } from "../confirm.ts";
import { UsageError } from "../failure.ts";
import { createOutput } from "../output.ts";
import { reason } from "../sources.ts";
import { draftFor } from "../transfer/destination.ts";
import type { Context } from "../tree.ts";
import { sqliteFileOf } from "./target.ts";
import { watched } from "./watching.ts";

/** `wcs db restore` */
export async function restore(context: Context): Promise<void> {
  const { terminal, globals, args, flags } = context;
  const address = sqliteFileOf(context, "pg_restore");
  const database = existsSync(address) ? realpathSync(address) : address;
  const file = sourceOf(args.file as string, database);
  mayReplace(database);
  const output = createOutput({}, globals, terminal);
  if (flags.dryRun) {
    const schema = await watched("checking", terminal, ({ signal }) => examineBackup(file, signal));
    await output.one({ database, file, schema, previous: null });
    return terminal.note("Dry run: nothing was changed.");
  }
  if (existsSync(database)) {
    await agree(context, async () => `Replace the database ${database} by ${file}? The old one is kept beside it.`);
  }
  const { path: draft } = draftFor(database, true);
  const { schema, previous } = await watched("copying", terminal, (watch) =>
    restoreBackup(file, database, draft, watch),
  );
  await output.one({ database, file, schema, previous: previous ?? null });
  terminal.note(`Restored ${terminal.plain(database)}.`);
  if (previous !== undefined) terminal.note(`What was there before is ${terminal.plain(previous)} now.`);
  if (schema < latestMigration)
    terminal.note("Its schema is older; wcs db migrate, or any command, brings it up to date.");
}

function sourceOf(path: string, database: string): string {
  let file: string;
  try {
    file = realpathSync(path);
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UsageError(`<file>: ${reason(error, path)}`);
  }
  if (!statSync(file).isFile()) throw new UsageError(`<file>: ${path} is no file`);
  if (file === database) throw new UsageError(`<file>: ${path} is the database itself`);
  return file;
}
