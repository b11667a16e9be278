import wrapAnsi from "wrap-ansi";
import { widthOf } from "./text-width.ts";

/**
 * Breaks a text, styled or not, into lines of at most `width` terminal columns, between words where possible. Lines that
 * fit keep their spaces.
 */
export function wrap(text: string, width: number): string[] {
  return text
    .split("\n")
    .flatMap((line) => (widthOf(line) <= width ? [line] : wrapAnsi(line, width, { hard: true }).split("\n")));
}
