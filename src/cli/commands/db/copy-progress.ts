import type { Watch } from "../../../store/backup/copy-database.ts";
import { Interrupted } from "../../errors/cli-errors.ts";
import { bar } from "../../terminal/progress-bar.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Milliseconds between two updates; shorter work shows no progress. */
const interval = 150;

/** Shows the progress of `work`, and on Ctrl-C aborts its signal, so that it can clean up. */
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
