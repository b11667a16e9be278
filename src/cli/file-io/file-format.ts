import { UsageError } from "../errors/cli-errors.ts";
import type { Globals } from "../terminal/global-options.ts";

export type FileFormat = "csv" | "ndjson";

/** Returns the requested format, else the other one if the file has its extension, else the default. */
export function pickFormat<F extends string>(
  [defaultFormat, other]: readonly [F, F],
  extension: RegExp,
  file: string,
  flag: unknown,
  globals?: Globals,
): F {
  const asked = flag ?? (globals?.json ? "json" : globals?.output);
  if (asked === undefined) return extension.test(file) ? other : defaultFormat;
  if (asked === defaultFormat || asked === other) return asked as F;
  throw new UsageError(`the format must be ${defaultFormat} or ${other}, not ${asked}`);
}

export const formatFor = (file: string, flag?: unknown, globals?: Globals): FileFormat =>
  pickFormat(["csv", "ndjson"], /\.(ndjson|jsonl)$/i, file, flag, globals);

/** Returns what to do about a CSV file whose first column looks like JSON. */
export const hintOfJson = ([first = ""]: readonly string[]): string | undefined =>
  /^[[{]/.test(first)
    ? "It seems to be JSON: pass --format ndjson, with an object on each line, as jq -c '.[]' prints an array."
    : undefined;
