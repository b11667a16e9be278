import { chmodSync, readdirSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../errors/cli-errors.ts";

/**
 * Keeps others out of the folder. One that holds other things keeps its mode unless others can write to it. Throws a `UsageError`
 * for a folder with the sticky bit: it is one for all, such as /tmp.
 */
export function makePrivate(dir: string): void {
  const isOwn = readdirSync(dir).every((name) => name.startsWith("config.json"));
  const { mode } = statSync(dir);
  if ((mode & 0o1000) !== 0)
    throw new UsageError(`other users can write to ${dir}, where the configuration would be`, {
      hint: "set WCS_CONFIG_DIR to a folder of your own",
    });
  if (isOwn || (mode & 0o022) !== 0) chmodSync(dir, 0o700);
}

/** Writes the configuration while `held` says that its lock is held. */
export async function saveConfig(dir: string, config: object, held: () => boolean): Promise<void> {
  giveHome(dir);
  const { default: Conf } = await import("conf");
  // conf applies the umask to the given mode, and reads the file before it writes.
  const umask = process.umask(0o077);
  try {
    const store = new Conf<Record<string, unknown>>({ projectName: "wcs", cwd: dir, configFileMode: 0o600 });
    if (!held()) throw new Error("another process took over the configuration lock; try again");
    removeDrafts(dir);
    store.store = { ...config };
  } finally {
    process.umask(umask);
  }
}

/** Sets HOME for a user without a home folder. conf looks for one when it is loaded, though it does not use it. */
function giveHome(folder: string): void {
  try {
    homedir();
  } catch {
    process.env.HOME = folder;
  }
}

/** Removes the files, perhaps with tokens, that processes left which were killed while they saved. */
function removeDrafts(dir: string): void {
  for (const name of readdirSync(dir)) {
    if (!name.startsWith("config.json.tmp-")) continue;
    try {
      rmSync(join(dir, name));
    } catch {
      // It belongs to another user, or is gone. The configuration can be saved all the same.
    }
  }
}
