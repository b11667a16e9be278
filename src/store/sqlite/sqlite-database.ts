import { chmodSync, closeSync, existsSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../../contract/errors.ts";
import { quoteForShell } from "../../contract/shell-quote.ts";
import { watchVersion } from "../change-listeners.ts";
import type { Connected, Db, FactVersions, OpenOptions } from "../database.ts";
import { makeFolders } from "../make-folders.ts";
import { monotonicTime } from "../monotonic-time.ts";
import { runDirectly, runLater } from "../prepared.ts";
import { WritingDriver } from "./group-commit.ts";
import { createKysely, WritingAdapter } from "./kysely-on-sqlite.ts";
import { ReadingDriver } from "./sqlite-driver.ts";
import { isBusy, translateError } from "./sqlite-errors.ts";
import { watchedFile } from "./watched-file.ts";

/** "wcs1" in ASCII: marks database files of wcs. */
export const applicationId = 0x77637331;
const busySeconds = 5;
/** Milliseconds between two attempts to begin. Constant, so that those who have waited for long are not overtaken by others. */
const pause = 5;
/** Maximum page cache of a connection. */
const cacheKibibytes = 16_384;
const oldestSqlite = "3.51.3";

/** Opens a SQLite file with one connection that writes and one that only reads. */
export async function connectSqlite(path: string, { create }: OpenOptions): Promise<Connected> {
  const writer = openFile(path, create !== undefined);
  try {
    return assembleDatabase(writer, openConnection(path, "pragma query_only = on"), path);
  } catch (error) {
    writer.close();
    throw translateError(error, path);
  }
}

/** Opens a connection to a SQLite file that is a database of wcs or, with `create`, becomes one. */
export function openFile(path: string, create: boolean): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    if (isSpecial(path)) throw notWcsDatabase(path);
    if (create) makeFile(path);
    else requireDatabaseFile(path);
    connection = openConnection(path);
    checkFile(connection, path, create);
    return connection;
  } catch (error) {
    connection?.close();
    throw translateError(error, path);
  }
}

/** Throws `not_found` when the file is missing, and the error of Node when it cannot be reached. */
function requireDatabaseFile(path: string): void {
  try {
    statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const issue = isLink ? `${path} is a link to a file that does not exist` : `There is no database at ${path}`;
    const hint = isLink ? undefined : `Create it with wcs init --db ${quoteForShell(path)}`;
    throw new ServiceError("not_found", `${issue}.`, { hint });
  }
}

/** Returns true for a device, a pipe or a socket. */
export function isSpecial(path: string): boolean {
  if (!existsSync(path)) return false;
  const found = statSync(path);
  return !found.isFile() && !found.isDirectory();
}

/** Creates the file readable by its owner only, because it holds the key that signs tokens. */
function makeFile(path: string): void {
  makeFolders(dirname(path), 0o700);
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (statSync(path).size === 0) chmodSync(path, 0o600);
    else if (!isHeader(headerOf(path))) throw notWcsDatabase(path);
  }
}

/** Returns the first bytes of a file, without SQLite, which treats a file smaller than a page as empty and overwrites it. */
export function headerOf(path: string): Buffer {
  const header = Buffer.alloc(72);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, header.length, 0);
    return header;
  } finally {
    closeSync(file);
  }
}

export const isHeader = (header: Buffer): boolean => header.toString("latin1", 0, 16) === "SQLite format 3\0";

export const isMarked = (connection: DatabaseSync): boolean =>
  (connection.prepare("pragma application_id").get() as { application_id: number }).application_id === applicationId;

export function notWcsDatabase(path: string): ServiceError {
  return new ServiceError("conflict", `${path} is not a wcs database; it was not changed.`);
}

