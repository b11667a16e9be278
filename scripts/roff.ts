/** Returns the text as roff shows it unchanged. Hyphens become minus signs, so that flags can be searched and copied. */
export function escapeRoff(text: string): string {
  return text
    .replace(/\\/g, "\\e")
    .replace(/-/g, "\\-")
    .replace(/"/g, "\\(dq")
    .replace(/'/g, "\\(aq")
    .replace(/`/g, "\\(ga")
    .replace(/\^/g, "\\(ha")
    .replace(/~/g, "\\(ti")
    .replace(/[^\0-\x7f]/gu, (character) => `\\[u${hexOf(character)}]`)
    .replace(/^\./gm, "\\&.");
}

const hexOf = (character: string) => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

/** A heading with the text below it. */
export const section = (title: string, ...body: readonly string[]): string => `.SH ${headed(title, body)}`;

/** A heading below a section. */
export const subsection = (title: string, ...body: readonly string[]): string => `.SS ${headed(title, body)}`;

// A heading begins a paragraph by itself.
const headed = (title: string, body: readonly string[]) =>
  `"${escapeRoff(title)}"\n${body.join("\n").replace(/^\.PP\n/, "")}`;

/** A paragraph whose lines are filled. */
export const paragraph = (roff: string): string => `.PP\n${roff}`;

/** A text whose lines stay as they are. */
export const literal = (text: string): string => `.PP\n.RS 2\n.nf\n${escapeRoff(text)}\n.fi\n.RE`;

/** Terms with their meanings. */
export const definitions = (rows: readonly (readonly [term: string, meaning: string])[]): string =>
  rows.map(([term, meaning]) => `.TP\n${term}\n${escapeRoff(meaning) || "\\&"}`).join("\n");

/** A command line or its flags: words in bold, and placeholders like `<id>` in italics. */
export function commandWords(text: string): string {
  return text
    .split(/(<[^>]+>|\[options\])/)
    .map((part) => (part.trim() === "" ? part : `\\f${/^[<[]o?/.test(part) ? "I" : "B"}${escapeRoff(part)}\\fR`))
    .join("");
}
