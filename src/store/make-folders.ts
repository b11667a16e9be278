import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Creates folders. Node's own `recursive` never returns where an existing folder cannot hold others, as below /proc. */
export function makeFolders(path: string, mode: number): void {
  if (isMade(path, mode) || dirname(path) === path) return;
  makeFolders(dirname(path), mode);
  if (!isMade(path, mode)) mkdirSync(path, { mode });
}

/** Creates a folder unless it exists. Returns false when the one above is missing. */
function isMade(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code === "EEXIST" && statSync(path).isDirectory()) return true;
    throw error;
  }
}
