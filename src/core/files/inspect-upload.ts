import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { FileItem } from "../../contract/file-schemas.ts";
import { type ContentKey, chunkBytes } from "./file-contents.ts";
import { type FileType, typeOf } from "./file-types.ts";

const chunkCharacters = (chunkBytes / 3) * 4;
const headChunks = 4;

interface Upload extends ContentKey, FileType {}

const inspected = new WeakMap<FileItem, Promise<Upload | undefined>>();

/** Returns the number of decoded bytes, assuming valid base64. */
export function sizeOf(data: string): number {
  return Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
}

/** Decodes base64 chunk by chunk, giving other work a turn in between, because decoding megabytes takes long. */
export async function* chunksOf(data: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += chunkCharacters) {
    yield Buffer.from(data.slice(at, at + chunkCharacters), "base64");
    await yieldToEventLoop();
  }
}

/** Returns the identity and type of an upload, once per item; undefined unless it is padded base64 (RFC 4648, section 4). */
export function inspect(item: FileItem): Promise<Upload | undefined> {
  let upload = inspected.get(item);
  if (upload === undefined) {
    upload = inspectData(item.data);
    inspected.set(item, upload);
  }
  return upload;
}

async function inspectData(data: string): Promise<Upload | undefined> {
  // Loaded on demand: loading it takes longer than most commands that read no files.
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  const text = textDetector();
  const head: Buffer[] = [];
  const size = sizeOf(data);
  if (!looksEncoded(data)) return undefined;
  let at = 0;
  for await (const chunk of chunksOf(data)) {
    // Decoding skips invalid characters, which makes the result shorter than expected.
    if (chunk.length !== Math.min(chunkBytes, size - at)) return undefined;
    hash.update(chunk);
    text.add(chunk);
    if (head.length < headChunks) head.push(chunk);
    at += chunk.length;
  }
  if (at === 0) return undefined;
  return { sha256: hash.digest("base64url"), size, ...(await typeOf(Buffer.concat(head), text.end())) };
}

/** Rejects what decoding accepts silently: another alphabet, missing padding, unused bits that are not zero. */
function looksEncoded(data: string): boolean {
  const last = data.slice(-4);
  const standard = data.length % 4 === 0 && !data.includes("-") && !data.includes("_");
  return standard && Buffer.from(last, "base64").toString("base64") === last;
}

/** Detects whether all added chunks together are UTF-8 without NUL. */
function textDetector() {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isText = true;
  const decode = (chunk?: Buffer) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      isText = false;
    }
  };
  return {
    add(chunk: Buffer) {
      if (isText && chunk.includes(0)) isText = false;
      if (isText) decode(chunk);
    },
    end() {
      if (isText) decode();
      return isText;
    },
  };
}
