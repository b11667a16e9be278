import { createHash } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import type { FileItem } from "../contract/file-forms.ts";
import { type ContentKey, chunkBytes } from "./file-contents.ts";
import { type FileType, typeOf } from "./file-types.ts";

const chunkCharacters = (chunkBytes / 3) * 4;
/** How many chunks are looked at to tell the type and the dimensions. */
const headChunks = 4;

/** What an upload holds. */
export interface Upload extends ContentKey, FileType {}

const inspected = new WeakMap<FileItem, Promise<Upload | undefined>>();

/** The bytes that base64 stands for, if it is any. */
export function sizeOf(data: string): number {
  return Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
}

/** The content of base64, chunk by chunk. Others get their turn in between: megabytes take their time. */
export async function* chunksOf(data: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += chunkCharacters) {
    yield Buffer.from(data.slice(at, at + chunkCharacters), "base64");
    await breathe();
  }
}

/**
 * What an upload holds; undefined when it is not base64 as RFC 4648 has it in section 4: padded, and nothing else in it.
 * Looked at once, however often a transaction is tried.
 */
export function inspect(item: FileItem): Promise<Upload | undefined> {
  let upload = inspected.get(item);
  if (upload === undefined) {
    upload = read(item.data);
    inspected.set(item, upload);
  }
  return upload;
}

async function read(data: string): Promise<Upload | undefined> {
  const hash = createHash("sha256");
  const text = textDetector();
  const head: Buffer[] = [];
  const size = sizeOf(data);
  if (!looksEncoded(data)) return undefined;
  let at = 0;
  for await (const chunk of chunksOf(data)) {
    // Decoding passes over what is no base64, which leaves less than there should be.
    if (chunk.length !== Math.min(chunkBytes, size - at)) return undefined;
    hash.update(chunk);
    text.add(chunk);
    if (head.length < headChunks) head.push(chunk);
    at += chunk.length;
  }
  if (at === 0) return undefined;
  return { sha256: hash.digest("base64url"), size, ...(await typeOf(Buffer.concat(head), text.end())) };
}

/** Whether it can be base64, as far as decoding would not notice: another alphabet, padding, bits that stand for nothing. */
function looksEncoded(data: string): boolean {
  const last = data.slice(-4);
  const standard = data.length % 4 === 0 && !data.includes("-") && !data.includes("_");
  return standard && Buffer.from(last, "base64").toString("base64") === last;
}

/** Tells whether all that is added is UTF-8 without NUL. */
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
