import { availableParallelism } from "node:os";
import { UsageError } from "../../errors/cli-errors.ts";

/** More than the largest would not fit into the memory that a server keeps for bodies. */
const range = { smallest: 65_536, largest: 40 * 1024 * 1024 };
const units: Readonly<Record<string, number>> = { "": 1, kib: 1024, mib: 1024 * 1024 };

export const wrongLimit = "must be a size in bytes, KiB or MiB from 64KiB to 40MiB";

/** Parses a limit of bodies, as in `512KiB`, and returns bytes; undefined for other texts. */
export function parseLimit(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d+)(|KiB|MiB)$/i.exec(text) ?? [];
  const bytes = Number(digits) * (units[unit.toLowerCase()] ?? 0);
  return bytes >= range.smallest && bytes <= range.largest ? bytes : undefined;
}

export function bodyLimitsOf(body: string, upload: string) {
  const [bodyLimit, uploadLimit] = [limitOf("--body-limit", body), limitOf("--upload-limit", upload)];
  if (bodyLimit > uploadLimit)
    throw new UsageError(`the body limit (${body}) must not be larger than the upload limit (${upload})`, {
      hint: "use --body-limit and --upload-limit, or body_limit and upload_limit in the file of --config",
    });
  return { bodyLimit, uploadLimit };
}

function limitOf(flag: string, text: string): number {
  const bytes = parseLimit(text);
  if (bytes === undefined) throw new UsageError(`${flag} ${wrongLimit}, not '${text}'`);
  return bytes;
}

export const mostWorkers = 64;

/** Parses --workers; `auto` is the number of cores that the process may use. */
export function parseWorkerCount(text: string): number {
  const count = text === "auto" ? availableParallelism() : Number(text);
  if (!/^(auto|\d+)$/.test(text) || count < 1 || count > mostWorkers) {
    throw new UsageError(`--workers must be auto or a number from 1 to ${mostWorkers}, not '${text}'`);
  }
  return count;
}
