const fullCodes: readonly unknown[] = ["ENOSPC", "EDQUOT"];
const postgresFull = "53100";
/** Primary result codes of SQLite. */
const sqliteFull = 13;
const sqliteFailing = 10;

export const isDiskFull = (error: unknown): boolean => hasCause(error, saysFull);

/** Returns the failure for an error of a local disk, of open files or of the current folder. Instances report theirs as `unavailable`. */
export function diskFailureOf(error: unknown) {
  const full = { exit: 1, code: "disk_full", hint: "Free some space, then run the command again." } as const;
  if (isDiskFull(error)) return { ...full, message: "The disk is full." };
  if (hasCause(error, ({ code }) => code === postgresFull))
    return { ...full, message: "The disk of the database server is full." };
  if (hasCause(error, ({ code }) => code === "EFBIG")) {
    const message = "The file would be larger than the file system, or a limit of this process (ulimit -f), allows.";
    return { ...full, message, hint: "Raise the limit, or write to another place." };
  }
  if (hasCause(error, ({ code }) => code === "EMFILE" || code === "ENFILE")) {
    const hint = "Raise the limit on open files of this process (ulimit -n).";
    return { exit: 1, code: "crash", message: "Too many files are open.", hint } as const;
  }
  if (hasCause(error, ({ syscall }) => syscall === "uv_cwd")) {
    const hint = "Change to another folder, then run the command again.";
    return { exit: 1, code: "crash", message: "The current folder does not exist any more.", hint } as const;
  }
  if (hasCause(error, ({ syscall }) => syscall === "mkdtemp")) {
    const hint = "Set TMPDIR to a folder that you can write to.";
    return { exit: 1, code: "crash", message: "No folder for temporary files can be made.", hint } as const;
  }
  if (hasCause(error, ({ errcode }) => primary(errcode) === sqliteFailing)) {
    const hint = "Check the system log and the free space of the disk. Check the database with wcs db check.";
    return { exit: 1, code: "disk_failing", message: (error as Error).message, hint } as const;
  }
  return undefined;
}

type Coded = Readonly<Partial<Record<"code" | "errcode" | "syscall", unknown>>>;

const primary = (errcode: unknown) => (typeof errcode === "number" ? errcode & 0xff : undefined);

const saysFull = ({ code, errcode }: Coded) => fullCodes.includes(code) || primary(errcode) === sqliteFull;

function hasCause(error: unknown, isSuch: (error: Coded) => boolean): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isSuch(cause as Coded)) return true;
  return false;
}
