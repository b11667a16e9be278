import { bar } from "../progress-bar.ts";
import type { Terminal } from "../terminal.ts";
import type { Source } from "./source.ts";

/** Milliseconds; what is over before the first one is not worth a look. */
const interval = 150;

/** Shows how far the reading of a file has come, where the user looks on. */
export interface Progress {
  /** What is going on, and how many rows are through. */
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
