import { tryParseJson } from "../../../../contract/parse-json.ts";
import { parseYaml } from "../../../file-io/parse-yaml.ts";

/** A part of a file that can be parsed alone: some entries of a list, as a list, or another top-level field, as an object. */
export interface FileChunk {
  readonly text: string;
  /** Line of the file on which the text begins. */
  readonly line: number;
  /** The list with the entries, and the line on which it begins. */
  readonly list?: { readonly name: string; readonly line: number };
  /** Number of entries of a list; 0 for another field. */
  readonly entries: number;
}

export const maxEntries = 100;

/** Thrown when a file cannot be read in parts: as a whole it may be right, or its errors may be others. */
export class NotSeparable extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Parses a chunk into plain values. Throws `NotSeparable` when it has no value of its own. */
export function parseChunk({ text, line, list, entries }: FileChunk): unknown {
  if (list && entries === 0) return [];
  const quick = parseJson(text) ?? (list && parseSimpleEntries(text, entries));
  if (quick !== undefined) return quick;
  const { parsed, lines } = parseYaml(text);
  const [error] = parsed.errors;
  if (error) throw new NotSeparable(line + lines.linePos(error.pos[0]).line - 1, error.message);
  try {
    const value = parsed.toJS();
    if (list === undefined || (Array.isArray(value) && value.length === entries)) return value;
  } catch {
    throw new NotSeparable(line, "An alias refers to an anchor of another entry.");
  }
  throw new NotSeparable(line, "The entries of the list cannot be told apart.");
}

/** Parses only those entries of a list with the YAML parser that need it. Returns undefined when that fails. */
function parseSimpleEntries(text: string, count: number): unknown[] | undefined {
  const indent = text.indexOf("-");
  const parts = text.split(new RegExp(`^(?= {${indent}}-\\s)`, "m"));
  if (parts.length !== count) return undefined;
  const found: unknown[] = parts.map(parseSimpleEntry);
  const others = parts.flatMap((_, at) => (found[at] === undefined ? [at] : []));
  if (others.length === 0) return found;
  const { parsed } = parseYaml(others.map((at) => parts[at]).join(""));
  if (parsed.errors.length > 0) return undefined;
  try {
    const values: unknown = parsed.toJS();
    if (!Array.isArray(values) || values.length !== others.length) return undefined;
    for (const [index, at] of others.entries()) found[at] = values[index];
    return found;
  } catch {
    return undefined;
  }
}

/** Returns the value of JSON that JSON.parse keeps whole, without a key twice; undefined for others. Much faster than the YAML parser. */
function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = tryParseJson(text);
  const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  return JSON.stringify(value) === compact ? value : undefined;
}

/**
 * Returns the value of a YAML mapping in a list, `- name: Ada` with further fields on lines of their own, if its values are words,
 * `true`, `false` or lists of words on a line; undefined for others. Takes a tenth of the time of the YAML parser, and most users
 * in exported files are of this kind.
 */
function parseSimpleEntry(text: string): Record<string, unknown> | undefined {
  const entry: Record<string, unknown> = {};
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const indent = text.indexOf("-");
  for (const [at, line] of lines.entries()) {
    const [, before = "", name = "", value = ""] = /^( *(?:- )?)([a-z_][a-z_0-9]*): (.+)$/.exec(line) ?? [];
    if (before.length !== indent + 2 || before.endsWith("- ") !== (at === 0) || Object.hasOwn(entry, name))
      return undefined;
    const found = simpleValueOf(value);
    if (found === undefined) return undefined;
    entry[name] = found;
  }
  return entry;
}

function simpleValueOf(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  if (!text.startsWith("[")) return wordOf(text);
  if (!text.endsWith("]") || /["[\]]/.test(text.slice(1, -1))) return undefined;
  if (text === "[]") return [];
  const words = text
    .slice(1, -1)
    .split(", ")
    .map((word) => (word.includes(",") ? undefined : wordOf(word)));
  return words.includes(undefined) ? undefined : words;
}

/** Returns a text that YAML takes for nothing else: no number, truth value or null, and without escapes. */
function wordOf(text: string): string | undefined {
  if (/^"[^"\\\p{C}]*"$/u.test(text)) return text.slice(1, -1);
  // Other characters may have a meaning.
  if (!/^[\p{L}\p{N}+][\p{L}\p{N} @._+'/,()&-]*$/u.test(text) || text.endsWith(" ")) return undefined;
  const isWord = /^\p{L}/u.test(text) ? !/^(?:null|true|false)$/i.test(text) : /\S \S|^\d{4}-\d\d-\d\d$/.test(text);
  return isWord ? text : undefined;
}
