export interface DiskFailure {
  readonly exit: 1;
  readonly code: "disk_full" | "disk_failing";
  readonly message: string;
  readonly hint: string;
}

/** Codes of errors of the system. */
const fullCodes: readonly unknown[] = ["ENOSPC", "EDQUOT"];
const postgresFull = "53100";
/** Result codes of SQLite, without what they say in detail. */
const sqliteFull = 13;
const sqliteFailing = 10;

/** Returns whether there is no space left for what was to be written. */
export const isDiskFull = (error: unknown): boolean => hasCause(error, saysFull);

/**
 * The failure of a command on this machine whose disk did not take what was written, however it came to light; undefined for
 * other errors. An instance that answers so over HTTP is `unavailable`.
 */
export function diskFailureOf(error: unknown): DiskFailure | undefined {
  const full = { exit: 1, code: "disk_full", hint: "Free some space, then run the command again." } as const;
  if (isDiskFull(error)) return { ...full, message: "The disk is full." };
  if (hasCause(error, ({ code }) => code === postgresFull))
    return { ...full, message: "The disk of the database server is full." };
  if (hasCause(error, ({ code }) => code === "EFBIG")) {
    const message = "The file would be larger than the file system, or a limit of this process (ulimit -f), allows.";
    return { ...full, message, hint: "Raise the limit, or write to another place." };
  }
  if (hasCause(error, ({ errcode }) => primary(errcode) === sqliteFailing)) {
    const hint = "See what the system logs of the disk, and how much space is left; wcs db check looks for damage.";
    return { exit: 1, code: "disk_failing", message: (error as Error).message, hint };
  }
  return undefined;
}

interface Coded {
  readonly code?: unknown;
  readonly errcode?: unknown;
}

const primary = (errcode: unknown) => (typeof errcode === "number" ? errcode & 0xff : undefined);

const saysFull = ({ code, errcode }: Coded) => fullCodes.includes(code) || primary(errcode) === sqliteFull;

/** Returns whether the error, or one that caused it, is such. */
function hasCause(error: unknown, isSuch: (error: Coded) => boolean): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isSuch(cause as Coded)) return true;
  return false;
}
