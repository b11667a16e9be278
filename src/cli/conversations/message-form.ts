import { agesIn } from "../output/ages.ts";
import type { Form, Sheet } from "../output/writer.ts";
import { hasPager } from "../pager.ts";
import { type Look, linesOf, type Message } from "./message-lines.ts";

export interface Showing {
  /** Long lists go to the user's pager; else all is shown as it comes. */
  readonly paged?: boolean;
  /** The point in time stays true for as long as it is looked at. */
  readonly lasting?: boolean;
  /** What stands above a message that belongs elsewhere than the one before. */
  readonly heading?: (message: Message) => string;
}

/** Messages in readable form, in the order in which they come. */
export const messageForm =
  ({ paged = false, lasting = false, heading }: Showing = {}): Form =>
  (sheet) => {
    const { terminal } = sheet;
    const look = lookOf(sheet, lasting);
    let held = "";
    let place = "";
    let begun = false;
    const textOf = (message: Message): string => {
      const gap = begun ? "\n" : "";
      begun = true;
      const text = `${linesOf(message, look).join("\n")}\n`;
      const above = heading?.(message);
      if (above === undefined || above === place) return gap + text;
      place = above;
      return `${gap}${terminal.paint.strong(`── ${above}`)}\n\n${text}`;
    };
    const show = async (items: readonly unknown[]) => {
      const text = (items as readonly Message[]).map(textOf).join("");
      if (paged) held += text;
      else await terminal.write(text);
    };
    return {
      page: show,
      async end() {
        const isLong = held.split("\n").length > terminal.height;
        if (terminal.stdoutIsTerminal && isLong && hasPager(terminal.env)) await terminal.page(held);
        else if (held !== "") await terminal.write(held);
      },
      one: (message) => show([message]),
      value: (value) => show([value]),
    };
  };

function lookOf({ terminal, zone, cells }: Sheet, lasting: boolean): Look {
  return {
    paint: terminal.paint,
    width: terminal.stdoutIsTerminal ? terminal.width : Number.POSITIVE_INFINITY,
    time: lasting ? (seconds) => cells.human(seconds, "date") : agesIn(zone),
  };
}
