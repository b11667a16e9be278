import { existsSync, statSync } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../../contract/errors.ts";
import { canCreate } from "../sqlite/can-create.ts";
import { applicationId, headerOf, isHeader, isMarked, isSpecial, notWcsDatabase } from "../sqlite/sqlite-database.ts";
import { isBusy, translateError } from "../sqlite/sqlite-errors.ts";
import { copyDatabase, logSuffixes, syncFile, syncFolder, type Watch } from "./copy-database.ts";

/** Milliseconds to wait for running commands of other processes. */
const timeout = 5000;

/**
 * Moves a complete database, which no process has open, to `path`. Keeps the database that was there under another name and
 * returns that name; undefined when there was none. At every moment, also after a power cut, `path` is either the old or the
 * new database. Throws `unavailable` while another process has the old one open.
 */
export async function replaceDatabase(draft: string, path: string, watch: Watch): Promise<string | undefined> {
  const before = statSync(path, { throwIfNoEntry: false });
  using held = before && (await retryWhileInUse(() => holdAlone(path, gatherInFile), watch.signal));
  try {
    // Another process may have replaced the file before we locked it.
    if (before?.ino !== statSync(path, { throwIfNoEntry: false })?.ino) throw inUse();
    const old = held ? await keepCopy(held, path, `${draft}-old`, watch) : await keepAll(path);
    await syncFolder(path);
    // SQLite would apply leftover logs to the new database.
    for (const suffix of ["-shm", ...logSuffixes]) await rm(path + suffix, { force: true });
    await syncFolder(path);
    if (before) await rename(draft, path);
    else {
      // Unlike a rename, fails when a file has appeared there meanwhile.
      await link(draft, path);
      await rm(draft);
    }
    await syncFolder(path);
    return old;
  } catch (error) {
    throw inTheWay(error, path);
  }
}

/** Throws the error that `replaceDatabase` would throw, as far as it can be predicted without changing anything. */
export async function checkReplacement(path: string): Promise<void> {
  try {
    if (existsSync(path)) await retryWhileInUse(() => holdAlone(path)?.close());
    else canCreate(path);
  } catch (error) {
    throw translateError(error, path);
  }
}

/** Waits for running commands without blocking the event loop, as the timeout of SQLite would. */
async function retryWhileInUse<T>(work: () => T, signal?: AbortSignal): Promise<T> {
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isInUse = error instanceof ServiceError && error.code === "unavailable";
      if (!isInUse || performance.now() > deadline) throw error;
    }
    await sleep(50);
    signal?.throwIfAborted();
  }
}

/**
 * Returns a connection with exclusive use of the database until it is closed, after `prepare`. Returns undefined for an empty
 * file, or one too corrupt for SQLite to lock.
 */
function holdAlone(path: string, prepare?: (connection: DatabaseSync) => void): DatabaseSync | undefined {
  if (isSpecial(path)) throw notWcsDatabase(path);
  // SQLite would remove the log of an empty file.
  if (statSync(path).size === 0) return undefined;
  const connection = new DatabaseSync(path, { timeout: 0 });
  try {
    // In exclusive mode the lock outlives the transaction, and reading takes it.
    connection.exec("pragma locking_mode = exclusive");
    if (!isMarked(connection)) throw notWcsDatabase(path);
    prepare?.(connection);
    return connection;
  } catch (error) {
    connection.close();
    if (isBusy(error)) throw inUse();
    if (!isOurs(path)) throw error instanceof ServiceError ? error : notWcsDatabase(path);
    if (error instanceof ServiceError) throw error;
    return undefined;
  }
}

/**
 * Moves all committed data to the file, and sets the journal mode in which SQLite never writes to a file that was moved, not even
 * through a connection opened a moment ago.
 */
function gatherInFile(connection: DatabaseSync): void {
  connection.exec("pragma journal_mode = delete; begin exclusive; commit");
  const { journal_mode } = connection.prepare("pragma journal_mode").get() as { journal_mode: string };
  if (journal_mode !== "delete") throw inUse();
}

/** Returns true for a file with the header of a wcs database, even when the rest of it is corrupt. */
function isOurs(path: string): boolean {
  const header = headerOf(path);
  return isHeader(header) && header.readUInt32BE(68) === applicationId;
}

/** Copies the old database instead of linking it: one file opened by two names would have two logs. */
async function keepCopy(held: DatabaseSync, path: string, draft: string, watch: Watch): Promise<string> {
  const old = nameForOld(path);
  await copyDatabase(held, draft, watch);
  await syncFile(draft);
  await rename(draft, old);
  return old;
}

/** Links a database that SQLite cannot open, and its logs, to a second name and returns it; undefined without a file. */
async function keepAll(path: string): Promise<string | undefined> {
  const there = ["", ...logSuffixes].filter((suffix) => existsSync(path + suffix));
  if (there.length === 0) return undefined;
  const old = nameForOld(path);
  for (const suffix of there) await link(path + suffix, old + suffix);
  return old;
}

function nameForOld(path: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const isTaken = (name: string) => ["", ...logSuffixes].some((suffix) => existsSync(name + suffix));
  let old = `${path}.${stamp}`;
  for (let number = 2; isTaken(old); number++) old = `${path}.${stamp}-${number}`;
  return old;
}

const inUse = () =>
  new ServiceError("unavailable", "The database is in use, so nothing was restored.", {
    hint: "Stop wcs serve and other programs that use the database, and try again.",
  });

function inTheWay(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EEXIST") return new ServiceError("conflict", `Another process created ${path} at the same time.`);
  if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(String(code))) return error;
  return new ServiceError("unavailable", `The old database cannot be kept beside the new one (${code}).`, {
    hint: `Move ${path} and the files whose names begin with it to another folder, and try again.`,
  });
}
