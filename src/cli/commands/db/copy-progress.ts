import type { Watch } from "../../../store/backup/copy-database.ts";
import { bar, throttledProgress } from "../../file-io/show-progress.ts";
import type { Context } from "../../kit/command-spec.ts";

/** Shows the progress of `work`, and on Ctrl-C aborts its signal, so that it can clean up. */
export async function watched<T>(what: string, context: Context, work: (watch: Watch) => Promise<T>): Promise<T> {
  const { terminal } = context;
  const signal = context.stopOnInterrupt();
  const show = throttledProgress(terminal);
  try {
    return await work({ signal, progress: (part) => show(() => `${what}  ${bar(part)}`) });
  } finally {
    terminal.progress(undefined);
  }
}
