import type { Job, Receiver } from "./queue.ts";

/** Requests under way at once: few for one that is not known to answer, one for one that hung, one more with each answer. */
const sending = { hung: 1, first: 4, most: 16 };
/** Deliveries taken ahead, so that they need not be claimed one by one: the more, the faster the receiver is. */
const taken = { least: 128, most: 2048, growth: 4 };
/** They should last so long, in milliseconds: shorter, and more are taken; much longer, and other workers miss them. */
const ahead = { least: 250, most: 2000 };

/** What one worker has for one webhook. */
export class Endpoint {
  readonly #queue: Job[] = [];
  readonly #held = new Map<number, Job>();
  #sending = 0;
  #mostSending = sending.first;
  #most = taken.least;
  #takenAt = Number.NEGATIVE_INFINITY;
  /** As it was when last looked at. */
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

  /** Half of what was taken is on its way: time to take more, if there is more. */
  get runsLow(): boolean {
    return this.queued === Math.floor(this.#most / 2);
  }

  /** How many more to take: none while there is enough, since taking a few at a time costs as much as many. */
  get room(): number {
    const most = this.#mostSending === sending.hung ? 1 : this.#most;
    return this.queued > most / 2 ? 0 : Math.max(most - this.queued - this.#sending, 0);
  }

  /** `now` is in milliseconds of any clock that does not jump. */
  add(jobs: readonly Job[], now: number): void {
    if (jobs.length === 0) return;
    const lasted = now - this.#takenAt;
    if (lasted < ahead.least) this.#most = Math.min(this.#most * taken.growth, taken.most);
    else if (lasted > ahead.most) this.#most = Math.max(this.#most / taken.growth, taken.least);
    this.#takenAt = now;
    for (const job of jobs) this.#held.set(job.id, job);
    this.#queue.push(...jobs);
  }

  /** The next to be sent, if one may be. */
  next(): Job | undefined {
    if (this.#sending >= this.#mostSending) return undefined;
    const job = this.#queue.shift();
    if (job !== undefined) this.#sending += 1;
    return job;
  }

  /** A request is over. Gives up what was taken ahead when it hung. */
  ended(hung: boolean): Job[] {
    this.#sending -= 1;
    this.#mostSending = hung ? sending.hung : Math.min(this.#mostSending + 1, sending.most);
    return hung ? this.drop() : [];
  }

  /** What became of it is written. */
  settled(id: number): void {
    this.#held.delete(id);
  }

  jobs(): Job[] {
    return [...this.#held.values()];
  }

  /** Takes out what was not begun; it stays held until it is given back. */
  drop(): Job[] {
    return this.#queue.splice(0);
  }

  /** Lets go of what was not begun and is somebody else's by now. */
  forget(lost: (job: Job) => boolean): void {
    for (const job of this.drop()) {
      if (lost(job)) this.#held.delete(job.id);
      else this.#queue.push(job);
    }
  }
}
