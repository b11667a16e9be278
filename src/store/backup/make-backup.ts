import { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../contract/errors.ts";
import { isFileError, openFile, translateError } from "../sqlite/sqlite-database.ts";
import { fingerprint, seal } from "./backup-seal.ts";
import { copyDatabase, findTableDamage, removeDatabase, type Watch } from "./copy-database.ts";
import { immutable, issuerOf } from "./examine-backup.ts";

/** Size and checksum of a backup file. */
export interface Backup {
  readonly size_bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

/**
 * Makes `draft`, a complete, checked and synced copy of the SQLite database at `path`, with its schema. Throws `conflict`
 * when the database is corrupt.
 */
export async function makeBackup(path: string, draft: string, watch: Watch): Promise<Backup> {
  const source = openFile(path, false);
  try {
    await copyDatabase(source, draft, watch);
    const damage = await lookThrough(draft, watch.signal);
    if (damage !== undefined) {
      throw new ServiceError("conflict", `The database is damaged, so no backup was made: ${damage}`, {
        hint: "Restore an older backup with wcs db restore, which keeps the present file.",
      });
    }
    await seal(draft, watch.signal);
    return await fingerprint(draft, watch.signal);
  } catch (error) {
    await removeDatabase(draft);
    // File errors concern the draft, since the database was already open.
    throw isFileError(error) ? error : translateError(error, path);
  } finally {
    source.close();
  }
}

/** Throws unless the SQLite database at `path` can be opened for a backup. Returns the issuer of its instance. */
export function checkBackupSource(path: string): string | undefined {
  const source = openFile(path, false);
  try {
    return issuerOf(source);
  } catch (error) {
    throw translateError(error, path);
  } finally {
    source.close();
  }
}

async function lookThrough(path: string, signal: AbortSignal): Promise<string | undefined> {
  const copy = new DatabaseSync(immutable(path), { readOnly: true });
  try {
    return await findTableDamage(copy, signal);
  } finally {
    copy.close();
  }
}
