import { sanitizeText } from "../sanitize.ts";
import { wrapText } from "../wrap-text.ts";
import { linesOfBlocks, type MarkdownOptions } from "./markdown-blocks.ts";

/** Maximum sum of the squares of the lengths of formatted paragraphs: the time that marked takes grows with it. */
const maxWork = 10_000 ** 2;

/** Renders Markdown as sanitized lines. Line breaks are kept, since many texts are not Markdown. */
export async function markdownLines(text: string, options: MarkdownOptions): Promise<string[]> {
  const shown = sanitizeText(text.replaceAll("\r\n", "\n"));
  const work = shown.split("\n\n").reduce((sum, { length }) => sum + length ** 2, 0);
  if (work > maxWork) return wrapText(shown, options.width);
  try {
    const { lexer } = await import("marked");
    return linesOfBlocks(lexer(shown, { gfm: true, breaks: true }), options);
  } catch (error) {
    // Marked overflows the stack on texts nested a thousand levels deep: show these unformatted.
    if (error instanceof RangeError) return wrapText(shown, options.width);
    throw error;
  }
}
