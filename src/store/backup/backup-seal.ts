import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { crc32 } from "node:zlib";

/** Position of `user_version` in a SQLite file: a 32-bit number reserved for the application (SQLite file format, 1.3). */
const place = { offset: 60, length: 4 };
const atOnce = 1_048_576;

/** Writes a checksum of the database into its file: SQLite has none. No other process may use the file. */
export async function seal(path: string, signal: AbortSignal): Promise<void> {
  const sum = Buffer.alloc(place.length);
  sum.writeUInt32BE(await checksum(path, signal));
  await using file = await open(path, "r+");
  await file.write(sum, 0, place.length, place.offset);
  await file.sync();
}

/** Returns true when the file still matches its checksum; undefined when it has none. */
export async function isAsSealed(path: string, signal: AbortSignal): Promise<boolean | undefined> {
  await using file = await open(path, "r");
  const found = Buffer.alloc(place.length);
  await file.read(found, 0, place.length, place.offset);
  const sum = found.readUInt32BE();
  return sum === 0 ? undefined : sum === (await checksum(path, signal));
}

/** Computes the checksum without its own field. Never returns 0, which marks a file without a checksum. */
async function checksum(path: string, signal: AbortSignal): Promise<number> {
  let sum = 0;
  let first = true;
  for await (const bytes of createReadStream(path, { highWaterMark: atOnce, signal }) as AsyncIterable<Buffer>) {
    if (first) bytes.fill(0, place.offset, place.offset + place.length);
    first = false;
    sum = crc32(bytes, sum);
  }
  return sum || 1;
}

export async function fingerprint(path: string, signal: AbortSignal): Promise<{ size_bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { highWaterMark: atOnce, signal })) hash.update(bytes);
  return { size_bytes: (await stat(path)).size, sha256: hash.digest("hex") };
}
