import { ServiceError } from "../contract/errors.ts";

const mebibyte = 1024 * 1024;
/** Bytes of bodies that may be coming in at once, however slowly. */
const arriving = 160 * mebibyte;
/** Bytes of bodies that may be parsed and worked on at once; they take about three times as much. */
const working = 48 * mebibyte;
/** Milliseconds that a body waits for room before its sender is told to come back. */
const standardPatience = 30_000;
const mostWaiting = 100;

/** Takes large bodies in as long as there is room for them. */
export class LargeBodies {
  readonly #arriving = new Room(arriving);
  readonly #working = new Room(working);

  /** Reads a body of at most so many bytes, and does `work` with what `parse` makes of it. */
  async take<T>(
    bytes: number,
    read: () => Promise<Buffer | undefined>,
    parse: (body: Buffer | undefined) => unknown,
    work: (body: unknown) => Promise<T>,
  ): Promise<T> {
    const leave = await this.#arriving.enter(bytes);
    let done: (() => void) | undefined;
    try {
      let body = await read();
      done = await this.#working.enter(bytes);
      const parsed = parse(body);
      body = undefined;
      return await work(parsed);
    } finally {
      done?.();
      leave();
    }
  }
}

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Room for so many bytes. Bodies that wait for it are not read: the network holds them back. */
export class Room {
  #room: number;
  readonly #patience: number;
  readonly #waiting: Waiting[] = [];

  constructor(room: number, patience: number = standardPatience) {
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
