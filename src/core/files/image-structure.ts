import { crc32 } from "node:zlib";

/** Returns true when the parts of an image follow each other up to its end mark. The pixels are not decoded. */
export function isIntact(mime: string, bytes: Buffer): boolean {
  return checks[mime]?.(bytes) ?? false;
}

const checks: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": isPng,
  "image/apng": isPng,
  "image/jpeg": isJpeg,
  "image/gif": isGif,
  "image/webp": isWebp,
};

/** Checks the length and the checksum of each chunk up to IEND, and that there is image data. */
function isPng(bytes: Buffer): boolean {
  let hasData = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return false;
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (type === "IEND") return hasData;
    hasData ||= type === "IDAT";
    at = end + 4;
  }
  return false;
}

/** Follows the segments to the scan data, where FF is always followed by another byte unless it begins a marker. */
function isJpeg(bytes: Buffer): boolean {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    // Bytes FF may fill the space before a marker.
    if (marker === 0xff) at += 1;
    else {
      at += 2 + bytes.readUInt16BE(at + 2);
      if (marker === 0xda) return bytes.includes(Buffer.of(0xff, 0xd9), at);
    }
  }
  return false;
}

/** Follows the blocks to the trailer, and checks that there is an image. */
function isGif(bytes: Buffer): boolean {
  let hasImage = false;
  for (let at = 13 + colorTableBytes(bytes[10]); at < bytes.length; ) {
    const block = bytes[at];
    if (block === 0x3b) return hasImage;
    if (block === 0x2c) {
      hasImage = true;
      at = afterSubBlocks(bytes, at + 11 + colorTableBytes(bytes[at + 9]));
    } else if (block === 0x21) at = afterSubBlocks(bytes, at + 2);
    else return false;
  }
  return false;
}

const colorTableBytes = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Returns the position after a sequence of sub-blocks, each with its length first; an empty one ends it. */
function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at]; length; length = bytes[at]) at += 1 + length;
  return at + 1;
}

/** Checks the length of the file and of each chunk, and that there is image data. */
function isWebp(bytes: Buffer): boolean {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return false;
  let hasImage = false;
  for (let at = 12; at + 8 <= end; ) {
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > end) return false;
    hasImage ||= ["VP8 ", "VP8L", "ANMF"].includes(bytes.toString("latin1", at, at + 4));
    // A byte fills up a chunk of odd length; some encoders leave it out at the end.
    at += 8 + length + (length % 2);
  }
  return hasImage;
}
