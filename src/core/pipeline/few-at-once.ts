import { ServiceError } from "../../contract/errors.ts";

interface Places {
  taken: number;
  readonly waiting: (() => void)[];
}

/** Milliseconds for which work waits for a place: as long as statements wait for a connection. */
const patience = 5000;

/**
 * Lets each user have a few statements on their way to a database server at a time. Others share its connections, and would wait
 * for all that one user sends at once.
 */
export class FewAtOnce {
  readonly #most: number;
  readonly #places = new Map<number, Places>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns true when work of the user would wait. */
  isFull(user: number): boolean {
    return (this.#places.get(user)?.taken ?? 0) >= this.#most;
  }

  /** Runs work of the user now, or after earlier work; `hasWaited` tells which. Throws `unavailable` when no place becomes free. */
  async run<T>(user: number, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const mustWait = this.isFull(user);
    const places = this.#places.get(user) ?? { taken: 0, waiting: [] };
    this.#places.set(user, places);
    if (mustWait) await waitForPlace(places);
    else places.taken += 1;
    try {
      return await work(mustWait);
    } finally {
      // The next one takes over the place.
      const next = places.waiting.shift();
      if (next) next();
      else {
        places.taken -= 1;
        if (places.taken === 0) this.#places.delete(user);
      }
    }
  }
}

const waitForPlace = ({ waiting }: Places): Promise<void> =>
  new Promise((resolve, reject) => {
    const enter = () => {
      clearTimeout(end);
      resolve();
    };
    const end = setTimeout(() => {
      waiting.splice(waiting.indexOf(enter), 1);
      const message = "Other requests of yours are still running; send fewer at once.";
      reject(new ServiceError("unavailable", message, { retryAfter: 1 }));
    }, patience);
    waiting.push(enter);
  });
