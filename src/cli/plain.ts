/** Characters that make a terminal do something, or that turn the direction of text around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, but for the end of a line and the tab
const controlsInText = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escaped = (character: string) =>
  named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Data as one line that a terminal shows and does not obey. */
export function oneLine(text: string): string {
  return text.replace(controls, escaped);
}

/** The same for text of several lines; its escapes are those of JSON, too. */
export function harmless(text: string): string {
  return text.replace(controlsInText, escaped);
}
