import type { MarkedToken, Token, Tokens } from "marked";
import type { Paint } from "../colors.ts";
import { sanitizeText } from "../sanitize.ts";
import { columnWidths, cut, widthOf } from "../text-width.ts";
import { plainOf, spansOf, wrapSpans } from "./markdown-inline.ts";

export interface MarkdownOptions {
  readonly paint: Paint;
  /** Maximum terminal columns of a line. */
  readonly width: number;
}

const minWidth = 20;
const ruleWidth = 40;

export function linesOfBlocks(
  tokens: readonly Token[],
  options: MarkdownOptions,
  between: readonly string[] = [""],
): string[] {
  const blocks = tokens.map((token) => linesOfBlock(token as MarkedToken, options)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, at) => (at === 0 ? lines : [...between, ...lines]));
}

function linesOfBlock(token: MarkedToken, options: MarkdownOptions): string[] {
  const { paint, width } = options;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return inline(token.tokens, options).map(paint.strong);
    case "code":
      return token.text.split("\n").map((line) => `    ${paint.value(sanitizeText(line).replaceAll("\t", "    "))}`);
    case "blockquote":
      return linesOfBlocks(token.tokens, inner(options, 2)).map((line) => paint.dim("│ ") + line);
    case "list":
      return linesOfList(token, options);
    case "hr":
      return [paint.dim("─".repeat(Math.min(width, ruleWidth)))];
    case "table":
      return linesOfTable(token, options);
    case "paragraph":
    case "text":
      return inline(token.tokens ?? [{ ...token, type: "escape" }], options);
    default:
      return inline([{ type: "escape", raw: token.raw, text: token.raw.trimEnd() }], options);
  }
}

const inner = (options: MarkdownOptions, indent: number): MarkdownOptions => ({
  ...options,
  width: Math.max(options.width - indent, minWidth),
});

const inline = (tokens: readonly Token[], { paint, width }: MarkdownOptions): string[] =>
  wrapSpans(spansOf(tokens), width, paint);

function linesOfList({ items, ordered, start, loose }: Tokens.List, options: MarkdownOptions): string[] {
  const first = Number(start) || 1;
  const markerOf = (item: Tokens.ListItem, at: number) => {
    if (item.task) return item.checked ? "[x] " : "[ ] ";
    return ordered ? `${first + at}. ` : "• ";
  };
  const indent = Math.max(...items.map((item, at) => markerOf(item, at).length));
  const blocks = items.map((item, at) => {
    const tokens = item.tokens.filter((token) => token.type !== "checkbox");
    const lines = linesOfBlocks(tokens, inner(options, indent), loose ? [""] : []);
    const marker = options.paint.dim(markerOf(item, at).padStart(indent));
    return (lines.length > 0 ? lines : [""]).map((line, number) =>
      number === 0 ? marker + line : line && " ".repeat(indent) + line,
    );
  });
  return blocks.flatMap((lines, at) => (loose && at > 0 ? ["", ...lines] : lines));
}

function linesOfTable({ header, rows }: Tokens.Table, { paint, width }: MarkdownOptions): string[] {
  const texts = [header, ...rows].map((row) => row.map((cell) => plainOf(cell.tokens).replace(/\s+/g, " ")));
  const widths = columnWidths(texts, width);
  const lines = texts.map((row) =>
    row
      .map((text, at) => {
        // columnWidths returns a width for each column.
        const wide = widths[at]!;
        const shown = cut(text, wide);
        return shown + " ".repeat(wide - widthOf(shown));
      })
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line, at) => (at === 0 ? paint.strong(line) : line));
}
