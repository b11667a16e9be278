import { UsageError } from "../failure.ts";
import type { Globals } from "../globals.ts";

/** How rows are written in a file. */
export type Format = "csv" | "ndjson";

const isFormat = (text: string): text is Format => text === "csv" || text === "ndjson";

/** The format that was asked for, else the one that the name of the file says; else CSV. */
export function formatFor(file: string, flag?: unknown, globals?: Globals): Format {
  const asked = (flag as string | undefined) ?? (globals?.json ? "json" : globals?.output);
  if (asked === undefined) return /\.(ndjson|jsonl)$/i.test(file) ? "ndjson" : "csv";
  if (isFormat(asked)) return asked;
  throw new UsageError(`rows are read and written as csv or ndjson, not ${asked}`);
}
