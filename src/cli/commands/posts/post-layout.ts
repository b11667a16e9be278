import type { OutputOptions } from "../../output/renderer.ts";
import type { MarkdownOptions } from "../../terminal/markdown/markdown-blocks.ts";
import type { Time } from "./post-labels.ts";

const widest = 100;

/** Colors, width and time format for posts, polls and comments. */
export interface Frame extends MarkdownOptions {
  readonly time: Time;
}

export function frameOf({ terminal, cells }: OutputOptions): Frame {
  return {
    paint: terminal.paint,
    width: Math.min(terminal.stdoutIsTerminal ? terminal.width : Number.POSITIVE_INFINITY, widest),
    time: (seconds) => cells.time(seconds),
  };
}
