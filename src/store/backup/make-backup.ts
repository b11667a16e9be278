import { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../contract/errors.ts";
import { openFile } from "../sqlite/sqlite-database.ts";
import { isFileError, translateError } from "../sqlite/sqlite-errors.ts";
import { fingerprint, seal } from "./backup-seal.ts";
import { copyDatabase, findTableDamage, removeDatabase, type Watch } from "./copy-database.ts";
import { immutable, instanceSchemaIn, issuerOf } from "./examine-backup.ts";

export type Backup = Awaited<ReturnType<typeof makeBackup>>;

/** Makes `draft`, a complete, checked and synced copy. Throws when the database is corrupt or contains no instance. */
export async function makeBackup(path: string, draft: string, watch: Watch) {
  using source = openFile(path, false);
  try {
    await copyDatabase(source, draft, watch);
    await checkDraft(draft, path, watch.signal);
    await seal(draft, watch.signal);
    return await fingerprint(draft, watch.signal);
  } catch (error) {
    // The cause of the error can make this fail, too.
    await removeDatabase(draft).catch(() => undefined);
    // File errors concern the draft, since the database was already open.
    throw isFileError(error) ? error : translateError(error, path);
  }
}

/** Throws unless the SQLite database at `path` can be opened for a backup. Returns the issuer of its instance. */
export function checkBackupSource(path: string): string | undefined {
  using source = openFile(path, false);
  try {
    requireInstance(source, path);
    return issuerOf(source);
  } catch (error) {
    throw translateError(error, path);
  }
}

/** Throws unless the copy is intact and contains an instance. */
async function checkDraft(draft: string, path: string, signal: AbortSignal): Promise<void> {
  using copy = new DatabaseSync(immutable(draft), { readOnly: true });
  const damage = await findTableDamage(copy, signal);
  if (damage !== undefined) {
    throw new ServiceError("conflict", `The database is damaged, so no backup was made: ${damage}`, {
      hint: "Restore an older backup with wcs db restore, which keeps the present file.",
    });
  }
  requireInstance(copy, path);
}

/** Throws for a database that `wcs db restore` would not accept. */
function requireInstance(connection: DatabaseSync, path: string): void {
  if (instanceSchemaIn(connection) !== undefined) return;
  throw new ServiceError("not_found", `${path} contains no wcs instance, so no backup was made.`, {
    hint: "Check the path of the database, or restore an older backup with wcs db restore.",
  });
}
