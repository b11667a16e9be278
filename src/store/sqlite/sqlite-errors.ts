import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { ServiceError } from "../../contract/errors.ts";

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return /^E[A-Z]+$/.test(String((error as NodeJS.ErrnoException | undefined)?.code));
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** Returns the primary result code of an error of SQLite, 0 for other errors. */
const resultCode = (error: unknown): number => ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;

export const isBusy = (error: unknown): boolean => resultCode(error) === codes.busy;

/** Returns true for an error after which the transaction can be complete in the write-ahead log. */
export const isIoError = (error: unknown): boolean => resultCode(error) === codes.ioError;

const otherPath = "A part of its path is a file, not a folder. Name another path.";

/** Next steps for a path that cannot be used, by the code of the error. */
const hints: Readonly<Record<string, string>> = {
  EACCES: "Run the command as a user who has access to it and to its folder.",
  EROFS: "Its disk is mounted read-only. Name a file on another disk.",
  EEXIST: otherPath,
  EISDIR: "It is a folder. Name a file.",
  ENOTDIR: otherPath,
  ENOENT: "It is a link to a file that does not exist, or its folder cannot be created. Name another path.",
  ELOOP: "A link in its path leads back to itself. Name another path.",
  ENAMETOOLONG: "A name in its path is too long for the file system. Name another path.",
};

const restoreHint = "Restore a backup with wcs db restore, which keeps the present file.";

/**
 * Translates an error of SQLite into a `ServiceError`; returns other errors unchanged. Damage in a file that is being opened is a
 * `conflict` of the command, while a database in use that turns out to be damaged is `unavailable`. Only hints name a file in
 * use, since messages are shown to users of the service.
 */
export function translateError(error: unknown, path: string, isInUse = false): unknown {
  const name = isInUse ? "The database" : path;
  const failed = (message: string, more: { readonly hint?: string | undefined; readonly retryAfter?: number } = {}) =>
    new ServiceError("unavailable", message, { ...more, cause: error });
  const damaged = (message: string) =>
    new ServiceError(isInUse ? "unavailable" : "conflict", message, { hint: restoreHint, cause: error });
  if (isFileError(error)) {
    const isFull = error.code === "ENOSPC" || error.code === "EDQUOT";
    const hint = isInUse ? undefined : hints[String(error.code)];
    return failed(isFull ? "The disk is full." : `${name} cannot be opened (${error.code}).`, { hint });
  }
  switch (resultCode(error)) {
    case codes.busy:
    case codes.locked:
      return failed("The database is busy; try again.", { retryAfter: 1 });
    case codes.readOnly: {
      const hint = isOnReadOnlyDisk(path)
        ? `The disk of ${path} is mounted read-only.`
        : `You need permission to write to ${path}, ${path}-wal and ${path}-shm, and to their folder.`;
      return failed("The database cannot be written to.", { hint });
    }
    case codes.full:
      return failed("The disk is full; nothing was changed.");
    case codes.ioError:
      return failed("The disk is full or failing; nothing was changed.");
    case codes.corrupt:
      return damaged(`${name} is damaged.`);
    case codes.notADatabase:
      return damaged(`${name} is not a wcs database, or it is damaged.`);
    case codes.cannotOpen:
      return failed(
        `${name} cannot be opened; ${isInUse ? "its folder must exist and be writable" : whyNotOpened(path)}.`,
      );
    default:
      return error;
  }
}

function whyNotOpened(path: string): string {
  // With a slash at its end, only a folder exists.
  if (existsSync(`${path}/`)) return "it is a folder";
  return isOnReadOnlyDisk(path)
    ? "its disk is mounted read-only"
    : "SQLite must be able to write to its folder, even to read. Check the permissions of both, and the limit on open files (ulimit -n)";
}

function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}
