import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { crc32 } from "node:zlib";

/** Where a SQLite file has `user_version`, a number of 32 bits that is the application's to use (its format, 1.3). */
const place = { offset: 60, length: 4 };
const atOnce = 1_048_576;

/**
 * Writes the checksum of a database into it, since SQLite itself has none and does not notice when a value has changed on the
 * disk. The file must be nobody else's, and is on the disk afterwards.
 */
export async function seal(path: string, signal: AbortSignal): Promise<void> {
  const sum = Buffer.alloc(place.length);
  sum.writeUInt32BE(await checksum(path, signal));
  const file = await open(path, "r+");
  try {
    await file.write(sum, 0, place.length, place.offset);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether a file is as it was when it was sealed; undefined for one that never was. */
export async function isAsSealed(path: string, signal: AbortSignal): Promise<boolean | undefined> {
  const file = await open(path, "r");
  const found = Buffer.alloc(place.length);
  try {
    await file.read(found, 0, place.length, place.offset);
  } finally {
    await file.close();
  }
  const sum = found.readUInt32BE();
  return sum === 0 ? undefined : sum === (await checksum(path, signal));
}

/** Of all that is in the file but the checksum itself; never 0, which means that there is none. */
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

/** What a file is known by elsewhere: its size, and its SHA-256 in hexadecimal. */
export async function fingerprint(path: string, signal: AbortSignal): Promise<{ size_bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { highWaterMark: atOnce, signal })) hash.update(bytes);
  return { size_bytes: (await stat(path)).size, sha256: hash.digest("hex") };
}
