import { closeSync, openSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { firstDamage } from "../integrity/find-damage.ts";

/** Aborts a long-running copy, and receives its progress. */
export interface Watch {
  readonly signal: AbortSignal;
  /** Receives the finished part of the work, from 0 to 1. */
  progress(part: number): void;
}

/** Number of pages copied at a time. Between two of these steps other connections can write, and the copy can be aborted. */
const pagesAtOnce = 1000;
/** Suffixes of the files in which SQLite keeps changes that are not yet in the database file. */
export const logSuffixes = ["-wal", "-journal"] as const;

/** Copies a snapshot of a database to a new file of its owner, while others may write. Removes it when it fails. */
export async function copyDatabase(source: DatabaseSync, path: string, { signal, progress }: Watch): Promise<void> {
  await removeDatabase(path);
  closeSync(openSync(path, "wx", 0o600));
  // One reading transaction gives all pages of the same moment, and keeps writers from restarting the copy.
  source.exec("begin");
  try {
    source.prepare("select count(*) from sqlite_master").get();
    await backup(source, path, {
      rate: pagesAtOnce,
      progress: ({ totalPages, remainingPages }) => {
        signal.throwIfAborted();
        progress(1 - remainingPages / totalPages);
      },
    });
    signal.throwIfAborted();
  } catch (error) {
    await removeDatabase(path);
    throw error;
  } finally {
    source.exec("rollback");
  }
}

export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ["", "-shm", ...logSuffixes]) await rm(path + suffix, { force: true });
}

/** Waits until the content of a file is on the disk. */
export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}

/** Waits until the directory entries of the file's folder are on the disk. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(dirname(path), "r");
  await folder.sync();
}

/** Returns the first corruption that SQLite finds, table by table, so that the check can be aborted. */
export async function findTableDamage(connection: DatabaseSync, signal: AbortSignal): Promise<string | undefined> {
  const names = connection.prepare("select name from sqlite_master where type = 'table'").all();
  for (const name of ["sqlite_schema", ...names.map((row) => String(row.name))]) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const found = connection.prepare(`pragma integrity_check('${name.replaceAll("'", "''")}')`).get();
    const said = String(found?.integrity_check);
    if (said !== "ok") return firstDamage(said);
  }
  return undefined;
}
