import { ServiceError } from "../contract/errors.ts";
import type { Db } from "../store/database.ts";
import { isAmong, locking } from "../store/dialect.ts";
import { prepared } from "../store/prepared.ts";

/** Bytes of a stored chunk of a content, but for its last one. A multiple of 3: so each is a piece of base64, too. */
export const chunkBytes = 255 * 1024;

/** What a content is known by. */
export interface ContentKey {
  /** Of all bytes, base64url. */
  readonly sha256: string;
  readonly size: number;
}

/** Keeps a content, unless it is there already; `chunks` are asked for only then. */
export async function keepContent(
  db: Db,
  { sha256, size }: ContentKey,
  chunks: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  // Holds the row, so that it stays, and so that of two who bring the same at once one waits for the other.
  await db
    .insertInto("file_contents")
    .values({ sha256, size })
    .onConflict((conflict) => conflict.column("sha256").doUpdateSet({ size }))
    .execute();
  if ((await chunkAt(db, { sha256, number: 0 })).length > 0) return;
  let number = 0;
  for await (const bytes of chunks()) await addChunk(db, { sha256, number: number++, bytes });
}

/** Removes those contents that no file refers to any more. */
export async function removeUnused(db: Db, contents: readonly string[]): Promise<void> {
  if (contents.length === 0) return;
  const these = db.selectFrom("file_contents").select("sha256");
  await locking(db, these.where((eb) => isAmong(db, eb.ref("sha256"), contents)).orderBy("sha256")).execute();
  await db
    .deleteFrom("file_contents")
    .where((eb) => isAmong(db, eb.ref("sha256"), contents))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("files").select("files.id").whereRef("files.sha256", "=", "file_contents.sha256"))),
    )
    .execute();
}

/** The bytes of a content from `from` up to, not including, `to`: a chunk is fetched when the one before it is through. */
export async function* readContent(
  db: Db,
  { sha256, size }: ContentKey,
  from = 0,
  to = size,
): AsyncGenerator<Uint8Array, void> {
  for (let at = from; at < to; ) {
    const number = Math.floor(at / chunkBytes);
    const [chunk] = await chunkAt(db, { sha256, number });
    if (chunk === undefined) throw new ServiceError("gone", "The file was removed meanwhile.");
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
