import { wrap } from "../output/wrap.ts";
import { harmless } from "../plain.ts";
import { type Look, linesOfBlocks } from "./blocks.ts";

/**
 * A text in Markdown as lines for a terminal, which obeys nothing that stands in it. Line breaks stay where they are, since
 * many texts are no Markdown at all.
 */
export async function markdownLines(text: string, look: Look): Promise<string[]> {
  const shown = harmless(text.replaceAll("\r\n", "\n"));
  try {
    const { lexer } = await import("marked");
    return linesOfBlocks(lexer(shown, { gfm: true, breaks: true }), look);
  } catch (error) {
    // Whoever nests a text a thousand levels deep gets it as it stands.
    if (error instanceof RangeError) return wrap(shown, look.width);
    throw error;
  }
}
