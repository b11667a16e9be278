import { ServiceError } from "../../contract/errors.ts";
import { maxWaits } from "../../contract/waits.ts";
import type { Topic } from "../../store/topics.ts";
import { Wakeup } from "../../store/wakeup.ts";
import { takeTurn } from "./event-loop-turns.ts";
import type { TopicWatch } from "./topic-watch.ts";

interface WaitOptions {
  readonly user: number;
  readonly topics: readonly Topic[];
  readonly seconds: number;
  /** Milliseconds until the token expires. */
  readonly tokenEnds: number;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal | undefined;
  authorize(): Promise<void>;
}

/** A waiting request, and the time of `performance.now` at which it answers without a result. */
interface Waiter {
  readonly wakeup: Wakeup;
  deadline: number;
}

/** Runs the operations of this process that wait for a result. */
export class Waits {
  readonly #watch: TopicWatch;
  readonly #byUser = new Map<number, Set<Waiter>>();
  #ended = false;

  constructor(watch: TopicWatch) {
    this.#watch = watch;
  }

  /**
   * Calls `look` now and after each change of the topics until it returns a result, the time is up, or the client has
   * disconnected. Holds neither a transaction nor a connection between two calls. Checks before the first wait, and after each, that
   * the user may still see the answer. Throws `too_many_requests` when the user has too many waiting requests.
   */
  async waitFor<T>(options: WaitOptions, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const { user, topics, signal } = options;
    if (options.seconds === 0 || this.#ended) return look();
    const waiter = this.#enter(options);
    const end = () => endWait(waiter);
    // A signal that was aborted before raises no event.
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end);
    let stop = () => {};
    try {
      stop = await this.#watch.watch([...topics, `user:${user}`], () => waiter.wakeup.raise());
      for (let waited = false; ; waited = true) {
        const isOver = waiter.deadline <= performance.now();
        const found = await look();
        // Checked after reading: data that was read before the permission ended may be returned. Checked before the first
        // wait as well, because no change wakes the waiter for a permission that ended before `watch`.
        if (waited || found === undefined) await options.authorize();
        if (found !== undefined || isOver) return found;
        await waiter.wakeup.wait(waiter.deadline - performance.now());
        waiter.wakeup.clear();
        if (signal?.aborted) return undefined;
        // One change may wake many waiters; each reads in a turn of its own.
        await takeTurn();
      }
    } finally {
      stop();
      signal?.removeEventListener("abort", end);
      this.#leave(user, waiter);
    }
  }

  /** Makes all waiting requests answer at once with the current state, now and from now on. */
  end(): void {
    this.#ended = true;
    for (const waiters of this.#byUser.values()) waiters.forEach(endWait);
  }

  #enter({ user, seconds, tokenEnds }: WaitOptions): Waiter {
    const waiters = this.#byUser.get(user) ?? new Set();
    if (waiters.size >= maxWaits) {
      const soonest = Math.min(...[...waiters].map(({ deadline }) => deadline)) - performance.now();
      throw new ServiceError(
        "too_many_requests",
        `At most ${maxWaits} requests of one user can wait at the same time; end one of them first.`,
        { retryAfter: Math.max(1, Math.ceil(soonest / 1000)) },
      );
    }
    const waiter = { wakeup: new Wakeup(), deadline: performance.now() + Math.min(seconds * 1000, tokenEnds) };
    this.#byUser.set(user, waiters.add(waiter));
    return waiter;
  }

  #leave(user: number, waiter: Waiter): void {
    const waiters = this.#byUser.get(user);
    if (waiters?.delete(waiter) && waiters.size === 0) this.#byUser.delete(user);
  }
}

function endWait(waiter: Waiter): void {
  waiter.deadline = 0;
  waiter.wakeup.raise();
}
