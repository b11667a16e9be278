import type { MarkedToken, Token } from "marked";
import type { Paint } from "../colors.ts";
import { sanitizeText } from "../sanitize.ts";
import { linesIn } from "../wrap-text.ts";

type Styles = readonly (keyof Paint)[];

interface TextSpan {
  readonly text: string;
  readonly styles: Styles;
}

export function spansOf(tokens: readonly Token[] = [], styles: Styles = []): TextSpan[] {
  return tokens.flatMap((token) => spanOf(token as MarkedToken, styles));
}

export const plainOf = (tokens: readonly Token[] = []): string =>
  spansOf(tokens)
    .map((span) => span.text)
    .join("");

/** Creates a span. Sanitizes the text, since the parser has decoded entities, and joins its spaces. */
const span = (text: string, styles: Styles): TextSpan => ({ text: sanitizeText(text).replace(/[ \t]+/g, " "), styles });

function spanOf(token: MarkedToken, styles: Styles): TextSpan[] {
  switch (token.type) {
    case "strong":
      return spansOf(token.tokens, [...styles, "strong"]);
    case "em":
      return spansOf(token.tokens, [...styles, "emphasis"]);
    case "del":
      return spansOf(token.tokens, [...styles, "dim"]);
    case "codespan":
      return [span(token.text, [...styles, "value"])];
    case "br":
      return [span("\n", styles)];
    case "link":
      return linked(spansOf(token.tokens, [...styles, "key"]), token.href, styles);
    case "image":
      return linked([span(`[${token.text || "picture"}]`, [...styles, "key"])], token.href, styles);
    case "text":
      return token.tokens ? spansOf(token.tokens, styles) : [span(token.text, styles)];
    case "escape":
      return [span(token.text, styles)];
    default:
      return [span(token.raw, styles)];
  }
}

/** Adds the link's target, unless the text is the target. */
function linked(shown: TextSpan[], href: string, styles: Styles): TextSpan[] {
  const text = shown.map((span) => span.text).join("");
  if (href === "" || href === text || href === `mailto:${text}` || href === `http://${text}`) return shown;
  return [...shown, span(` (${href})`, [...styles, "dim"])];
}

/** Breaks spans into styled lines of at most `width` columns, without white space around them. */
export function wrapSpans(spans: readonly TextSpan[], width: number, paint: Paint): string[] {
  const text = spans.map((span) => span.text).join("");
  let [next, start] = [0, 0];
  return linesIn(text, width).map(([from, to]) => {
    const line = text.slice(from, to);
    const end = from + line.trimEnd().length;
    let at = end - line.trim().length;
    let shown = "";
    // Goes on with the span in which the line before ended: a text can have as many spans as lines.
    for (let span = spans[next]; span !== undefined && start < end; span = spans[next]) {
      const part = span.text.slice(Math.max(at - start, 0), end - start);
      if (part) shown += span.styles.reduce((done, style) => paint[style](done), part);
      at += part.length;
      if (start + span.text.length > end) break;
      start += span.text.length;
      next += 1;
    }
    return shown;
  });
}
