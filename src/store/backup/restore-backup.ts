import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolders } from "../make-folders.ts";
import { translateError } from "../sqlite/sqlite-errors.ts";
import { copyDatabase, removeDatabase, syncFile, type Watch } from "./copy-database.ts";
import { openBackup, requireIntact } from "./examine-backup.ts";
import { replaceDatabase } from "./replace-database.ts";

/**
 * Replaces the SQLite database at `path` with the content of `file`, using `draft` in the same folder. Throws `conflict`
 * unless `file` is an intact database of wcs of this version or an older one. The old database stays in place until the last
 * step.
 */
export async function restoreBackup(file: string, path: string, draft: string, watch: Watch) {
  const source = await openBackup(file, watch.signal);
  using connection = source.connection;
  try {
    makeFolders(dirname(path), 0o700);
    await copyDatabase(connection, draft, watch);
    await completeDraft(draft, file, watch.signal);
    return { schema: source.schema, keyId: source.keyId, previous: await replaceDatabase(draft, path, watch) };
  } catch (error) {
    // The cause of the error can make this fail, too.
    await removeDatabase(draft).catch(() => undefined);
    throw translateError(error, path);
  }
}

/** Turns the copy of a backup into a database that can be used, and syncs it. */
async function completeDraft(draft: string, file: string, signal: AbortSignal): Promise<void> {
  {
    using copy = new DatabaseSync(draft);
    // Removes the backup's checksum, because the database will change.
    copy.exec("pragma user_version = 0");
    await requireIntact(copy, file, signal);
  }
  await syncFile(draft);
}

/** Returns the name of the last migration and the ID of the secret key, or throws the error with which the restore would fail. */
export async function examineBackup(file: string, signal: AbortSignal) {
  const source = await openBackup(file, signal);
  using connection = source.connection;
  await requireIntact(connection, file, signal);
  return { schema: source.schema, keyId: source.keyId };
}
