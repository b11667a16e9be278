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

  /** Returns the turn for which a read of the user must wait; undefined when it can run now. */
  turnFor(user: number): Promise<void> | undefined {
    const before = this.#waiting.get(user);
    if (before === undefined && (this.#taken.get(user) ?? 0) < share) return undefined;
    const turn = this.#nextTurn(before).then(() => {
      if (this.#waiting.get(user) === turn) this.#waiting.delete(user);
    });
    this.#waiting.set(user, turn);
    return turn;
  }

  async #nextTurn(before: Promise<void> | undefined): Promise<void> {
    await before;
    await yieldToEventLoop();
  }

  /** Runs a read, and counts its time for the user. */
  async run<T>(user: number, read: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await read();
    } finally {
      if (this.#taken.size === 0) setImmediate(() => this.#taken.clear());
      this.#taken.set(user, (this.#taken.get(user) ?? 0) + performance.now() - start);
    }
  }
}
