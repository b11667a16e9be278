import type { Leases } from "../queue/leases.ts";
import type { ClaimedDelivery, Receiver } from "./callback-queue.ts";

/** Limits of concurrent requests: at first, after a request hung, and at most. Each answer raises the limit by 1. */
const requests = { hung: 1, first: 4, max: 16 };
/** Numbers of deliveries claimed ahead: for a fast receiver many, which saves claims; others leave them to other workers. */
const claims = { few: 128, many: 2048 };
/** Milliseconds. Many deliveries are claimed when the claimed ones lasted less than `fast`, few above `slow`. */
const ahead = { fast: 250, slow: 2000 };

/** The deliveries that this worker claimed for one webhook and has not sent yet. */
export class Endpoint {
  readonly #queue: ClaimedDelivery[] = [];
  #sending = 0;
  #maxSending = requests.first;
  #maxClaimed = claims.few;
  #claimedAt = Number.NEGATIVE_INFINITY;
  receiver: Receiver;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get size(): number {
    return this.queued + this.#sending;
  }

  /** True when half of the claimed deliveries were started and more should be claimed. */
  get runsLow(): boolean {
    return this.queued === Math.floor(this.#maxClaimed / 2);
  }

  /** Number of deliveries to claim. 0 while there are enough, since claiming a few takes as long as claiming many. */
  get room(): number {
    const max = this.#maxSending === requests.hung ? 1 : this.#maxClaimed;
    return this.queued > max / 2 ? 0 : Math.max(max - this.size, 0);
  }

  /** Adds claimed deliveries. `now` is in milliseconds of a monotonic clock. */
  add(jobs: readonly ClaimedDelivery[], now: number): void {
    if (jobs.length === 0) return;
    const lasted = now - this.#claimedAt;
    if (lasted < ahead.fast) this.#maxClaimed = claims.many;
    else if (lasted > ahead.slow) this.#maxClaimed = claims.few;
    this.#claimedAt = now;
    this.#queue.push(...jobs);
  }

  /** Starts the next delivery whose lease was not lost; undefined when none is queued or too many are running. */
  next(leases: Leases<ClaimedDelivery>): ClaimedDelivery | undefined {
    if (this.#sending >= this.#maxSending) return undefined;
    let job = this.#queue.shift();
    while (job !== undefined && !leases.has(job)) job = this.#queue.shift();
    if (job !== undefined) this.#sending += 1;
    return job;
  }

  /** Ends a request. When it hung, removes the queued deliveries and returns them. */
  ended(hung: boolean): ClaimedDelivery[] {
    this.#sending -= 1;
    this.#maxSending = hung ? requests.hung : Math.min(this.#maxSending + 1, requests.max);
    return hung ? this.clear() : [];
  }

  clear(): ClaimedDelivery[] {
    return this.#queue.splice(0);
  }
}
