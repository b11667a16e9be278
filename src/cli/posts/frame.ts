import type { Look } from "../markdown/blocks.ts";
import type { Sheet } from "../output/writer.ts";
import type { Time } from "./words.ts";

const widest = 100;

/** How posts and what belongs to them are shown. */
export interface Frame extends Look {
  readonly time: Time;
}

export function frameOf({ terminal, cells }: Sheet): Frame {
  return {
    paint: terminal.paint,
    width: Math.min(terminal.stdoutIsTerminal ? terminal.width : Number.POSITIVE_INFINITY, widest),
    time: (seconds) => cells.human(seconds, "at"),
  };
}
