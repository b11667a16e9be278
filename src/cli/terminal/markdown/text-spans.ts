import type { Paint } from "../colors.ts";
import { linesIn } from "../wrap-text.ts";

/** A piece of text with its styles. */
export interface TextSpan {
  readonly text: string;
  readonly styles: readonly (keyof Paint)[];
}

/** Breaks spans into styled lines of at most `width` columns, without white space around them. */
export function wrapSpans(spans: readonly TextSpan[], width: number, paint: Paint): string[] {
  const text = spans.map((span) => span.text).join("");
  return linesIn(text, width).map(([from, to]) => {
    const line = text.slice(from, to);
    let at = from + line.trimEnd().length - line.trim().length;
    const end = from + line.trimEnd().length;
    let start = 0;
    return spans
      .map(({ text, styles }) => {
        const part = text.slice(Math.max(at - start, 0), Math.max(end - start, 0));
        start += text.length;
        at += part.length;
        return part && styles.reduce((done, style) => paint[style](done), part);
      })
      .join("");
  });
}
