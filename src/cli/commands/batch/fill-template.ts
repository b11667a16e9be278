import { tryParseJson } from "../../../contract/parse-json.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { FileRow } from "../../file-io/file-rows.ts";
import { fillPlaceholders, namesIn } from "../../output/placeholders.ts";

export const columnsIn = (words: readonly string[]): string[] => [...new Set(words.flatMap(namesIn))];

export type FilledTemplate = ReturnType<typeof fillTemplate>;

/** Replaces the placeholders of a command. Throws a `UsageError` for a value that would be read as a flag or change the JSON around it. */
export function fillTemplate(template: readonly string[], row: FileRow) {
  const fill = (word: string) => {
    const json = jsonIn(word);
    const plain = fillPlaceholders(word.slice(0, word.length - json.length), (name) => textOf(row, name));
    return plain + fillJson(json, row);
  };
  const words = template.map((word) => {
    const filled = fill(word);
    if (/^\{/.test(word) && /^-./.test(filled))
      throw new UsageError(`'${filled}' would be read as a flag`, { hint: `write --flag=${word} in the command` });
    return filled;
  });
  // A value `@file` whose `@` is in a cell is not read as the name of a file.
  return { words, fileValues: new Set(template.flatMap(fileValueIn).map(fill)) };
}

/** Returns `@file` in a word `@file`, `-f@file`, `field=@file` or `--flag=@file`. An `@` further back names no file. */
const fileValueIn = (word: string): string[] => /^(?:[^\s=]*=|-\w)?(@.*)/s.exec(word)?.slice(1) ?? [];

/** Returns the JSON object or list at the end of a word `json`, `-fjson`, `field=json` or `--flag=json`; "" when there is none. */
function jsonIn(word: string): string {
  const candidates = [word, word.slice(word.indexOf("=") + 1)];
  // A text such as [{name}] is no JSON.
  return candidates.find((text) => /^\s*[[{].*"/s.test(text) && isJson(fillPlaceholders(text, () => "0"))) ?? "";
}

/** Fills JSON so that a value stays one string where it is in quotes, and one value elsewhere. */
const fillJson = (json: string, row: FileRow): string =>
  json.replace(/"(?:\\.|[^"\\])*"|[^"]+/gs, (part) =>
    fillPlaceholders(part, (name) => {
      const text = textOf(row, name);
      if (part.startsWith('"')) return JSON.stringify(text).slice(1, -1);
      if (isJson(text)) return text;
      throw new UsageError(`the value '${text}' of {${name}} is not JSON`, { hint: `write "{${name}}" for a text` });
    }),
  );

const isJson = (text: string): boolean => tryParseJson(text) !== undefined;

function textOf(row: FileRow, name: string): string {
  if (!Object.hasOwn(row, name)) throw new UsageError(`the row has no column ${name}`);
  const value = row[name];
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
