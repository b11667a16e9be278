// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same set without line feed and tab
const controlsInText = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escaped = (character: string) =>
  named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes control characters and line breaks: the result is one line that is safe to print. */
export function sanitizeLine(text: string): string {
  return text.replace(controls, escaped);
}

/** Escapes control characters except line feeds and tabs. The escapes are valid in JSON strings. */
export function sanitizeText(text: string): string {
  return text.replace(controlsInText, escaped);
}
