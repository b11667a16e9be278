import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { monotonicTime } from "../../store/monotonic-time.ts";

/** Milliseconds that the reads of one user may take in a turn of the event loop before further ones wait for a later turn. */
const share = 5;

/**
 * Lets reads of other users come in between when one sends many at once. SQLite answers a read before Node looks for other
 * requests, so all that arrived together would otherwise run to their end first.
 */
export class FairTurns {
  /** Milliseconds by user in this turn. */
  readonly #taken = new Map<number, number>();
  /** Users with a read that began in this turn and has not ended. */
  readonly #reading = new Set<number>();
  /** The turns of the last waiting reads, by user. Each user has one turn at a time. */
  readonly #waiting = new Map<number, Promise<void>>();
  #endsTurn = false;

  /** Runs a read of the user now, or in a later turn; `hasWaited` tells which. */
  async run<T>(user: number, read: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const mustWait = this.#waiting.has(user) || this.#reading.has(user) || (this.#taken.get(user) ?? 0) >= share;
    if (mustWait) await this.#waitForTurn(user);
    const start = monotonicTime();
    this.#endTurnLater();
    this.#reading.add(user);
    try {
      return await read(mustWait);
    } finally {
      this.#endTurnLater();
      this.#reading.delete(user);
      this.#taken.set(user, (this.#taken.get(user) ?? 0) + monotonicTime() - start);
    }
  }

  async #waitForTurn(user: number): Promise<void> {
    const before = this.#waiting.get(user);
    const turn = before === undefined ? yieldToEventLoop() : before.then(() => yieldToEventLoop());
    this.#waiting.set(user, turn);
    await turn;
    if (this.#waiting.get(user) === turn) this.#waiting.delete(user);
  }

  #endTurnLater(): void {
    if (this.#endsTurn) return;
    this.#endsTurn = true;
    setImmediate(() => {
      this.#endsTurn = false;
      this.#taken.clear();
      this.#reading.clear();
    });
  }
}
