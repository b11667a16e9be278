import type { ServiceError } from "../../contract/errors.ts";

interface RoomOptions {
  /** Milliseconds to wait for room before the refusal. Default: 30 s. */
  readonly patience?: number;
  /** Maximum number of waiting bodies. Default: 100. */
  readonly most?: number;
  readonly refusal: () => ServiceError;
}

interface Waiting {
  readonly size: number;
  readonly enter: () => void;
}

/** Bodies that wait are not read. In async-mutex, one that has given up waiting would go on blocking those behind it. */
export class Room {
  #room: number;
  readonly #options: Required<RoomOptions>;
  readonly #waiting: Waiting[] = [];

  constructor(room: number, options: RoomOptions) {
    this.#room = room;
    this.#options = { patience: 30_000, most: 100, ...options };
  }

  /** Resolves when there is room for that size, to a function that releases it. */
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

  /** Admits in the order of arrival, so that small bodies do not overtake a large one for ever. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && next.size <= this.#room; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#room -= next.size;
      next.enter();
    }
  }
}
