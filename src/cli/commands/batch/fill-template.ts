import { UsageError } from "../../errors/cli-errors.ts";
import type { FileRow } from "../../file-io/source-row.ts";
import { fillPlaceholders, namesIn } from "../../output/placeholders.ts";

/** Returns the names of the columns that a command uses. */
export const columnsIn = (words: readonly string[]): string[] => [...new Set(words.flatMap(namesIn))];

/** Replaces the placeholders of a command by the values of a row. Throws a `UsageError` for a value that would not be read as a value. */
export function fillTemplate(words: readonly string[], row: FileRow): string[] {
  return words.map((word) => {
    const filled = fillPlaceholders(word, (name) => textOf(row, name));
    // The value of a cell must not become a flag, or the path of a file to read.
    if (/^\{/.test(word) && /^-./.test(filled))
      throw new UsageError(`'${filled}' would be read as a flag`, { hint: `write --flag=${word} in the command` });
    if (/^(-[\w-]+=)?\{/.test(word) && /^(-[\w-]+=)?@(?!@)/.test(filled))
      throw new UsageError(`'${filled}' would be read as the name of a file`, { hint: "write @@ in place of @" });
    return filled;
  });
}

function textOf(row: FileRow, name: string): string {
  if (!Object.hasOwn(row, name)) throw new UsageError(`the row has no column ${name}`);
  const value = row[name];
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
