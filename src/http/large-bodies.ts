import { ServiceError } from "../contract/errors.ts";

/** Bytes of large bodies that may be under way at once: two of the largest. Each takes about three times its size. */
const standardRoom = 80 * 1024 * 1024;
/** Milliseconds that a body waits for room, unread, before its sender is told to come back. */
const standardPatience = 10_000;
const mostWaiting = 100;

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Lets large bodies in while there is room for them. Those that wait are not read: the network holds them back. */
export class LargeBodies {
  #room: number;
  readonly #patience: number;
  readonly #waiting: Waiting[] = [];

  constructor(room: number = standardRoom, patience: number = standardPatience) {
    this.#room = room;
    this.#patience = patience;
  }

  /** Resolves when there is room for a body of that size, to what has to be called when it is done with. */
  async enter(bytes: number): Promise<() => void> {
    if (this.#waiting.length > 0 || bytes > this.#room) await this.#wait(bytes);
    else this.#room -= bytes;
    return () => {
      this.#room += bytes;
      this.#admit();
    };
  }

  #wait(bytes: number): Promise<void> {
    if (this.#waiting.length >= mostWaiting) throw busy();
    return new Promise((resolve, reject) => {
      const waiting = {
        bytes,
        enter: () => {
          clearTimeout(late);
          resolve();
        },
      };
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(busy());
        this.#admit();
      }, this.#patience);
      this.#waiting.push(waiting);
    });
  }

  /** In the order in which they came: a large one is not passed by small ones for ever. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && next.bytes <= this.#room; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#room -= next.bytes;
      next.enter();
    }
  }
}

const busy = () => new ServiceError("unavailable", "Too many uploads are under way; try again.", { retryAfter: 5 });
