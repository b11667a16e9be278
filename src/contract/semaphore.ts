import type { ServiceError } from "./errors.ts";

interface SemaphoreOptions {
  /** Milliseconds to wait before the refusal. Default: 30 s. */
  readonly maxWait?: number;
  /** Maximum number of those who wait. Default: 100. */
  readonly maxWaiting?: number;
  readonly refusal: () => ServiceError;
}

/** Limits the total size of work at a time. In async-mutex, work that has given up waiting would still block the work behind it. */
export class Semaphore {
  #free: number;
  readonly #options: Required<SemaphoreOptions>;
  readonly #waiting: { readonly size: number; readonly enter: () => void }[] = [];

  constructor(size: number, options: SemaphoreOptions) {
    this.#free = size;
    this.#options = { maxWait: 30_000, maxWaiting: 100, ...options };
  }

  /** Resolves when work of that size may begin, to a function to call at its end. */
  async acquire(size: number): Promise<() => void> {
    if (this.#waiting.length > 0 || size > this.#free) await this.#wait(size);
    else this.#free -= size;
    return () => {
      this.#free += size;
      this.#admit();
    };
  }

  #wait(size: number): Promise<void> {
    const { maxWaiting, maxWait, refusal } = this.#options;
    if (this.#waiting.length >= maxWaiting) throw refusal();
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
      }, maxWait);
      this.#waiting.push(waiting);
    });
  }

  /** Admits in the order of arrival, so that small work does not overtake a large one for ever. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && next.size <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.size;
      next.enter();
    }
  }
}

/** A semaphore for each key, which limits how many runs of that key there are at a time. */
export class Semaphores<K> {
  readonly #size: number;
  readonly #options: SemaphoreOptions;
  readonly #inUse = new Map<K, { readonly semaphore: Semaphore; users: number }>();

  constructor(size: number, options: SemaphoreOptions) {
    this.#size = size;
    this.#options = options;
  }

  /** Returns true when work of the key would wait. */
  isFull(key: K): boolean {
    return (this.#inUse.get(key)?.users ?? 0) >= this.#size;
  }

  /** Runs work of the key now, or after earlier work; `hasWaited` tells which. Throws the refusal when it waits too long. */
  async run<T>(key: K, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const mustWait = this.isFull(key);
    const entry = this.#inUse.get(key) ?? { semaphore: new Semaphore(this.#size, this.#options), users: 0 };
    this.#inUse.set(key, entry);
    entry.users += 1;
    let release: (() => void) | undefined;
    try {
      release = await entry.semaphore.acquire(1);
      return await work(mustWait);
    } finally {
      release?.();
      entry.users -= 1;
      if (entry.users === 0) this.#inUse.delete(key);
    }
  }
}
