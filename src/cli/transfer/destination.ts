import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../failure.ts";

/** A file in the making: it takes the place of the old one when it is whole. */
export interface Destination {
  write(text: string): Promise<void>;
  /** Puts it in its place. */
  keep(): Promise<void>;
  /** Leaves everything as it was; nothing after `keep`. */
  discard(): Promise<void>;
}

/** Begins a file that only its owner can read. What is no ordinary file, as /dev/null, is written to as it is. */
export async function openDestination(path: string): Promise<Destination> {
  try {
    const place = await realpath(path).catch(() => path);
    const before = await stat(place).catch(() => undefined);
    if (before && !before.isFile()) return direct(await open(place, "w"));
    const draft = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
    return replacing(await open(draft, "w", 0o600), draft, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} cannot be written (${code ?? "unknown reason"})`);
  }
}

function replacing(file: FileHandle, draft: string, place: string): Destination {
  let open = true;
  return {
    write: async (text) => void (await file.writeFile(text)),
    async keep() {
      if (!open) return;
      open = false;
      await file.sync();
      await file.close();
      await rename(draft, place);
    },
    async discard() {
      if (!open) return;
      open = false;
      await file.close();
      await rm(draft, { force: true });
    },
  };
}

function direct(file: FileHandle): Destination {
  const close = () => file.close();
  return { write: async (text) => void (await file.writeFile(text)), keep: close, discard: close };
}
