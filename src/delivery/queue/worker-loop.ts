import type { Wakeup } from "../../store/wakeup.ts";

export interface Worker {
  /** Ends the pause between two rounds. */
  readonly wakeup: Wakeup;
  /** Processes due rows and returns their number; unless it is 0, more may be due. */
  round(): Promise<number>;
}

interface LoopOptions {
  /** Milliseconds between two rounds without a wake-up. */
  readonly pollInterval: number;
  readonly onError: (error: unknown) => void;
}

/** Runs rounds of a worker as long as they find work, then waits to be woken. `stop` ends it after the running round. */
export function runRounds(worker: Worker, { pollInterval, onError }: LoopOptions) {
  const { wakeup } = worker;
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      wakeup.clear();
      const done = await worker.round().catch((error) => {
        onError(error);
        wakeup.clear();
        return 0;
      });
      if (done === 0 && !stopped) await wakeup.wait(pollInterval);
    }
  };
  const ended = run();
  return {
    stop() {
      stopped = true;
      wakeup.raise();
      return ended;
    },
  };
}
