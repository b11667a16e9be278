import { performance } from "node:perf_hooks";
import type { ServiceError } from "../../contract/errors.ts";

interface ArrivalLimits {
  /** Maximum bytes of bodies in memory, in all and from one address. Beyond that only the oldest body grows. */
  readonly total: number;
  readonly perAddress: number;
  /** Bytes per millisecond. A slower body is ended when others wait for room. */
  readonly rate: number;
  /** Milliseconds over which the rate of a body is measured. */
  readonly window: number;
  /** Milliseconds that a body may wait for room. */
  readonly timeout: number;
}

export type Arrival = ReturnType<Arrivals["begin"]>;

/** Limits the memory for large bodies by the bytes received so far. When it is full, the oldest continues, and slow ones end. */
export class Arrivals {
  readonly #limits: ArrivalLimits;
  readonly #refusal: () => ServiceError;
  /** In the order in which they began. */
  readonly #bodies = new Set<Body>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: ArrivalLimits, refusal: () => ServiceError) {
    this.#limits = limits;
    this.#refusal = refusal;
  }

  begin(address: string | undefined) {
    const body = new Body(address);
    this.#bodies.add(body);
    return {
      /** Counts received bytes. Returns a promise when the next must wait for room. */
      add: (bytes: number) => this.#add(body, bytes),
      /** Rejects when the body has to make room for others. */
      ended: body.ended.promise,
      complete: () => {
        body.isComplete = true;
      },
      leave: () => this.#remove(body),
    };
  }

  #add(body: Body, bytes: number): Promise<void> | undefined {
    body.count(bytes, this.#limits.window);
    if (this.#mayGrow(body)) return undefined;
    body.wasSlow = body.isSlow(this.#limits);
    body.waiting = Promise.withResolvers<void>();
    const { promise } = body.waiting;
    body.late = setTimeout(() => this.#end(body), this.#limits.timeout);
    this.#timer ??= setInterval(() => this.#makeRoom(), this.#limits.window / 2);
    this.#makeRoom();
    return promise;
  }

  /** Continues bodies that have room, and ends slow bodies that keep others waiting. */
  #makeRoom(): void {
    for (const body of this.#bodies) {
      if (body.waiting === undefined) continue;
      // Slow bodies do not end each other, or none of them would ever finish.
      for (let slow = body.wasSlow ? undefined : this.#inTheWay(body); slow; slow = this.#inTheWay(body))
        this.#end(slow);
      if (this.#mayGrow(body)) body.goOn();
    }
    if ([...this.#bodies].some(({ waiting }) => waiting)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #mayGrow(body: Body): boolean {
    return this.#scopes(body).every(({ bodies, max }) => bodies[0] === body || held(bodies) < max);
  }

  #inTheWay(body: Body): Body | undefined {
    return this.#scopes(body)
      .filter(({ bodies, max }) => held(bodies) >= max)
      .flatMap(({ bodies }) => bodies)
      .find((other) => !other.waiting && !other.isComplete && other.isSlow(this.#limits));
  }

  #scopes({ address }: Body) {
    const bodies = [...this.#bodies];
    return [
      { bodies, max: this.#limits.total },
      { bodies: bodies.filter((body) => body.address === address), max: this.#limits.perAddress },
    ];
  }

  #end(body: Body): void {
    body.ended.reject(this.#refusal());
    this.#remove(body);
  }

  #remove(body: Body): void {
    clearTimeout(body.late);
    body.waiting = undefined;
    if (this.#bodies.delete(body) && this.#timer !== undefined) this.#makeRoom();
  }
}

const held = (bodies: readonly Body[]) => bodies.reduce((sum, { bytes }) => sum + bytes, 0);

class Body {
  readonly address: string | undefined;
  readonly ended = Promise.withResolvers<never>();
  bytes = 0;
  isComplete = false;
  /** Set while the body waits for room and is not read. */
  waiting: PromiseWithResolvers<void> | undefined;
  late: NodeJS.Timeout | undefined;
  /** True for a body that was slow when it began to wait: it does not end others. */
  wasSlow = false;
  #since = performance.now();
  #bytesSince = 0;
  #lastRate = Number.POSITIVE_INFINITY;

  constructor(address: string | undefined) {
    this.address = address;
  }

  count(bytes: number, window: number): void {
    this.bytes += bytes;
    this.#bytesSince += bytes;
    const elapsed = performance.now() - this.#since;
    if (elapsed < window) return;
    this.#lastRate = this.#bytesSince / elapsed;
    this.#restart();
  }

  isSlow({ rate, window }: ArrivalLimits): boolean {
    const elapsed = performance.now() - this.#since;
    return (elapsed < window ? this.#lastRate : this.#bytesSince / elapsed) < rate;
  }

  goOn(): void {
    clearTimeout(this.late);
    this.waiting?.resolve();
    this.waiting = undefined;
    // The pause in reading does not count as slowness of the sender.
    this.#lastRate = Number.POSITIVE_INFINITY;
    this.#restart();
  }

  #restart(): void {
    this.#since = performance.now();
    this.#bytesSince = 0;
  }
}
