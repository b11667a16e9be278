import { closeSync, openSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setImmediate as breathe } from "node:timers/promises";

/** By what long work on a file is broken off, and what it tells of itself. */
export interface Watch {
  readonly signal: AbortSignal;
  /** That part of it is done, from 0 to 1. */
  progress(part: number): void;
}

/** Copied at a time; in between others write, and the work can be broken off. */
const pagesAtOnce = 1000;
/** What SQLite keeps beside a database while something is not yet in the file itself. */
export const logs = ["-wal", "-journal"] as const;

/**
 * Copies a database as it is at this moment to a new file that only its owner can read, whoever writes meanwhile. What was
 * left at `path` goes; a copy that fails is not left.
 */
export async function copyDatabase(source: DatabaseSync, path: string, { signal, progress }: Watch): Promise<void> {
  await removeDatabase(path);
  closeSync(openSync(path, "wx", 0o600));
  // Within one reading transaction every page is of the same moment, and writers do not make it begin again.
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

/** Removes a draft, and what may stand beside it. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ["", "-shm", ...logs]) await rm(path + suffix, { force: true });
}

/** Waits until the content of a file is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}

/** Likewise the names in the folder of a file. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}

/**
 * What SQLite finds wrong with the tables and indexes of a database; undefined when all is well. One after the other, so that
 * it can be broken off.
 */
export async function damageOf(connection: DatabaseSync, signal: AbortSignal): Promise<string | undefined> {
  const names = connection.prepare("select name from sqlite_master where type = 'table'").all();
  for (const name of ["sqlite_schema", ...names.map((row) => String(row.name))]) {
    await breathe();
    signal.throwIfAborted();
    const found = connection.prepare(`pragma integrity_check('${name.replaceAll("'", "''")}')`).get();
    const said = String(found?.integrity_check);
    if (said !== "ok") return said.replace(/\s+/g, " ");
  }
  return undefined;
}
