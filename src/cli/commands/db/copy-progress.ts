import type { Watch } from "../../../store/backup/copy-database.ts";
import { Interrupted } from "../../errors/cli-errors.ts";
import { throttledProgress } from "../../file-io/show-progress.ts";
import { bar } from "../../terminal/progress-bar.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Shows the progress of `work`, and on Ctrl-C aborts its signal, so that it can clean up. */
export async function watched<T>(what: string, terminal: Terminal, work: (watch: Watch) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  terminal.onInterrupt(() => stop.abort(new Interrupted()));
  const show = throttledProgress(terminal);
  try {
    return await work({ signal, progress: (part) => show(() => `${what}  ${bar(part)}`) });
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  } finally {
    terminal.progress(undefined);
  }
}
