import { availableParallelism } from "node:os";
import { UsageError } from "../../errors/cli-errors.ts";

export const mostWorkers = 64;

/** Parses --workers; `auto` is the number of cores that the process may use. */
export function parseWorkerCount(text: string): number {
  const count = text === "auto" ? availableParallelism() : Number(text);
  if (!/^(auto|\d+)$/.test(text) || count < 1 || count > mostWorkers) {
    throw new UsageError(`--workers must be auto or a number from 1 to ${mostWorkers}, not '${text}'`);
  }
  return count;
}
