import { constants, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { access, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pluralize } from "../../../contract/count-text.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { logSuffixes, syncFolder, type Watch } from "../../../store/backup/copy-database.ts";
import { instanceIn } from "../../../store/backup/examine-backup.ts";
import { type Backup, checkBackupSource, makeBackup } from "../../../store/backup/make-backup.ts";
import { isFileError } from "../../../store/sqlite/sqlite-errors.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { isDiskFull } from "../../errors/disk-failure.ts";
import { alreadyExists, cannotWrite, draftFor, resolveLinks } from "../../file-io/open-destination.ts";
import { readFailure } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { noteDone } from "../../kit/note-done.ts";
import { createOutput } from "../../output/create-output.ts";
import { bytesAsText } from "../../output/format-bytes.ts";
import { sqliteFileOf, watched } from "./db-target.ts";

export async function backup(context: Context): Promise<void> {
  const { terminal, args, flags } = context;
  const sample = { file: "", size_bytes: 0, sha256: "", removed: [] };
  const output = createOutput<Backup & { file: string; removed?: string[] }>({ sample }, context);
  const database = sqliteFileOf(context, "pg_dump --format=custom");
  if (args.file === "-") throw new UsageError("a backup cannot be written to stdout", { hint: "name a file" });
  const place = resolve(args.file as string);
  const kept = flags.rotate === undefined ? undefined : numberOfBackups(String(flags.rotate), flags.force);
  const file = kept === undefined ? place : newBackupIn(place);
  if (flags.dryRun) return rehearse(database, file, kept, context);
  const made = await watched("copying", context, (watch) => writeBackup(database, file, flags.force === true, watch));
  const removed = kept === undefined ? undefined : oldBackups(file, instanceIn(file), kept);
  if (removed) removeBackups(removed, file);
  if (!context.globals.quiet || isFormatAsked(context.globals))
    await output.one({ file, ...made, ...(removed && { removed }) });
  terminal.note(`Saved ${file} (${bytesAsText(made.size_bytes)}). It contains the keys of the instance; keep it safe.`);
  if (removed?.length) terminal.note(`Removed ${pluralize(removed.length, "older backup")}.`);
}

/** Returns true when a flag says how to print the result. Without one, --quiet prints nothing: the backup itself is the result. */
const isFormatAsked = ({ json, raw, ...texts }: Context["globals"]): boolean =>
  json === true ||
  raw === true ||
  [texts.output, texts.query, texts.fields, texts.template].some((text) => text !== undefined);

async function rehearse(database: string, file: string, kept: number | undefined, context: Context): Promise<void> {
  const instance = checkBackupSource(database);
  await checkPlace(await resolveLinks(file), database, context.flags.force === true);
  await access(dirname(file), constants.W_OK).catch((error) => {
    throw cannotWrite(file, error);
  });
  const removed = kept === undefined ? 0 : oldBackups(file, instance, kept).length;
  const also = removed > 0 ? ` Removed ${pluralize(removed, "older backup")}.` : "";
  noteDone(context, `Saved ${file}.${also}`);
}

function numberOfBackups(text: string, force: unknown): number {
  if (force) throw new UsageError("--rotate and --force cannot be used together");
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError("--rotate must be a number of backups from 1 to 9999");
}

async function writeBackup(database: string, file: string, force: boolean, watch: Watch): Promise<Backup> {
  const place = await resolveLinks(file);
  await checkPlace(place, database, force);
  const draft = draftFor(place, !force);
  try {
    const made = await makeBackup(database, draft.path, watch);
    await draft.put();
    await syncFolder(place);
    return made;
  } catch (error) {
    // Without access to the folder this fails, too.
    await rm(draft.path, { force: true }).catch(() => undefined);
    if (!isFileError(error) || isDiskFull(error)) throw error;
    throw cannotWrite(file, error);
  }
}

async function checkPlace(place: string, database: string, force: boolean): Promise<void> {
  const before = await stat(place).catch(() => undefined);
  if (before && !before.isFile()) throw new UsageError(`${place} is not a file`);
  if (place === (await realpath(database).catch(() => database)))
    throw new UsageError(`${place} is the database itself`);
  if (before && !force) throw alreadyExists(place);
  for (const log of logSuffixes.map((suffix) => place + suffix)) {
    // SQLite would take the log for the backup's own and apply its content.
    if (existsSync(log))
      throw new ServiceError("conflict", `${log} belongs to another database. Move it away, then try again.`);
  }
}

/** Names of backups with --rotate. They sort by time. */
const ownName = /^wcs-\d{8}T\d{6}Z\.db$/;

/** Returns the path of a new backup in a folder. Throws a `UsageError` unless the folder exists. */
function newBackupIn(folder: string): string {
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    // The folder is not created, because it may be on a disk that is not mounted.
    throw new UsageError(isMissing ? `there is no folder ${folder}; create it first` : readFailure(error, folder));
  }
  if (!isFolder) throw new UsageError(`${folder} is not a folder; --rotate needs one`);
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  return join(folder, `wcs-${stamp}.db`);
}

/** Returns all but the newest `kept` backups of the instance in the folder of `made`, told by their names and contents. */
function oldBackups(made: string, instance: string | undefined, kept: number): string[] {
  const folder = dirname(made);
  const others = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && ownName.test(entry.name) && entry.name !== basename(made))
    .map(({ name }) => join(folder, name))
    .filter((path) => instance !== undefined && instanceIn(path) === instance);
  return others.sort((one, other) => (one < other ? 1 : -1)).slice(kept - 1);
}

function removeBackups(paths: readonly string[], made: string): void {
  for (const path of paths) {
    try {
      rmSync(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`${made} was saved, but ${path} cannot be removed (${code})`);
    }
  }
}
