import { existsSync } from "node:fs";
import { realpath, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ServiceError } from "../../contract/errors.ts";
import { type Backup, makeBackup } from "../../store/backups/backup.ts";
import { logs, syncFolder, type Watch } from "../../store/backups/copy.ts";
import { isFileError } from "../../store/sqlite.ts";
import { isDiskFull } from "../disk-failure.ts";
import { UsageError } from "../failure.ts";
import { bytesAsText } from "../files/size.ts";
import { createOutput } from "../output.ts";
import { draftFor, exists } from "../transfer/destination.ts";
import type { Context } from "../tree.ts";
import { sqliteFileOf } from "./target.ts";
import { watched } from "./watching.ts";

/** `wcs db backup` */
export async function backup(context: Context): Promise<void> {
  const { terminal, globals, args, flags } = context;
  const database = sqliteFileOf(context, "pg_dump --format=custom");
  const file = resolve(args.file as string);
  const made = await watched("copying", terminal, (watch) => make(database, file, flags.force === true, watch));
  await createOutput({}, globals, terminal).one({ file, ...made });
  terminal.note(`Saved ${terminal.plain(file)} (${bytesAsText(made.size_bytes)}). It holds the keys of the instance.`);
}

async function make(database: string, file: string, force: boolean, watch: Watch): Promise<Backup> {
  const place = await realpath(file).catch(() => file);
  await checkPlace(place, database, force);
  const draft = draftFor(place, !force);
  try {
    const made = await makeBackup(database, draft.path, watch);
    await draft.put();
    await syncFolder(place);
    return made;
  } catch (error) {
    if (!isFileError(error) || isDiskFull(error)) throw error;
    throw new UsageError(`${file} cannot be written (${error.code})`);
  } finally {
    await rm(draft.path, { force: true });
  }
}

async function checkPlace(place: string, database: string, force: boolean): Promise<void> {
  const before = await stat(place).catch(() => undefined);
  if (before && !before.isFile()) throw new UsageError(`${place} is no file`);
  if (place === (await realpath(database).catch(() => database)))
    throw new UsageError(`${place} is the database itself`);
  if (before && !force) throw exists(place);
  for (const log of logs.map((suffix) => place + suffix)) {
    // SQLite would take it for the backup's own, and put into it what stands there.
    if (existsSync(log)) throw new ServiceError("conflict", `${log} is left of another database; move it away first.`);
  }
}
