import type { Watch } from "../../store/backups/copy.ts";
import { Interrupted } from "../failure.ts";
import { bar } from "../progress-bar.ts";
import type { Terminal } from "../terminal.ts";

/** Milliseconds; what is over before the first one is not worth a look. */
const interval = 150;

/** Shows how far work has come, and breaks it off by Ctrl-C, so that it can clear up; both until it ends. */
export async function watched<T>(what: string, terminal: Terminal, work: (watch: Watch) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  terminal.onInterrupt(() => stop.abort(new Interrupted()));
  let due = performance.now() + interval;
  const progress = (part: number) => {
    if (performance.now() < due) return;
    due = performance.now() + interval;
    terminal.progress(`${what}  ${bar(part)}`);
  };
  try {
    return await work({ signal, progress });
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  } finally {
    terminal.progress(undefined);
  }
}
