import { statSync } from "node:fs";
import { quoteForShell } from "../../contract/shell-quote.ts";
import { capitalize } from "../errors/cli-errors.ts";

/** A file or folder; the mode is undefined when it is not known. */
export interface Place {
  readonly path: string;
  readonly mode: number | undefined;
}

/** Returns the permission bits of a file or folder; undefined when it cannot be examined, or on Windows. */
export function modeOf(path: string): number | undefined {
  if (process.platform === "win32") return undefined;
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
}

export const modeText = (mode: number): string => mode.toString(8).padStart(4, "0");

/** Returns who can read what this mode lets others than the owner read. */
export const readersOf = (mode: number): string => (mode & 0o007 ? "other users" : "users of its group");

/** Returns a sentence about a file or folder with secrets that others than the owner can read; undefined when none can. */
export function exposureOf({ path, mode = 0 }: Place, wanted: number): string | undefined {
  if ((mode & ~wanted & 0o077) === 0) return undefined;
  return `${capitalize(readersOf(mode))} can read ${path} (${modeText(mode)}), which contains secrets. Restrict it with chmod ${modeText(wanted)} ${quoteForShell(path)}.`;
}
