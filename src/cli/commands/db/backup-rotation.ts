import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { instanceIn } from "../../../store/backup/examine-backup.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { reason } from "../../file-io/value-sources.ts";

/** Names of backups with --rotate. They sort by time. */
const ownName = /^wcs-\d{8}T\d{6}Z\.db$/;

/** Returns the path of a new backup in a folder. Throws a `UsageError` unless the folder exists. */
export function newBackupIn(folder: string): string {
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    // The folder is not created, because it may be on a disk that is not mounted.
    throw new UsageError(isMissing ? `there is no folder ${folder}; create it first` : reason(error, folder));
  }
  if (!isFolder) throw new UsageError(`${folder} is not a folder; --rotate needs one`);
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  return join(folder, `wcs-${stamp}.db`);
}

/**
 * Returns the paths of all but the newest `kept` backups of the instance in the folder of the backup `made`, which stays in
 * any case. A file counts only when its name and its content say that it is such a backup.
 */
export function oldBackups(made: string, instance: string | undefined, kept: number): string[] {
  const folder = dirname(made);
  const others = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && ownName.test(entry.name) && entry.name !== basename(made))
    .map(({ name }) => join(folder, name))
    .filter((path) => instance !== undefined && instanceIn(path) === instance);
  return others
    .sort()
    .reverse()
    .slice(kept - 1);
}

export function removeBackups(paths: readonly string[], made: string): void {
  for (const path of paths) {
    try {
      rmSync(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`${made} was saved, but ${path} cannot be removed (${code})`);
    }
  }
}
