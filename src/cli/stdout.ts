import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { BrokenPipe } from "./failure.ts";

/** The descriptor that data goes to. */
const descriptor = 1;

/**
 * Whether a person reads stdout. `stream` is asked only where that may be: opening node's own stream takes longer than
 * most commands do.
 */
export function isTerminal(stream: () => NodeJS.WriteStream): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isCharacterDevice() && stat.rdev !== statSync(devNull).rdev && stream().isTTY === true;
  } catch {
    return false;
  }
}

/** Writes all of the text; through the stream where the descriptor would have to be waited for. */
export async function writeOut(text: string, stream: () => NodeJS.WriteStream): Promise<void> {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(descriptor, bytes, done);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw brokenOr(error);
    await writeStream(bytes.subarray(done), stream());
  }
}

function writeStream(bytes: Uint8Array, stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once("error", (error) => reject(brokenOr(error)));
    stream.write(bytes, (error) => (error ? reject(brokenOr(error)) : resolve()));
  });
}

const brokenOr = (error: unknown) => ((error as NodeJS.ErrnoException).code === "EPIPE" ? new BrokenPipe() : error);
