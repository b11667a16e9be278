import { commandWords, definitions, escapeRoff, literal, paragraph } from "./roff.ts";

/** Wider lines would be broken in the middle on a terminal of 80 columns. */
const widest = 70;

/** Returns a help text as roff: paragraphs, and its indented lines as a list of terms or unchanged. */
export function proseOf(text: string): string {
  const blocks: string[][] = [];
  let before = "";
  for (const line of text.trim().split("\n")) {
    if (before === "" || line.startsWith(" ") !== before.startsWith(" ")) blocks.push([]);
    if (line !== "") blocks.at(-1)?.push(line);
    before = line;
  }
  return blocks
    .filter(({ length }) => length > 0)
    .map((lines) => (lines[0]?.startsWith(" ") ? indentedBlock(lines) : paragraph(escapeRoff(lines.join(" ")))))
    .join("\n");
}

function indentedBlock(lines: readonly string[]): string {
  const text = lines.map((line) => line.replace(/^ {2}/, "")).join("\n");
  if (lines.every(({ length }) => length <= widest)) return literal(text);
  const rows = termsIn(lines);
  if (rows) return definitions(rows.map(([term, meaning]) => [commandWords(term), meaning]));
  return lines.length === 1 ? `.RS 2\n${paragraph(escapeRoff(text))}\n.RE` : literal(text);
}

/** Returns the terms and meanings of lines in two columns; undefined for other lines. */
function termsIn(lines: readonly string[]): [term: string, meaning: string][] | undefined {
  const column = Math.max(...lines.map((line) => /^ {2}\S.*? {2,}(?=\S)/.exec(line)?.[0].length ?? 0));
  const rows: [string, string][] = [];
  for (const line of lines) {
    const [, term, meaning = ""] = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
    const last = rows.at(-1);
    if (term !== undefined) rows.push([term, meaning]);
    else if (last && column > 0 && line.search(/\S/) === column) last[1] = `${last[1]} ${line.trim()}`.trim();
    else return undefined;
  }
  return column > 0 ? rows : undefined;
}
