import { bar } from "../terminal/progress-bar.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Source } from "./open-source.ts";

/** Milliseconds between updates. Shorter imports show no progress. */
const interval = 150;

/** Shows the progress of reading a file on a terminal. */
export interface Progress {
  /** Shows the current activity and the number of rows done. */
  show(what: string, rows: number): void;
  clear(): void;
}

export function createProgress(terminal: Terminal, source: Pick<Source, "position" | "size">): Progress {
  let due = performance.now() + interval;
  return {
    show(what, rows) {
      const now = performance.now();
      if (now < due) return;
      due = now + interval;
      const part = source.size ? Math.min(source.position / source.size, 1) : undefined;
      const count = `${rows.toLocaleString("en")} rows`;
      terminal.progress(part === undefined ? `${what}  ${count}` : `${what}  ${bar(part)}  ${count}`);
    },
    clear: () => terminal.progress(undefined),
  };
}
