import { fstatSync, readFileSync, statSync } from "node:fs";
import { devNull } from "node:os";
import { UsageError } from "../errors/cli-errors.ts";

/**
 * Throws a `UsageError` when stdout was closed (`>&-`).
 *
 * Node replaces a closed stdout by /dev/null, opened for reading and writing, before any code runs. Programs that start
 * others do the same on purpose (`subprocess.DEVNULL`), so stdout only counts as closed when a shell started this process
 * and has another stdout itself. Only Linux shows the open files of a process; nothing is reported elsewhere.
 */
export function refuseClosedOutput(): void {
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
