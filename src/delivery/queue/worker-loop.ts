import type { Wakeup } from "../../store/wakeup.ts";

export interface Worker {
  /** Ends the pause between two rounds. */
  readonly wakeup: Wakeup;
  /** Does what is due. Returns the number of rows it took; more may be due unless it is 0. */
  round(): Promise<number>;
}

interface LoopOptions {
  /** Milliseconds between two rounds without a wake-up. */
  readonly pollInterval: number;
  readonly onError: (error: unknown) => void;
}

/** Runs rounds of a worker as long as they find work, then waits to be woken. */
export class WorkerLoop {
  readonly #worker: Worker;
  readonly #options: LoopOptions;
  readonly #ended: Promise<void>;
  #stopped = false;

  constructor(worker: Worker, options: LoopOptions) {
    this.#worker = worker;
    this.#options = options;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#worker.wakeup.raise();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { wakeup } = this.#worker;
    while (!this.#stopped) {
      wakeup.clear();
      const done = await this.#worker.round().catch((error) => {
        this.#options.onError(error);
        wakeup.clear();
        return 0;
      });
      if (done === 0 && !this.#stopped) await wakeup.wait(this.#options.pollInterval);
    }
  }
}
