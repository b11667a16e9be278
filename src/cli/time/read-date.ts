import { UsageError } from "../errors/cli-errors.ts";
import { fromWords, isAmbiguousDay } from "./parse-time.ts";
import { dayOf } from "./zone-clock.ts";

/** Parses a day with its year, like `24.12.2001`, into YYYY-MM-DD. Returns other text as it is. */
export async function readDate(text: string, flag: string): Promise<string> {
  const given = text.trim();
  const [year] = /\b\d{4}\b/.exec(given) ?? [];
  if (/^\d{4}-/.test(given) || year === undefined) return given;
  if (isAmbiguousDay(given)) throw new UsageError(`${flag}: '${text}' could be two days`, { hint: "write YYYY-MM-DD" });
  const found = await fromWords(given, { zone: "UTC", now: Date.now() });
  // In `1000 days ago`, the number is no year.
  const day = found?.isDay ? dayOf(found.wall) : "";
  return day.startsWith(year) ? day : given;
}
