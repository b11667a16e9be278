import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import { upsertRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { isAmong, locking } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";

/** Bytes of a stored chunk, except the last one. A multiple of 3, so that each chunk is complete base64. */
export const chunkBytes = 255 * 1024;

export interface ContentKey {
  /** The base64url hash of all bytes. */
  readonly sha256: string;
  readonly size: number;
}

/** Stores a content unless it exists already; calls `chunks` only when it is needed. */
export async function storeContent(
  db: Db,
  { sha256, size }: ContentKey,
  chunks: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  // Locks the row, so that it is not deleted meanwhile and a simultaneous upload of the same content waits.
  await upsertRow(db, "file_contents", { sha256 }, { size });
  if ((await chunkAt(db, { sha256, number: 0 })).length > 0) return;
  let number = 0;
  for await (const bytes of chunks()) await addChunk(db, { sha256, number: number++, bytes });
}

export async function removeUnusedContents(db: Db, contents: readonly string[]): Promise<void> {
  if (contents.length === 0) return;
  const these = db.selectFrom("file_contents").select("sha256");
  await locking(db, these.where("sha256", "in", contents).orderBy("sha256")).execute();
  await sql`delete from file_contents where ${isAmong("sha256", contents)}
    and not exists (select 1 from files f where f.sha256 = file_contents.sha256)`.execute(db);
}

/** Yields the bytes of a content from `from` up to `to`, exclusive. Reads each chunk when the previous one is consumed. */
export async function* readContent(
  db: Db,
  { sha256, size }: ContentKey,
  from = 0,
  to = size,
): AsyncGenerator<Uint8Array, void> {
  for (let at = from; at < to; ) {
    const number = Math.floor(at / chunkBytes);
    const [chunk] = await chunkAt(db, { sha256, number });
    if (chunk === undefined) throw new ServiceError("gone", "The file was deleted while it was read.");
    const begin = number * chunkBytes;
    const part = chunk.bytes.subarray(at - begin, to - begin);
    yield part;
    at += part.length;
  }
}

const addChunk = prepared((db, p: { sha256: string; number: number; bytes: Uint8Array }) =>
  db.insertInto("file_chunks").values({ sha256: p.sha256, number: p.number, bytes: p.bytes }),
);

const chunkAt = prepared((db, p: { sha256: string; number: number }) =>
  db.selectFrom("file_chunks").select("bytes").where("sha256", "=", p.sha256).where("number", "=", p.number),
);
