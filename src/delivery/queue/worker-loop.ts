/** Milliseconds between two polls, for deliveries that were not announced or that became due. */
const blindPause = 1000;

/** Runs rounds as long as they find work, then waits to be woken. */
export class Loop {
  readonly #round: () => Promise<number>;
  readonly #onError: (error: unknown) => void;
  #wake = () => {};
  #woken = false;
  #stopped = false;
  #running: Promise<void> | undefined;

  constructor(round: () => Promise<number>, onError: (error: unknown) => void) {
    this.#round = round;
    this.#onError = onError;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  /** Stops after the running round. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false;
      let done = 0;
      try {
        done = await this.#round();
      } catch (error) {
        this.#onError(error);
        this.#woken = false;
      }
      if (done === 0 && !this.#woken) await this.#rest();
    }
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, blindPause);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
