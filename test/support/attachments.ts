import { crc32, deflateRawSync } from "node:zlib";
import type { Content, FileItem } from "../../src/contract/file-schemas.ts";

/** A file as it is sent along with something. */
export const upload = (name: string, bytes: Uint8Array | string): FileItem => ({
  type: "upload",
  name,
  data: Buffer.from(bytes).toString("base64"),
});

/** The bytes of a content, or those from `from` up to, not including, `to`. */
export async function bytesOf(content: Content, from?: number, to?: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content.read(from, to)) parts.push(part);
  return Buffer.concat(parts);
}

/** Images of that size without pixels; enough for a reader of their structure. */
export const images = {
  png(width: number, height: number) {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width);
    head.writeUInt32BE(height, 4);
    head.set([8, 2], 8);
    return Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      pngChunk("IHDR", head),
      pngChunk("IDAT"),
      pngChunk("IEND"),
    ]);
  },
  gif(width: number, height: number) {
    const size = Buffer.alloc(4);
    size.writeUInt16LE(width);
    size.writeUInt16LE(height, 2);
    const image = [Buffer.from("\x2c\0\0\0\0", "latin1"), size, Buffer.from("\0\x02\0", "latin1")];
    return Buffer.concat([Buffer.from("GIF89a"), size, Buffer.alloc(3), ...image, Buffer.from(";")]);
  },
  jpeg(width: number, height: number) {
    const head = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc0001108", "hex");
    const size = Buffer.alloc(4);
    size.writeUInt16BE(height);
    size.writeUInt16BE(width, 2);
    const scan = Buffer.from("03011100021101031101ffda000801010000003f007fffd9", "hex");
    return Buffer.concat([head, size, scan]);
  },
  webp(width: number, height: number) {
    const bytes = Buffer.alloc(30);
    bytes.write("RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0\x10\0\0\x9d\x01\x2a", "latin1");
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
    return bytes;
  },
};

function pngChunk(type: string, data = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

/** A zip of what makes a Word document one. */
export function docx(): Buffer {
  const name = Buffer.from("[Content_Types].xml");
  const text =
    '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
  const body = deflateRawSync(text);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(8, 8);
  head.writeUInt32LE(body.length, 18);
  head.writeUInt32LE(text.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, name, body]);
}
