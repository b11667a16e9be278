import type { Database } from "../../store/database.ts";
import type { DeliveryLog } from "../delivery-log.ts";
import { type FinishedAttempt, writeResults } from "./write-results.ts";

/** Maximum number of results written in one transaction. */
const together = 1000;
/**
 * Waiting time for further results, since writing many takes hardly longer than writing one: a multiple of the latest
 * writing time, and its limits in milliseconds.
 */
const gathering = { factor: 8, least: 2, most: 100 };
const retryPause = 500;

interface WriterOptions {
  readonly database: Database;
  readonly random: () => number;
  readonly log: DeliveryLog;
  /** Returns true when no other attempt is running, so that waiting for more results is useless. */
  readonly isLast: () => boolean;
}

/** Writes results in batches, so that a fast receiver does not wait for the disk each time. */
export class ResultWriter {
  readonly #options: WriterOptions;
  readonly #onWritten: (results: readonly FinishedAttempt[]) => void;
  readonly #waiting: FinishedAttempt[] = [];
  #writing: Promise<void> | undefined;
  #enough = () => {};
  #took = 0;
  #givenUp = false;

  /** `onWritten` receives the results that were written or dropped. */
  constructor(options: WriterOptions, onWritten: (results: readonly FinishedAttempt[]) => void) {
    this.#options = options;
    this.#onWritten = onWritten;
  }

  /** Resolves when all results are written; undefined when there are none to write. */
  get writing(): Promise<void> | undefined {
    return this.#writing;
  }

  add(result: FinishedAttempt): void {
    this.#waiting.push(result);
    this.#writing ??= this.#write();
    if (this.#waiting.length >= together || this.#options.isLast()) this.#enough();
  }

  /** From now on, drops results that cannot be written. Their deliveries are sent again. */
  giveUp(): void {
    this.#givenUp = true;
    this.#enough();
  }

  async #write(): Promise<void> {
    const { database, random, log } = this.#options;
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < together) await this.#gather();
      const batch = this.#waiting.slice(0, together);
      const began = performance.now();
      try {
        await writeResults(database, batch, random);
        this.#took = performance.now() - began;
      } catch (error) {
        log.error({ err: error }, "results of webhook deliveries cannot be written");
        if (!this.#givenUp) {
          await new Promise((resolve) => setTimeout(resolve, retryPause));
          continue;
        }
      }
      this.#waiting.splice(0, batch.length);
      this.#onWritten(batch);
    }
    this.#writing = undefined;
  }

  #gather(): Promise<void> {
    const { factor, least, most } = gathering;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(this.#took * factor, least), most));
      this.#enough = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
