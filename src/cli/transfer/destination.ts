import { type FileHandle, link, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ServiceError } from "../../contract/errors.ts";
import { isDiskFull } from "../disk-failure.ts";
import { UsageError } from "../failure.ts";

/** A file in the making: it takes the place of the old one when it is whole. */
export interface Destination {
  write(data: string | Uint8Array): Promise<void>;
  /** Puts it in its place. */
  keep(): Promise<void>;
  /** Leaves everything as it was; nothing after `keep`. */
  discard(): Promise<void>;
}

/** Where a file is made, and how it comes to its place from there. */
export interface Draft {
  readonly path: string;
  readonly put: () => Promise<void>;
}

/** For a file at `place` that takes the place of the old one when it is whole; `fresh`: there must be none, by then, either. */
export function draftFor(place: string, fresh: boolean): Draft {
  const path = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
  return { path, put: fresh ? () => add(path, place) : () => rename(path, place) };
}

/**
 * Begins a file that only its owner can read. What is no ordinary file, as /dev/null, is written to as it is. `fresh`: a
 * file that is there already is a `conflict`, and stays.
 */
export async function openDestination(path: string, { fresh = false } = {}): Promise<Destination> {
  try {
    const place = await realpath(path).catch(() => path);
    const before = await stat(place).catch(() => undefined);
    if (before?.isFile() && fresh) throw exists(path);
    if (before && !before.isFile()) return direct(await open(place, "w"));
    const draft = draftFor(place, fresh);
    return replacing(await open(draft.path, "w", 0o600), draft);
  } catch (error) {
    if (error instanceof ServiceError || isDiskFull(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} cannot be written (${code ?? "unknown reason"})`);
  }
}

/** Of a file that is there already and stays. */
export const exists = (path: string): ServiceError =>
  new ServiceError("conflict", `${path} exists already.`, { hint: "--force replaces it" });

/** Puts the draft where no file is, also when one has come there meanwhile. */
async function add(draft: string, place: string): Promise<void> {
  try {
    await link(draft, place);
    await rm(draft);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw exists(place);
    // Not every file system knows links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
    await rename(draft, place);
  }
}

function replacing(file: FileHandle, draft: Draft): Destination {
  let open = true;
  return {
    write: async (data) => void (await file.writeFile(data)),
    async keep() {
      if (!open) return;
      await file.sync();
      await draft.put();
      open = false;
      await file.close();
    },
    async discard() {
      if (!open) return;
      open = false;
      await file.close();
      await rm(draft.path, { force: true });
    },
  };
}

function direct(file: FileHandle): Destination {
  const close = () => file.close();
  return { write: async (data) => void (await file.writeFile(data)), keep: close, discard: close };
}
