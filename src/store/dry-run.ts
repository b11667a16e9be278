import type { Database, Tx } from "./database.ts";

class RollBack extends Error {}

/** Runs `work` in a transaction of `write`; a dry run rolls it back at the end. Returns the result of `work` either way. */
export async function runOrRollBack<T>(
  write: Database["write"],
  dryRun: boolean,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (!dryRun) return write(work);
  let result: T | undefined;
  try {
    await write(async (tx) => {
      result = await work(tx);
      throw new RollBack();
    });
  } catch (error) {
    if (!(error instanceof RollBack)) throw error;
  }
  return result as T;
}
