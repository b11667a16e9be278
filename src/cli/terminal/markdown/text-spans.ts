import type { Paint } from "../colors.ts";
import { linesIn } from "../wrap-text.ts";

export interface TextSpan {
  readonly text: string;
  readonly styles: readonly (keyof Paint)[];
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
