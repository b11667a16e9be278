import { sanitizeText } from "../sanitize.ts";
import { wrapText } from "../wrap-text.ts";
import { linesOfBlocks, type MarkdownOptions } from "./markdown-blocks.ts";

/** Maximum number of characters of a formatted paragraph: the time that marked takes grows with the square of it. */
const maxParagraphLength = 20_000;

/** Renders Markdown as sanitized lines. Line breaks are kept, since many texts are not Markdown. */
export async function markdownLines(text: string, options: MarkdownOptions): Promise<string[]> {
  const shown = sanitizeText(text.replaceAll("\r\n", "\n"));
  if (shown.split("\n\n").some(({ length }) => length > maxParagraphLength)) return wrapText(shown, options.width);
  try {
    const { lexer } = await import("marked");
    return linesOfBlocks(lexer(shown, { gfm: true, breaks: true }), options);
  } catch (error) {
    // Marked overflows the stack on texts nested a thousand levels deep: show these unformatted.
    if (error instanceof RangeError) return wrapText(shown, options.width);
    throw error;
  }
}
