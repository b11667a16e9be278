import { agesIn } from "../../output/format-age.ts";
import { pageOrWrite } from "../../output/page-or-write.ts";
import type { OutputOptions, Renderer } from "../../output/renderer.ts";
import type { Frame } from "../../output/text-layout.ts";
import { messageLines, type ShownMessage } from "./message-lines.ts";

interface Showing {
  /** Sends long lists to the user's pager; otherwise messages are printed as they arrive. */
  readonly paged?: boolean;
  /** Shows absolute times, because ages such as "5 minutes ago" become wrong while the output stays on screen. */
  readonly lasting?: boolean;
  /** Returns the heading of a message's section; printed when it differs from that of the previous message. */
  readonly heading?: (message: ShownMessage) => string;
}

export const messageForm =
  ({ paged = false, lasting = false, heading }: Showing = {}): Renderer<ShownMessage> =>
  (options) => {
    const { terminal } = options;
    const frame = messageFrame(options, lasting);
    let held = "";
    let place = "";
    let begun = false;
    const textOf = (message: ShownMessage): string => {
      const gap = begun ? "\n" : "";
      begun = true;
      const text = `${messageLines(message, frame).join("\n")}\n`;
      const above = heading?.(message);
      if (above === undefined || above === place) return gap + text;
      place = above;
      return `${gap}${terminal.paint.strong(`── ${above}`)}\n\n${text}`;
    };
    const show = async (items: readonly ShownMessage[]) => {
      const text = items.map(textOf).join("");
      if (paged) held += text;
      else await terminal.write(text);
    };
    return {
      page: show,
      async end() {
        if (held !== "") await pageOrWrite(held, terminal);
      },
      one: (message) => show([message]),
    };
  };

function messageFrame({ terminal, zone, cells }: OutputOptions, lasting: boolean): Frame {
  return {
    paint: terminal.paint,
    width: terminal.stdoutIsTerminal ? terminal.width : Number.POSITIVE_INFINITY,
    time: lasting ? (seconds) => cells.time(seconds) : agesIn(zone),
  };
}