function openConnection(path: string, pragmas = ""): DatabaseSync {
  const connection = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: busySeconds * 1000 });
  try {
    connection.exec(`pragma cache_size = -${cacheKibibytes}; ${pragmas}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Returns a version as a number to compare; loading a collator would take milliseconds. */
function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1000 + patch;
}

function checkFile(connection: DatabaseSync, path: string, create: boolean): void {
  const { version } = connection.prepare("select sqlite_version() as version").get() as { version: string };
  // Up to 3.51.2 a commit can be lost in WAL mode when a checkpoint runs at the same moment.
  if (versionNumber(version) < versionNumber(oldestSqlite)) {
    throw new ServiceError("unavailable", `wcs needs SQLite ${oldestSqlite} or newer; this Node includes ${version}.`);
  }
  if (!isMarked(connection)) {
    const { tables } = connection.prepare("select count(*) as tables from sqlite_master").get() as { tables: number };
    if (tables > 0 || (statSync(path).size > 0 && !isHeader(headerOf(path)))) throw notWcsDatabase(path);
    // A process that created it may have been killed before its first commit.
    if (!create) {
      throw new ServiceError("not_found", `${path} is empty: it contains no wcs instance.`, {
        hint: `Create one with wcs init --db ${quoteForShell(path)}`,
      });
    }
    connection.exec(`pragma journal_mode = wal; pragma application_id = ${applicationId}`);
  }
  toWal(connection);
  connection.exec("pragma synchronous = full");
}

/** A database that was about to be replaced, or has been, is not in WAL mode. */
function toWal(connection: DatabaseSync): void {
  try {
    connection.exec("pragma journal_mode = wal");
  } catch (error) {
    // While other connections are at work, the present mode works too.
    if (!isBusy(error)) throw error;
  }
}

function assembleDatabase(writer: DatabaseSync, reader: DatabaseSync, path: string): Connected {
  // A connection does not see a new version after its own commits, so the writer only sees changes by other processes.
  const others = versionSeenBy(writer);
  const file = watchedFile(path, others);
  const { factVersions, forget } = onceInATurn(reader, file.checkEachSecond);
  const changes = watchVersion(others);
  const writing = onFirstUse(() => {
    const driver = new WritingDriver(writer, (...how) => begin(file.check, ...how), forget);
    const adapter = new WritingAdapter();
    runDirectly(adapter, "sqlite", (text, values) => driver.run(text, values));
    runLater(adapter, (text, values) => driver.runLater(text, values));
    return createKysely(driver, adapter);
  });
  const driver = new ReadingDriver(reader);
  const reading = onFirstUse(() => createKysely(driver));
  runDirectly(reading, "sqlite", (text, values) => driver.run(text, values));
  const write: Connected["write"] = (work) => writing.transaction().execute(work);
  return {
    reader: reading,
    write,
    writeLocking: write,
    factVersions,
    onChange: changes.onChange,
    isWriting: () => writer.isOpen && writer.isTransaction,
    announce: changes.announce,
    explain: (error) => translateError(error, path, true),
    limitAnswers() {},
    async close() {
      try {
        file.emptyLog(writer);
      } finally {
        for (const connection of [writer, reader]) connection.close();
      }
    },
  };
}

function versionSeenBy(connection: DatabaseSync): () => number {
  const dataVersion = connection.prepare("pragma data_version");
  return () => (dataVersion.get() as { data_version: number }).data_version;
}

/** Looks up versions once per turn of the event loop: its requests began before. Runs `check` first. Call `forget` after each commit. */
function onceInATurn(reader: DatabaseSync, check: () => void) {
  const lookUp = versionSeenBy(reader);
  let isCurrent = false;
  let last: number | undefined;
  let versions: FactVersions | undefined;
  let rows: StatementSync | undefined;
  const forget = () => {
    isCurrent = false;
  };
  const factVersions = () => {
    if (isCurrent) return versions;
    check();
    // Looked up first: a commit in between only causes another lookup.
    const version = lookUp();
    if (version !== last) {
      rows ??= reader.prepare(selectVersions);
      const { actors, settings } = rows.get() ?? {};
      versions = { actors: Number(actors), settings: Number(settings) };
      last = version;
    }
    isCurrent = true;
    setImmediate(forget);
    return versions;
  };
  return { factVersions, forget };
}

const selectVersions = `select max(version) filter (where kind = 'actors') as actors,
  max(version) filter (where kind = 'settings') as settings from fact_versions`;

/** Creates the database when a property is first read. Prepared queries alone do not load Kysely. */
function onFirstUse(create: () => Db): Db {
  let database: Db | undefined;
  return new Proxy({} as Db, {
    get(_, name) {
      database ??= create();
      const value: unknown = Reflect.get(database, name, database);
      // Kysely's methods use private fields, which a proxy does not have.
      return typeof value === "function" ? value.bind(database) : value;
    },
  });
}

/** Runs `check`, and waits for other processes without blocking the event loop, as SQLite's own busy timeout would. */
async function begin(check: () => void, connection: DatabaseSync, mayWait: boolean): Promise<void> {
  check();
  const deadline = monotonicTime() + (mayWait ? busySeconds * 1000 : 0);
  for (;;) {
    try {
      connection.exec("pragma busy_timeout = 0");
      connection.exec("begin immediate");
      return;
    } catch (error) {
      if (!isBusy(error) || monotonicTime() >= deadline) throw error;
    } finally {
      connection.exec(`pragma busy_timeout = ${busySeconds * 1000}`);
    }
    await sleep(pause);
  }
}
