import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { meaning } from "../sqlite.ts";
import { copyDatabase, removeDatabase, syncFile, type Watch } from "./copy.ts";
import { mustBeWhole, openSource } from "./examine.ts";
import { replaceDatabase } from "./replace.ts";

export interface Restored {
  /** The last migration of what was restored. */
  readonly schema: string;
  /** Where the database is that was there before. */
  readonly previous: string | undefined;
}

/**
 * Puts what `file` holds in the place of the SQLite database at `path`, by way of `draft` beside it. `file` must be a whole
 * database of wcs of this version or an older one; otherwise, and until the last moment, nothing has changed (`conflict`).
 */
export async function restoreBackup(file: string, path: string, draft: string, watch: Watch): Promise<Restored> {
  const { connection, schema } = await openSource(file, watch.signal);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await copyDatabase(connection, draft, watch);
    await complete(draft, file, watch.signal);
    return { schema, previous: await replaceDatabase(draft, path, watch) };
  } catch (error) {
    await removeDatabase(draft);
    throw meaning(error, path);
  } finally {
    connection.close();
  }
}

/** Makes a copy of a backup a database to work with, on the disk. */
async function complete(draft: string, file: string, signal: AbortSignal): Promise<void> {
  const copy = new DatabaseSync(draft);
  try {
    // It is not to be what it is a copy of: without its checksum, since it will change.
    copy.exec("pragma user_version = 0; pragma journal_mode = wal");
    await mustBeWhole(copy, file, signal);
  } finally {
    copy.close();
  }
  await syncFile(draft);
}

/** All that can be said about a restore without doing it: its last migration, or the error with which it would end. */
export async function examineBackup(file: string, signal: AbortSignal): Promise<string> {
  const { connection, schema } = await openSource(file, signal);
  try {
    await mustBeWhole(connection, file, signal);
    return schema;
  } finally {
    connection.close();
  }
}
