import type { ClaimedDelivery, Receiver } from "../queue/delivery-queue.ts";

/** Limits of concurrent requests: at first, after a request hung, and at most. Each answer raises the limit by 1. */
const sending = { hung: 1, first: 4, most: 16 };
/** Limits of deliveries claimed ahead, which save single claims. A faster receiver gets more. */
const taken = { least: 128, most: 2048, growth: 4 };
/**
 * Milliseconds for which claimed deliveries should last: below `least` more are claimed, above `most` fewer, since other
 * workers cannot claim them.
 */
const ahead = { least: 250, most: 2000 };

/** The deliveries that this worker holds for one webhook. */
export class Endpoint {
  readonly #queue: ClaimedDelivery[] = [];
  readonly #held = new Map<number, ClaimedDelivery>();
  #sending = 0;
  #mostSending = sending.first;
  #most = taken.least;
  #takenAt = Number.NEGATIVE_INFINITY;
  /** The webhook as last read. */
  receiver: Receiver;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  get held(): number {
    return this.#held.size;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** True when half of the claimed deliveries were started, which is the time to claim more. */
  get runsLow(): boolean {
    return this.queued === Math.floor(this.#most / 2);
  }

  /** Number of deliveries to claim. 0 while there are enough, since claiming a few takes as long as claiming many. */
  get room(): number {
    const most = this.#mostSending === sending.hung ? 1 : this.#most;
    return this.queued > most / 2 ? 0 : Math.max(most - this.queued - this.#sending, 0);
  }

  /** Adds claimed deliveries. `now` is in milliseconds of a monotonic clock. */
  add(jobs: readonly ClaimedDelivery[], now: number): void {
    if (jobs.length === 0) return;
    const lasted = now - this.#takenAt;
    if (lasted < ahead.least) this.#most = Math.min(this.#most * taken.growth, taken.most);
    else if (lasted > ahead.most) this.#most = Math.max(this.#most / taken.growth, taken.least);
    this.#takenAt = now;
    for (const job of jobs) this.#held.set(job.id, job);
    this.#queue.push(...jobs);
  }

  /** Starts the next delivery; undefined when none is queued or too many are running. */
  next(): ClaimedDelivery | undefined {
    if (this.#sending >= this.#mostSending) return undefined;
    const job = this.#queue.shift();
    if (job !== undefined) this.#sending += 1;
    return job;
  }

  /** Ends a request. When it hung, removes the queued deliveries and returns them. */
  ended(hung: boolean): ClaimedDelivery[] {
    this.#sending -= 1;
    this.#mostSending = hung ? sending.hung : Math.min(this.#mostSending + 1, sending.most);
    return hung ? this.drop() : [];
  }

  /** Removes a delivery whose result was written. */
  settled(id: number): void {
    this.#held.delete(id);
  }

  jobs(): ClaimedDelivery[] {
    return [...this.#held.values()];
  }

  /** Removes the queued deliveries from the queue and returns them; they stay held until they are released. */
  drop(): ClaimedDelivery[] {
    return this.#queue.splice(0);
  }

  /** Removes queued deliveries whose lease was lost. */
  forget(lost: (job: ClaimedDelivery) => boolean): void {
    for (const job of this.drop()) {
      if (lost(job)) this.#held.delete(job.id);
      else this.#queue.push(job);
    }
  }
}
