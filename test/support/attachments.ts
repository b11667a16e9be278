import { deflateRawSync } from "node:zlib";
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

/** The beginnings of images of that size; enough for whoever looks at the first bytes. */
export const images = {
  png(width: number, height: number) {
    const bytes = Buffer.alloc(57);
    Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").copy(bytes);
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    Buffer.from("\x08\x02\0\0\0\0\0\0\0\0\0\0\0IDAT\0\0\0\0\0\0\0\0IEND", "latin1").copy(bytes, 24);
    return bytes;
  },
  gif(width: number, height: number) {
    const bytes = Buffer.alloc(20);
    bytes.write("GIF89a");
    bytes.writeUInt16LE(width, 6);
    bytes.writeUInt16LE(height, 8);
    return bytes;
  },
  jpeg(width: number, height: number) {
    const head = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc0001108", "hex");
    const size = Buffer.alloc(4);
    size.writeUInt16BE(height);
    size.writeUInt16BE(width, 2);
    return Buffer.concat([head, size, Buffer.from("03011100021101031101ffd9", "hex"), Buffer.alloc(8)]);
  },
};

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
