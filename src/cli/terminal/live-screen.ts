import type { Terminal } from "./terminal.ts";

/** Escape sequences of a terminal (ECMA-48 and xterm). */
const open = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const close = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const [home, restOfLine, restOfScreen] = ["\u001b[H", "\u001b[K", "\u001b[J"];

/** Returns a full-screen display that is redrawn in place. It opens with the first text. */
export function createLiveScreen(terminal: Terminal) {
  let shown: string | undefined;
  return {
    /** Shows as much of a text as fits. Writes nothing when it is already shown. */
    async draw(text: string): Promise<void> {
      const lines = text.replace(/\n$/, "").split("\n");
      const max = terminal.height;
      const rest = lines.length - max + 1;
      const kept = rest > 1 ? [...lines.slice(0, max - 1), `... ${rest} more lines`] : lines;
      // Clearing each line on its own does not flicker, as clearing the screen first does. A line is cleared before its text:
      // after a text of the full width, the cursor is on the last character.
      const above = kept.slice(0, -1).map((line) => `${restOfLine}${line}\n`);
      const frame = `${home}${above.join("")}${restOfScreen}${kept.at(-1) ?? ""}`;
      if (frame === shown) return;
      await terminal.write(shown === undefined ? open + frame : frame);
      shown = frame;
    },
    async close(): Promise<void> {
      if (shown !== undefined) await terminal.write(close);
      shown = undefined;
    },
  };
}
