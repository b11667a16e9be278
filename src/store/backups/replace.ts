import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../contract/errors.ts";
import { applicationId, isBusy, notOurs } from "../sqlite.ts";
import { copyDatabase, logs, syncFile, syncFolder, type Watch } from "./copy.ts";

/** Milliseconds that a command of others may take to finish. */
const patience = 5000;

/**
 * Puts a whole database, which nobody has open, at `path`. Whatever was there is kept beside it: its name is given back, or
 * undefined when there was nothing. At every moment, and after a power cut, there is the old one or the new one at `path`.
 * `unavailable` while another process has the old one open.
 */
export async function replaceDatabase(draft: string, path: string, watch: Watch): Promise<string | undefined> {
  const before = statSync(path, { throwIfNoEntry: false });
  const held = before && holdAlone(path);
  try {
    // Somebody else may have replaced it before it was ours.
    if (before?.ino !== statSync(path, { throwIfNoEntry: false })?.ino) throw inUse();
    const old = held ? await keepCopy(held, path, `${draft}-old`, watch) : await keepAll(path);
    await syncFolder(path);
    // Left there, SQLite would take them for those of the new one.
    for (const suffix of ["-shm", ...logs]) await rm(path + suffix, { force: true });
    await syncFolder(path);
    if (before) await rename(draft, path);
    else await add(draft, path);
    await syncFolder(path);
    return old;
  } catch (error) {
    throw inTheWay(error, path);
  } finally {
    held?.close();
  }
}

/** Fails as `replaceDatabase` would, as far as that can be told without changing anything. */
export function mayReplace(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return;
  const connection = new DatabaseSync(path, { timeout: patience });
  try {
    connection.exec("pragma locking_mode = exclusive");
    checkIsOurs(connection, path);
  } catch (error) {
    if (isBusy(error)) throw inUse();
    if (!isOurs(path)) throw error instanceof ServiceError ? error : notOurs(path);
  } finally {
    connection.close();
  }
}

/**
 * A connection that has the database to itself until it is closed. All that was committed is in the file then, in the journal
 * mode in which SQLite never writes to a file that has been moved: not even for whoever opened the old one a moment ago.
 * Undefined for one so damaged that SQLite cannot even lock it, or empty.
 */
function holdAlone(path: string): DatabaseSync | undefined {
  // SQLite would remove its log.
  if (statSync(path).size === 0) return undefined;
  const connection = new DatabaseSync(path, { timeout: patience });
  try {
    checkIsOurs(connection, path);
    connection.exec("pragma journal_mode = delete");
    // In this mode the lock outlives the transaction.
    connection.exec("pragma locking_mode = exclusive; begin exclusive; commit");
    const { journal_mode } = connection.prepare("pragma journal_mode").get() as { journal_mode: string };
    if (journal_mode !== "delete") throw inUse();
    return connection;
  } catch (error) {
    connection.close();
    if (isBusy(error)) throw inUse();
    if (!isOurs(path)) throw error instanceof ServiceError ? error : notOurs(path);
    if (error instanceof ServiceError) throw error;
    return undefined;
  }
}

function checkIsOurs(connection: DatabaseSync, path: string): void {
  const { application_id } = connection.prepare("pragma application_id").get() as { application_id: number };
  if (application_id !== applicationId) throw notOurs(path);
}

/** By what every SQLite file begins with, even where the rest is damaged. */
function isOurs(path: string): boolean {
  const header = Buffer.alloc(72);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, header.length, 0);
    return header.toString("latin1", 0, 15) === "SQLite format 3" && header.readUInt32BE(68) === applicationId;
  } finally {
    closeSync(file);
  }
}

/** A copy of the old one, not a second name for it: one file opened by two names would have two logs. */
async function keepCopy(held: DatabaseSync, path: string, draft: string, watch: Watch): Promise<string> {
  const old = nameForOld(path);
  await copyDatabase(held, draft, watch);
  await syncFile(draft);
  await rename(draft, old);
  return old;
}

/** Gives what SQLite cannot open a second name, with its logs; the name, or undefined when nothing is there. */
async function keepAll(path: string): Promise<string | undefined> {
  const there = ["", ...logs].filter((suffix) => existsSync(path + suffix));
  if (there.length === 0) return undefined;
  const old = nameForOld(path);
  for (const suffix of there) await link(path + suffix, old + suffix);
  return old;
}

function nameForOld(path: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const isTaken = (name: string) => ["", ...logs].some((suffix) => existsSync(name + suffix));
  let old = `${path}.${stamp}`;
  for (let number = 2; isTaken(old); number++) old = `${path}.${stamp}-${number}`;
  return old;
}

/** Puts it where nothing is, also when something has come there meanwhile. */
async function add(draft: string, path: string): Promise<void> {
  await link(draft, path);
  await rm(draft);
}

const inUse = () =>
  new ServiceError("unavailable", "The database is in use, so nothing was restored.", {
    hint: "stop wcs serve and whatever else has it open, and try again",
  });

function inTheWay(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EEXIST") return new ServiceError("conflict", `${path} was made by another process at the same time.`);
  if (code === undefined || !["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) return error;
  return new ServiceError("unavailable", `The old database cannot be kept beside the new one (${code}).`, {
    hint: `move ${path} away, with the files whose names begin with it, and try again`,
  });
}
