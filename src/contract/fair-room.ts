import type { ServiceError } from "./errors.ts";

interface RoomOptions {
  /** Milliseconds to wait for room before the refusal. Default: 30 s. */
  readonly patience?: number;
  /** Maximum number of those who wait. Default: 100. */
  readonly most?: number;
  readonly refusal: () => ServiceError;
}

interface Waiting {
  readonly size: number;
  readonly enter: () => void;
}

/** Room for work of a total size. In async-mutex, work that has given up waiting would go on blocking what is behind it. */
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

  /** Admits in the order of arrival, so that small work does not overtake a large one for ever. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && next.size <= this.#room; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#room -= next.size;
      next.enter();
    }
  }
}

/** A room of the same size for each key. */
export class Rooms<K> {
  readonly #size: number;
  readonly #options: RoomOptions;
  readonly #rooms = new Map<K, { readonly room: Room; users: number }>();

  constructor(size: number, options: RoomOptions) {
    this.#size = size;
    this.#options = options;
  }

  /** Returns true when work of the key would wait. */
  isFull(key: K): boolean {
    return (this.#rooms.get(key)?.users ?? 0) >= this.#size;
  }

  /** Runs work of the key now, or after earlier work; `hasWaited` tells which. Throws the refusal when it waits too long. */
  async run<T>(key: K, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const mustWait = this.isFull(key);
    const place = this.#rooms.get(key) ?? { room: new Room(this.#size, this.#options), users: 0 };
    this.#rooms.set(key, place);
    place.users += 1;
    let leave: (() => void) | undefined;
    try {
      leave = await place.room.enter(1);
      return await work(mustWait);
    } finally {
      leave?.();
      place.users -= 1;
      if (place.users === 0) this.#rooms.delete(key);
    }
  }
}
