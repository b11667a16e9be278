import type { Database } from "../store/database.ts";
import type { Log } from "./log.ts";
import { type Result, writeResults } from "./results.ts";

/** Written in one transaction. */
const together = 1000;
/** How long a result waits for others, since writing many costs hardly more than writing one: times the last writing, in milliseconds. */
const gathering = { factor: 8, least: 2, most: 100 };
const retryPause = 500;

interface WriterOptions {
  readonly database: Database;
  readonly random: () => number;
  readonly log: Log;
  /** Whether the result that was just added is not worth keeping for others, since none is under way. */
  readonly isLast: () => boolean;
}

/** Writes results in batches, so that a fast receiver does not wait for the disk each time. */
export class ResultWriter {
  readonly #options: WriterOptions;
  readonly #onWritten: (results: readonly Result[]) => void;
  readonly #waiting: Result[] = [];
  #writing: Promise<void> | undefined;
  #enough = () => {};
  #took = 0;
  #givenUp = false;

  /** `onWritten` gets what is written, or given up. */
  constructor(options: WriterOptions, onWritten: (results: readonly Result[]) => void) {
    this.#options = options;
    this.#onWritten = onWritten;
  }

  /** Resolves when nothing is left to be written; undefined when that is so already. */
  get writing(): Promise<void> | undefined {
    return this.#writing;
  }

  add(result: Result): void {
    this.#waiting.push(result);
    this.#writing ??= this.#write();
    if (this.#waiting.length >= together || this.#options.isLast()) this.#enough();
  }

  /** From now on, what cannot be written is dropped: what is not known to have arrived is sent again. */
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
