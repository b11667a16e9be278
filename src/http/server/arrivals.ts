import type { ServiceError } from "../../contract/errors.ts";

interface ArrivalLimits {
  /** Maximum bytes of bodies in memory, in all and from one address. Beyond that only the oldest body grows. */
  readonly total: number;
  readonly perAddress: number;
  /** Milliseconds that a body may wait for room. */
  readonly timeout: number;
}

interface Body {
  readonly address: string;
  readonly ended: PromiseWithResolvers<never>;
  bytes: number;
  /** Set while the body waits for room and is not read. */
  waiting: { readonly goOn: () => void; readonly late: NodeJS.Timeout } | undefined;
}

export type Arrival = ReturnType<Arrivals["begin"]>;

/** Limits the memory for large bodies by the bytes received so far. When it is full, the oldest continues. */
export class Arrivals {
  readonly #limits: ArrivalLimits;
  readonly #refusal: () => ServiceError;
  /** In the order in which they began. */
  readonly #bodies = new Set<Body>();

  constructor(limits: ArrivalLimits, refusal: () => ServiceError) {
    this.#limits = limits;
    this.#refusal = refusal;
  }

  begin(address: string) {
    const body: Body = { address, ended: Promise.withResolvers<never>(), bytes: 0, waiting: undefined };
    this.#bodies.add(body);
    return {
      /** Counts received bytes. Returns a promise when the next must wait for room. */
      add: (bytes: number) => this.#add(body, bytes),
      /** Rejects when the body has waited too long. */
      ended: body.ended.promise,
      leave: () => this.#remove(body),
    };
  }

  #add(body: Body, bytes: number): Promise<void> | undefined {
    body.bytes += bytes;
    if (this.#mayGrow(body)) return undefined;
    return new Promise((goOn) => {
      const end = () => {
        body.ended.reject(this.#refusal());
        this.#remove(body);
      };
      body.waiting = { goOn, late: setTimeout(end, this.#limits.timeout) };
    });
  }

  #mayGrow(body: Body): boolean {
    const { total, perAddress } = this.#limits;
    const all = [...this.#bodies];
    const fits = (bodies: readonly Body[], max: number) =>
      bodies[0] === body || bodies.reduce((sum, { bytes }) => sum + bytes, 0) < max;
    return (
      fits(all, total) &&
      fits(
        all.filter(({ address }) => address === body.address),
        perAddress,
      )
    );
  }

  #remove(body: Body): void {
    this.#bodies.delete(body);
    clearTimeout(body.waiting?.late);
    for (const other of this.#bodies) {
      if (other.waiting === undefined || !this.#mayGrow(other)) continue;
      clearTimeout(other.waiting.late);
      other.waiting.goOn();
      other.waiting = undefined;
    }
  }
}
