import { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../contract/errors.ts";
import { isFileError, meaning, openFile } from "../sqlite.ts";
import { copyDatabase, damageOf, removeDatabase, type Watch } from "./copy.ts";
import { immutable } from "./examine.ts";
import { fingerprint, seal } from "./seal.ts";

/** What a backup is known by. */
export interface Backup {
  readonly size_bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * Makes `draft`, a whole copy of the SQLite database at `path` as it is at this moment, its schema included, which has been
 * looked through and is on the disk. Of a damaged database none is made (`conflict`).
 */
export async function makeBackup(path: string, draft: string, watch: Watch): Promise<Backup> {
  const source = openFile(path);
  try {
    await copyDatabase(source, draft, watch);
    const damage = await lookThrough(draft, watch.signal);
    if (damage !== undefined) {
      throw new ServiceError("conflict", `The database is damaged, so no backup was made: ${damage}`);
    }
    await seal(draft, watch.signal);
    return await fingerprint(draft, watch.signal);
  } catch (error) {
    await removeDatabase(draft);
    // What is wrong with files is wrong with the draft: the database was open already.
    throw isFileError(error) ? error : meaning(error, path);
  } finally {
    source.close();
  }
}

async function lookThrough(path: string, signal: AbortSignal): Promise<string | undefined> {
  const copy = new DatabaseSync(immutable(path), { readOnly: true });
  try {
    return await damageOf(copy, signal);
  } finally {
    copy.close();
  }
}
