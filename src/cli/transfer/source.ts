import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../failure.ts";
import { reason } from "../sources.ts";
import type { Terminal } from "../terminal.ts";

/** A text to read: a file, or stdin. */
export interface Source {
  /** How messages call it. */
  readonly label: string;
  /** In bytes, where that is known. */
  readonly size: number | undefined;
  /** How many bytes of it were read since the last beginning. */
  readonly position: number;
  /** Reads it from its beginning; a second time only if that was asked for. */
  read(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

interface Reading {
  /** It will be read more than once: what cannot be, is kept in a private file meanwhile. */
  readonly again: boolean;
  readonly signal: AbortSignal;
}

/** Opens a file by its path, or `-`, which is stdin. */
export async function openSource(path: string, terminal: Terminal, { again, signal }: Reading): Promise<Source> {
  if (path === "-") {
    const chunks = terminal.input(signal);
    return again
      ? spool("stdin", chunks, signal)
      : source(
          "stdin",
          undefined,
          () => chunks,
          async () => {},
        );
  }
  try {
    const file = await open(path);
    const stat = await file.stat();
    if (stat.isDirectory()) {
      await file.close();
      throw Object.assign(new Error("directory"), { code: "EISDIR" });
    }
    if (stat.isFile())
      return source(
        path,
        stat.size,
        () => chunksOf(file, signal, 0),
        () => file.close(),
      );
    // A pipe can be read only once.
    const chunks = chunksOf(file, signal);
    if (!again)
      return source(
        path,
        undefined,
        () => chunks,
        () => file.close(),
      );
    return await spool(path, chunks, signal).finally(() => file.close());
  } catch (error) {
    throw isSystem(error) ? new UsageError(reason(error, path)) : error;
  }
}

const isSystem = (error: unknown) =>
  typeof (error as NodeJS.ErrnoException).code === "string" && (error as Error).name === "Error";

async function* chunksOf(file: FileHandle, signal: AbortSignal, start?: number): AsyncGenerator<Uint8Array> {
  const options = { autoClose: false, highWaterMark: 262_144, ...(start !== undefined && { start }) };
  for await (const chunk of file.createReadStream(options)) {
    signal.throwIfAborted();
    yield chunk as Uint8Array;
  }
}

/** Keeps a text that can be read only once, for nobody else to see. */
async function spool(label: string, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), "wcs-import-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = await open(join(folder, "rows"), "wx+", 0o600);
    let size = 0;
    for await (const chunk of chunks) {
      await file.writeFile(chunk);
      size += chunk.length;
    }
    return source(
      label,
      size,
      () => chunksOf(file, signal, 0),
      async () => {
        await file.close();
        await remove();
      },
    );
  } catch (error) {
    await remove();
    throw error;
  }
}

function source(
  label: string,
  size: number | undefined,
  read: () => AsyncIterable<Uint8Array>,
  close: () => Promise<void>,
): Source {
  let position = 0;
  return {
    label,
    size,
    get position() {
      return position;
    },
    async *read() {
      position = 0;
      for await (const chunk of read()) {
        position += chunk.length;
        yield chunk;
      }
    },
    close,
  };
}
