import { fstatSync, readFileSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { BrokenPipe, isBrokenPipe, LostOutput, UsageError } from "../errors/cli-errors.ts";

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
let isChecked = false;
let isChanged = false;

export function requireOutput(): void {
  if (!isChecked) refuseClosedOutput();
  isChecked = true;
}

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
  requireOutput();
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

/**
 * Throws a `UsageError` when stdout was closed (`>&-`).
 *
 * Node replaces a closed stdout by /dev/null, opened for reading and writing, before any code runs. Programs that start
 * others do the same on purpose (`subprocess.DEVNULL`), so stdout only counts as closed when a shell started this process
 * and has another stdout itself. Only Linux shows the open files of a process; nothing is reported elsewhere.
 */
function refuseClosedOutput(): void {
  if (fstatSync(1).rdev !== statSync(devNull).rdev) return;
  const parent = `/proc/${process.ppid}`;
  const isOpenedByNode = isNullForBoth("/proc/self") && isShell(parent) && !isNullForBoth(parent);
  if (isOpenedByNode) throw new UsageError("stdout is closed", { hint: "use > /dev/null to discard the output" });
}

const isShell = (process: string) => /^(ba|da|z|fi|[am]?k|a)?sh$/.test(read(`${process}/comm`).trim());

function isNullForBoth(process: string): boolean {
  // The last octal digit of the flags is the access mode: 2 is O_RDWR.
  if (!/^flags:\s*\d*2$/m.test(read(`${process}/fdinfo/1`))) return false;
  return statSync(`${process}/fd/1`).rdev === statSync(devNull).rdev;
}

/** Returns the text of a file of the system; "" when there is none, or it belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
