import type { MarkedToken, Token } from "marked";
import type { Paint } from "../colors.ts";
import { sanitizeText } from "../sanitize.ts";
import { noPaint } from "../terminal.ts";

/** Renders inline tokens. Sanitizes their text, since the parser has decoded entities. */
export function inlineText(tokens: readonly Token[] | undefined, paint: Paint): string {
  return (tokens ?? []).map((token) => textOf(token as MarkedToken, paint)).join("");
}

function textOf(token: MarkedToken, paint: Paint): string {
  switch (token.type) {
    case "strong":
      return paint.strong(inlineText(token.tokens, paint));
    case "em":
      return paint.emphasis(inlineText(token.tokens, paint));
    case "del":
      return paint.dim(inlineText(token.tokens, paint));
    case "codespan":
      return paint.value(sanitizeText(token.text));
    case "br":
      return "\n";
    case "link":
      return paint.key(inlineText(token.tokens, paint)) + target(token.href, inlineText(token.tokens, noPaint), paint);
    case "image": {
      const text = `[${sanitizeText(token.text) || "picture"}]`;
      return paint.key(text) + target(token.href, text, paint);
    }
    case "text":
      return token.tokens ? inlineText(token.tokens, paint) : sanitizeText(token.text);
    case "escape":
      return sanitizeText(token.text);
    default:
      return sanitizeText(token.raw);
  }
}

/** Returns the target of a link in parentheses; nothing when the text of the link is the target. */
function target(href: string, text: string, paint: Paint): string {
  if (href === "" || href === text || href === `mailto:${text}` || href === `http://${text}`) return "";
  return paint.dim(` (${sanitizeText(href)})`);
}
