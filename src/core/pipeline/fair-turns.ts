import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { monotonicTime } from "../../store/monotonic-time.ts";

/** Milliseconds that the reads of one user may take in a turn of the event loop; further ones wait for a later turn. */
const share = 5;

/**
 * Lets reads of other users come in between when one sends many at once. SQLite answers a read before Node looks for other
 * requests, so all that arrived together would otherwise run to their end first.
 */
export class FairTurns {
  /** Milliseconds by user in this turn; infinite while a read that began in it has not ended. */
  readonly #taken = new Map<number, number>();
  /** The turns of the last waiting reads, by user. Each user has one turn at a time. */
  readonly #waiting = new Map<number, Promise<void>>();
  #endsTurn = false;

  /** Runs a read of the user now, or in a later turn; `hasWaited` tells which. */
  run<T>(user: number, read: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const mustWait = this.#waiting.has(user) || (this.#taken.get(user) ?? 0) >= share;
    if (!mustWait) return this.#begin(user, read, false);
    return this.#waitForTurn(user).then(() => this.#begin(user, read, true));
  }

  /** Returns the promise of the read itself, since each further promise takes time. */
  #begin<T>(user: number, read: (hasWaited: boolean) => Promise<T>, hasWaited: boolean): Promise<T> {
    const before = this.#taken.get(user) ?? 0;
    const start = monotonicTime();
    this.#taken.set(user, Number.POSITIVE_INFINITY);
    this.#endTurnLater();
    const reading = read(hasWaited);
    const end = () => {
      this.#taken.set(user, before + monotonicTime() - start);
      this.#endTurnLater();
    };
    reading.then(end, end);
    return reading;
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
    });
  }
}
