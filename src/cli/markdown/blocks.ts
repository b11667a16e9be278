import type { MarkedToken, Token, Tokens } from "marked";
import { columnWidths, cut, widthOf } from "../output/width.ts";
import type { Paint } from "../paint.ts";
import { harmless } from "../plain.ts";
import { plainOf, spansOf } from "./inline.ts";
import { painted, wrapSpans } from "./spans.ts";

/** How a text is shown. */
export interface Look {
  readonly paint: Paint;
  /** Columns of a terminal that a line may take. */
  readonly width: number;
}

const narrowest = 20;
const rule = 40;

/** Lines of blocks, with an empty one between two. */
export function linesOfBlocks(tokens: readonly Token[], look: Look, between: readonly string[] = [""]): string[] {
  const blocks = tokens.map((token) => linesOfBlock(token as MarkedToken, look)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, at) => (at === 0 ? lines : [...between, ...lines]));
}

function linesOfBlock(token: MarkedToken, look: Look): string[] {
  const { paint, width } = look;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return inline(token.tokens, look).map(paint.strong);
    case "code":
      return token.text.split("\n").map((line) => `    ${paint.value(harmless(line).replaceAll("\t", "    "))}`);
    case "blockquote":
      return linesOfBlocks(token.tokens, inner(look, 2)).map((line) => paint.dim("│ ") + line);
    case "list":
      return linesOfList(token, look);
    case "hr":
      return [paint.dim("─".repeat(Math.min(width, rule)))];
    case "table":
      return linesOfTable(token, look);
    case "paragraph":
    case "text":
      return inline(token.tokens ?? [{ ...token, type: "escape" }], look);
    default:
      return inline([{ type: "escape", raw: token.raw, text: token.raw.trimEnd() }], look);
  }
}

const inner = (look: Look, indent: number): Look => ({ ...look, width: Math.max(look.width - indent, narrowest) });

const inline = (tokens: readonly Token[], { paint, width }: Look): string[] =>
  wrapSpans(spansOf(tokens), width).map((line) => painted(line, paint));

function linesOfList({ items, ordered, start, loose }: Tokens.List, look: Look): string[] {
  const first = Number(start) || 1;
  const markers = items.map((item, at) => {
    if (item.task) return item.checked ? "[x] " : "[ ] ";
    return ordered ? `${first + at}. ` : "• ";
  });
  const indent = Math.max(...markers.map((marker) => marker.length));
  const blocks = items.map((item, at) => {
    const tokens = item.tokens.filter((token) => token.type !== "checkbox");
    const lines = linesOfBlocks(tokens, inner(look, indent), loose ? [""] : []);
    const marker = look.paint.dim(markers[at]!.padStart(indent));
    return (lines.length > 0 ? lines : [""]).map((line, number) =>
      number === 0 ? marker + line : line && " ".repeat(indent) + line,
    );
  });
  return blocks.flatMap((lines, at) => (loose && at > 0 ? ["", ...lines] : lines));
}

function linesOfTable({ header, rows }: Tokens.Table, { paint, width }: Look): string[] {
  const texts = [header, ...rows].map((row) => row.map((cell) => plainOf(cell.tokens).replace(/\s+/g, " ")));
  const widths = columnWidths(texts, width, 2);
  const lines = texts.map((row) =>
    row
      .map((text, at) => {
        const shown = cut(text, widths[at]!);
        return shown + " ".repeat(widths[at]! - widthOf(shown));
      })
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line, at) => (at === 0 ? paint.strong(line) : line));
}
