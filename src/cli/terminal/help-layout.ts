import type { Paint } from "./colors.ts";

export interface HelpSection {
  readonly title: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

export interface HelpPage {
  readonly usage: string;
  readonly description: string;
  readonly sections: readonly HelpSection[];
  readonly examples?: readonly string[];
  readonly globals: HelpSection;
}

/** Wider terms get a line of their own. */
const maxTermWidth = 34;

const maxWidth = 100;

export function layOut(
  { usage, description, sections, examples, globals }: HelpPage,
  screen: { readonly width: number; readonly paint: Paint },
): string {
  const { paint } = screen;
  const width = Math.min(screen.width, maxWidth);
  const parts = [
    `${paint.strong("Usage:")} ${usage}`,
    wrapWords(flowing(description), width, ""),
    ...sections.filter(({ rows }) => rows.length > 0).map((section) => layOutSection(section, width, paint)),
    ...(examples
      ? [`${paint.strong("Examples:")}\n${examples.map((example) => breakExample(example, width)).join("\n")}`]
      : []),
    layOutSection(globals, width, paint),
  ];
  return `${parts.join("\n\n")}\n`;
}

function layOutSection({ title, rows }: HelpSection, width: number, paint: Paint): string {
  const column = Math.min(maxTermWidth, Math.max(...rows.map(([term]) => term.length)));
  const indent = " ".repeat(column + 4);
  const lines = rows.map(([term, meaning]) => {
    const text = wrapWords(meaning, Math.max(30, width - indent.length), indent);
    if (term.length > column) return `  ${term}\n${indent}${text}`;
    return `  ${term.padEnd(column)}  ${text}`.trimEnd();
  });
  return `${paint.strong(title)}\n${lines.join("\n")}`;
}

/** Breaks an example before flags and pipes, with the backslashes that a shell needs. */
export function breakExample(example: string, width: number): string {
  const lines: string[] = [];
  let last = "  $";
  for (const part of example.split(/ (?=--?\w|[|<>] )/)) {
    // Leaves room for the backslash.
    if (last.length + 1 + part.length > width - 2 && last !== "  $") {
      lines.push(`${last} \\`);
      last = "     ";
    }
    last += ` ${part}`;
  }
  return [...lines, last].join("\n");
}

/** Joins the lines of each paragraph. Indented and empty lines stay. */
const flowing = (text: string) => text.replace(/(\S)\n(?=\S)/g, "$1 ");

/** Breaks lines between words, except indented ones. The libraries of wrap-text.ts would be loaded at every start. */
export function wrapWords(text: string, width: number, indent: string): string {
  const lines = text.split("\n").flatMap((line) => {
    if (line.startsWith(" ")) return [line];
    const broken: string[] = [];
    let last = "";
    for (const word of line.split(" ")) {
      if (last === "") last = word;
      else if (last.length + 1 + word.length <= width) last = `${last} ${word}`;
      else {
        broken.push(last);
        last = word;
      }
    }
    return [...broken, last];
  });
  return lines.join(`\n${indent}`);
}

/** Indents options without a short form, so that the long forms are aligned. */
export const termOf = (flags: string): string => (/^-\w\b/.test(flags) ? flags : `    ${flags}`);
