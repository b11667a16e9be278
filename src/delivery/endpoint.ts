import type { Job, Receiver } from "./queue.ts";

/** Requests under way at once. */
const mostSending = 16;
/** Deliveries taken ahead, so that they need not be claimed one by one. */
const mostHeld = 64;

/** What one worker has for one webhook. */
export class Endpoint {
  readonly #queue: Job[] = [];
  readonly #held = new Map<number, Job>();
  #sending = 0;
  /** The last request hung: until one does not, they go one by one, so that few connections wait for nothing. */
  suspect = false;
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

  /** How many more to take: none while there is enough, since taking a few at a time costs as much as many. */
  get room(): number {
    const most = this.suspect ? 1 : mostHeld;
    return this.held > most / 2 ? 0 : most - this.held;
  }

  add(job: Job): void {
    this.#held.set(job.id, job);
    this.#queue.push(job);
  }

  /** The next to be sent, if one may be. */
  next(): Job | undefined {
    if (this.#sending >= (this.suspect ? 1 : mostSending)) return undefined;
    const job = this.#queue.shift();
    if (job !== undefined) this.#sending += 1;
    return job;
  }

  /** A request is over. Gives up what was taken ahead when it hung. */
  ended(hung: boolean): Job[] {
    this.#sending -= 1;
    this.suspect = hung;
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
