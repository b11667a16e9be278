import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceError } from "../../contract/errors.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readFailure } from "./value-sources.ts";

export interface Source extends AsyncDisposable {
  readonly label: string;
  readonly size: number | undefined;
  /** Bytes read since the last call of `read`. */
  readonly position: number;
  /** Reads from the beginning. Can be called twice only if opened with `again`. */
  read(): AsyncIterable<Uint8Array>;
}

interface Reading {
  /** Allows reading more than once. Pipes are copied to a private temporary file. */
  readonly again: boolean;
  readonly signal?: AbortSignal;
}

const chunkSize = 262_144;

export async function openSource(path: string, terminal: Terminal, { again, signal }: Reading): Promise<Source> {
  if (path === "-") {
    const chunks = terminal.input(signal);
    return again ? spool("stdin", chunks, signal) : source("stdin", undefined, () => chunks);
  }
  try {
    const file = await open(path);
    const stat = await file.stat();
    if (stat.isDirectory()) {
      await file.close();
      throw Object.assign(new Error("directory"), { code: "EISDIR" });
    }
    const close = () => file.close();
    if (stat.isFile()) return source(path, stat.size, () => chunksOf(file, signal, 0), close);
    const chunks = chunksOf(file, signal);
    return again ? await spool(path, chunks, signal).finally(close) : source(path, undefined, () => chunks, close);
  } catch (error) {
    throw isSystem(error) ? new UsageError(readFailure(error, path)) : error;
  }
}

const isSystem = (error: unknown) =>
  typeof (error as NodeJS.ErrnoException).code === "string" && (error as Error).name === "Error";

/** Reads from a position, or what comes next. Not with a stream, because one that is not read to its end closes the file. */
async function* chunksOf(file: FileHandle, signal?: AbortSignal, start?: number): AsyncGenerator<Uint8Array> {
  let position = start ?? null;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkSize), 0, chunkSize, position);
    signal?.throwIfAborted();
    if (bytesRead === 0) return;
    if (position !== null) position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Copies a stream to a private temporary file, so that it can be read more than once. */
async function spool(label: string, chunks: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), "wcs-import-"));
  let opened: FileHandle | undefined;
  const close = async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const file = await open(join(folder, "rows"), "wx+", 0o600);
    opened = file;
    let size = 0;
    for await (const chunk of chunks) {
      await file.writeFile(chunk);
      size += chunk.length;
    }
    return source(label, size, () => chunksOf(file, signal, 0), close);
  } catch (error) {
    await close();
    throw error;
  }
}

function source(
  label: string,
  size: number | undefined,
  read: () => AsyncIterable<Uint8Array>,
  close = async () => {},
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
        if (position === 0) refuseBinary(chunk, label);
        position += chunk.length;
        yield chunk;
      }
    },
    [Symbol.asyncDispose]: close,
  };
}

const exportIt = "export it as CSV (UTF-8) and import that file";

const binaries = [
  { kind: "an Excel workbook (.xlsx) or another ZIP archive", magic: [0x50, 0x4b, 0x03, 0x04], next: exportIt },
  { kind: "an Excel workbook (.xls)", magic: [0xd0, 0xcf, 0x11, 0xe0], next: exportIt },
  { kind: "UTF-16 without a byte order mark", magic: [undefined, 0], next: "save it as UTF-8" },
  { kind: "UTF-16 without a byte order mark", magic: [0], next: "save it as UTF-8" },
  { kind: "compressed by gzip", magic: [0x1f, 0x8b], next: "unpack it, or export a CSV file (UTF-8)" },
];

/** Throws `validation_failed` when the first chunk of a file has a format that is often mistaken for text. */
function refuseBinary(chunk: Uint8Array, label: string): void {
  const found = binaries.find(({ magic }) => magic.every((byte, at) => byte === undefined || chunk[at] === byte));
  if (found === undefined) return;
  throw new ServiceError("validation_failed", `${label} seems to be ${found.kind}; ${found.next}.`);
}
