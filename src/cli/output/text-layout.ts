import { listAll, listFirst } from "../../contract/count-text.ts";
import type { MarkdownOptions } from "../terminal/markdown/markdown-blocks.ts";
import { sanitizeLine, sanitizeText } from "../terminal/sanitize.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { bytesAsText } from "./format-bytes.ts";
import type { OutputOptions } from "./renderer.ts";

const maxWidth = 100;
export const indent = "    ";

/** Colors, maximum width of a line and time format for what users write. */
export interface Frame extends MarkdownOptions {
  readonly time: (seconds: number) => string;
}

export function frameOf({ terminal, cells }: OutputOptions): Frame {
  return {
    paint: terminal.paint,
    width: Math.min(terminal.stdoutIsTerminal ? terminal.width : Number.POSITIVE_INFINITY, maxWidth),
    time: (seconds) => cells.time(seconds),
  };
}

/** Wraps a text without its control characters. Line breaks stay, and tabs become spaces. */
export const textLines = (text: string, width: number): string[] =>
  wrapText(sanitizeText(text.replaceAll("\r\n", "\n").trimEnd()).replaceAll("\t", indent), width);

export const attachmentLine = (
  { name, type, size, source }: { name: string; type: string; size: number; source: string },
  file: string,
): string =>
  type === "upload"
    ? `${file}: ${sanitizeLine(name)} (${bytesAsText(size)})`
    : `video: ${sanitizeLine(name)} (${sanitizeLine(source)})`;

/** Joins names: `Ada, Bob and Cy`. With more than `max` names: `Ada, Bob and 3 more`. */
export function namesOf(people: readonly { readonly name: string }[], max = Number.POSITIVE_INFINITY): string {
  const names = people.map(({ name }) => sanitizeLine(name));
  return (names.length > max ? listFirst(names, max) : listAll(names)) || "nobody";
}
