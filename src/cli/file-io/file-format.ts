import { UsageError } from "../errors/cli-errors.ts";
import type { Globals } from "../terminal/global-options.ts";

/** Format of a file with rows. */
export type FileFormat = "csv" | "ndjson";

const isFormat = (text: string): text is FileFormat => text === "csv" || text === "ndjson";

/** Returns the requested format, else the format of the file's extension, else CSV. */
export function formatFor(file: string, flag?: unknown, globals?: Globals): FileFormat {
  const asked = (flag as string | undefined) ?? (globals?.json ? "json" : globals?.output);
  if (asked === undefined) return /\.(ndjson|jsonl)$/i.test(file) ? "ndjson" : "csv";
  if (isFormat(asked)) return asked;
  throw new UsageError(`the format must be csv or ndjson, not ${asked}`);
}

/** Returns what to do about a CSV file whose first column looks like JSON. */
export const hintOfJson = ([first = ""]: readonly string[]): string | undefined =>
  /^[[{]/.test(first)
    ? "It seems to be JSON: pass --format ndjson, with an object on each line, as jq -c '.[]' prints an array."
    : undefined;
