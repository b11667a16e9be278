import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { BrokenPipe, isBrokenPipe, LostOutput } from "../errors/cli-errors.ts";

const descriptor = 1;

/** Opens `stream` only for character devices: opening Node's stream takes longer than most commands. */
export function isTerminal(stream: () => NodeJS.WriteStream): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isCharacterDevice() && stat.rdev !== statSync(devNull).rdev && stream().isTTY === true;
  } catch {
    return false;
  }
}

// Reused: new buffers for each page of a long list would fill the memory before they are collected.
let buffer: Uint8Array | undefined;
let isChanged = false;

export function noteChange(): void {
  isChanged = true;
}

/** Writes a text to stdout. Falls back to the stream when the descriptor would block. */
export async function writeOut(text: string, stream: () => NodeJS.WriteStream): Promise<void> {
  buffer ??= new Uint8Array(65_536);
  const encoder = new TextEncoder();
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder.encodeInto(text.slice(at), buffer);
    const done = writeNow(buffer.subarray(0, written));
    if (done < written) {
      await writeStream(buffer.slice(done, written), stream());
      return writeStream(Buffer.from(text.slice(at + read)), stream());
    }
    at += read;
  }
}

export async function writeBytesOut(bytes: Uint8Array, stream: () => NodeJS.WriteStream): Promise<void> {
  const done = writeNow(bytes);
  if (done < bytes.length) await writeStream(bytes.subarray(done), stream());
}

/** Writes until the descriptor would block; returns the number of bytes written. */
function writeNow(bytes: Uint8Array): number {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(descriptor, bytes, done);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw brokenOr(error);
  }
  return done;
}

async function writeStream(bytes: Uint8Array, stream: NodeJS.WriteStream): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: unknown) => reject(brokenOr(error));
  stream.once("error", fail);
  stream.write(bytes, (error) => (error ? fail(error) : resolve()));
  await promise.finally(() => stream.off("error", fail));
}

function brokenOr(error: unknown): unknown {
  if (isBrokenPipe(error)) return new BrokenPipe();
  return isChanged ? new LostOutput(error) : error;
}
