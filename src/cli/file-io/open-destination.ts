import { type FileHandle, link, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { ServiceError } from "../../contract/errors.ts";
import { BrokenPipe, isBrokenPipe, UsageError } from "../errors/cli-errors.ts";
import { isDiskFull } from "../errors/disk-failure.ts";
import { pathReasons } from "./path-reasons.ts";

/** A file that replaces the old one only when it is complete: without `keep`, disposing of it removes it. */
interface Destination extends AsyncDisposable {
  write(data: string | Uint8Array): Promise<void>;
  keep(): Promise<void>;
}

/** Returns the path of a draft, and a function that moves it to `place`: with `fresh`, it throws `conflict` when a file exists there. */
export function draftFor(place: string, fresh: boolean) {
  // Not normalized, as the rename resolves a path through `..` or a link in the same way.
  const path = `${dirname(place)}${sep}.${basename(place)}.${process.pid}.tmp`;
  return { path, put: fresh ? () => add(path, place) : () => rename(path, place) };
}

/**
 * Returns the path of a file with all links resolved. Throws a `UsageError` when the path is a link that another user created in a
 * folder that all can write to, such as /tmp: that user would choose which file is replaced. Linux refuses to open such a link,
 * but only the resolved path is opened.
 */
export async function resolveLinks(path: string): Promise<string> {
  const missing = () => undefined;
  const [found, folder] = await Promise.all([lstat(path).catch(missing), stat(dirname(path)).catch(missing)]);
  const isForeign = found?.isSymbolicLink() && ![process.getuid?.(), folder?.uid].includes(found.uid);
  if (isForeign && folder && folder.mode & 0o002)
    throw new UsageError(`${path} is a link that another user has put there`, { hint: "name another file" });
  return realpath(path).catch(() => path);
}

/** Opens a new private file, or a special file such as /dev/null. With `fresh`, throws `conflict` when the file exists. */
export async function openDestination(path: string, { fresh = false } = {}): Promise<Destination> {
  try {
    const place = await resolveLinks(path);
    const before = await stat(place).catch(() => undefined);
    if (before?.isFile() && fresh) throw alreadyExists(path);
    if (before && !before.isFile()) return direct(await open(place, "w"));
    const draft = draftFor(place, fresh);
    // An existing draft was left by a killed process, or created by another user who could read what is written to it.
    await rm(draft.path, { force: true });
    return replacing(await open(draft.path, "wx", 0o600), draft);
  } catch (error) {
    if (error instanceof ServiceError || error instanceof UsageError || isDiskFull(error)) throw error;
    throw cannotWrite(path, error);
  }
}

export function cannotWrite(path: string, error: unknown): UsageError {
  const { code = "unknown reason" } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ...pathReasons,
    ENOENT: "its folder does not exist",
    EACCES: "no permission",
  };
  return new UsageError(`cannot write ${path}: ${reasons[code] ?? code}`);
}

export const alreadyExists = (path: string): ServiceError =>
  new ServiceError("conflict", `${path} already exists.`, { hint: "Pass --force to replace it." });

/** Moves the draft to a path where no file exists. Links, since a rename would replace a file created meanwhile. */
async function add(draft: string, place: string): Promise<void> {
  try {
    await link(draft, place);
    await rm(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw alreadyExists(place);
    if (!hasNoLinks(error)) throw error;
    await rename(draft, place);
  }
}

export const hasNoLinks = (error: unknown): boolean =>
  ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "");

function replacing(file: FileHandle, draft: ReturnType<typeof draftFor>): Destination {
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
    async [Symbol.asyncDispose]() {
      if (!open) return;
      open = false;
      await file.close();
      await rm(draft.path, { force: true });
    },
  };
}

function direct(file: FileHandle): Destination {
  const close = () => file.close();
  const write = (data: string | Uint8Array) =>
    file.writeFile(data).catch((error) => {
      throw isBrokenPipe(error) ? new BrokenPipe() : error;
    });
  return { write, keep: close, [Symbol.asyncDispose]: close };
}
