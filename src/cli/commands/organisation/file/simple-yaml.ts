/**
 * Returns the value of a YAML mapping in a list, `- name: Ada` with further fields on lines of their own, if its values are words,
 * `true`, `false` or lists of words on a line; undefined for others. Takes a tenth of the time of the YAML parser, and most users
 * in exported files are of this kind.
 */
export function parseSimpleEntry(text: string): Record<string, unknown> | undefined {
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
