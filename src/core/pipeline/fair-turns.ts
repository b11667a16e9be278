import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** Milliseconds that the reads of one user may take in a turn of the event loop before further ones wait for a later turn. */
const share = 5;

/**
 * Lets reads of other users come in between when one sends many at once. SQLite answers a read before Node looks for other
 * requests, so all that arrived together would otherwise run to their end first.
 */
export class FairTurns {
  /** Milliseconds by user in this turn. */
  readonly #taken = new Map<number, number>();
  /** The turns of the last waiting reads, by user. Each user has one turn at a time. */
  readonly #waiting = new Map<number, Promise<void>>();

  async run<T>(user: number, read: () => Promise<T>): Promise<T> {
    if (this.#waiting.has(user) || (this.#taken.get(user) ?? 0) >= share) await this.#waitForTurn(user);
    const start = performance.now();
    try {
      return await read();
    } finally {
      this.#count(user, performance.now() - start);
    }
  }

  async #waitForTurn(user: number): Promise<void> {
    const before = this.#waiting.get(user);
    const turn = before === undefined ? yieldToEventLoop() : before.then(() => yieldToEventLoop());
    this.#waiting.set(user, turn);
    await turn;
    if (this.#waiting.get(user) === turn) this.#waiting.delete(user);
  }

  #count(user: number, milliseconds: number): void {
    if (this.#taken.size === 0) setImmediate(() => this.#taken.clear());
    this.#taken.set(user, (this.#taken.get(user) ?? 0) + milliseconds);
  }
}
