import type { ServiceError } from "../contract/errors.ts";

export interface RoomOptions {
  /** Milliseconds to wait for room before the refusal. Default 30 s. */
  readonly patience?: number;
  /** How many may wait. Default 100. */
  readonly most?: number;
  readonly refusal: () => ServiceError;
}

interface Waiting {
  readonly size: number;
  readonly enter: () => void;
}

/** Room for so much. Bodies that wait for it are not read: the network holds them back. */
export class Room {
  #room: number;
  readonly #options: Required<RoomOptions>;
  readonly #waiting: Waiting[] = [];

  constructor(room: number, options: RoomOptions) {
    this.#room = room;
    this.#options = { patience: 30_000, most: 100, ...options };
  }

  /** Resolves when there is room for that size, to what has to be called when it is no longer needed. */
  async enter(size: number): Promise<() => void> {
    if (this.#waiting.length > 0 || size > this.#room) await this.#wait(size);
    else this.#room -= size;
    return () => {
      this.#room += size;
      this.#admit();
    };
  }

  #wait(size: number): Promise<void> {
    const { most, patience, refusal } = this.#options;
    if (this.#waiting.length >= most) throw refusal();
    return new Promise((resolve, reject) => {
      const waiting = {
        size,
        enter: () => {
          clearTimeout(late);
          resolve();
        },
      };
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(refusal());
        this.#admit();
      }, patience);
      this.#waiting.push(waiting);
    });
  }

  /** In the order in which they came: a large one is not passed by small ones for ever. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && next.size <= this.#room; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#room -= next.size;
      next.enter();
    }
  }
}
