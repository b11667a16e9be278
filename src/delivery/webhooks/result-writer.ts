import { setTimeout as sleep } from "node:timers/promises";
import { Wakeup } from "../../store/wakeup.ts";
import type { DeliveryOptions } from "../delivery-options.ts";
import { recordPause } from "../queue/leased-queue.ts";
import { type FinishedAttempt, writeResults } from "./write-results.ts";

/** Maximum number of results in one transaction. */
const maxBatch = 1000;
/** Waiting time for further results: a multiple of the latest writing time, and its limits in milliseconds. */
const gathering = { factor: 8, min: 2, max: 100 };

interface WriterOptions extends Pick<DeliveryOptions, "database" | "random" | "log"> {
  /** Called with results that were written or, after `giveUp`, dropped. */
  readonly onEnd: (results: readonly FinishedAttempt[]) => void;
}

/** Writes results in batches, so that a fast receiver does not wait for the disk each time. */
export class ResultWriter {
  readonly #options: WriterOptions;
  readonly #pending: FinishedAttempt[] = [];
  /** Raised when no further results will come soon. */
  readonly #complete = new Wakeup();
  #writing = false;
  #latestDuration = 0;
  #givenUp = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  add(result: FinishedAttempt): void {
    this.#pending.push(result);
    if (!this.#writing) void this.#writeAll();
  }

  /** Ends the waiting for further results, since none will come soon. */
  flush(): void {
    if (this.#pending.length > 0) this.#complete.raise();
  }

  /** From now on, drops results that cannot be written. Their deliveries are sent again. */
  giveUp(): void {
    this.#givenUp = true;
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#pending.length > 0) {
      const { factor, min, max } = gathering;
      const pause = Math.min(Math.max(this.#latestDuration * factor, min), max);
      if (this.#pending.length < maxBatch) await this.#complete.wait(pause);
      this.#complete.clear();
      const batch = this.#pending.slice(0, maxBatch);
      if (!(await this.#write(batch))) continue;
      this.#pending.splice(0, batch.length);
      this.#options.onEnd(batch);
    }
    this.#writing = false;
  }

  /** Returns false when the batch must be written again. */
  async #write(batch: readonly FinishedAttempt[]): Promise<boolean> {
    const { database, random, log } = this.#options;
    const began = performance.now();
    try {
      await writeResults(database, batch, random);
      this.#latestDuration = performance.now() - began;
      return true;
    } catch (error) {
      log.error({ err: error }, "results of webhook deliveries cannot be written");
      if (this.#givenUp) return true;
      await sleep(recordPause);
      return false;
    }
  }
}
