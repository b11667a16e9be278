import { ServiceError } from "../../contract/errors.ts";
import { Semaphore, Semaphores } from "../../contract/semaphore.ts";
import { type Arrival, Arrivals } from "./arrivals.ts";
import { parseJsonBody } from "./request-body.ts";

const mebibyte = 1024 * 1024;
const busy = () => new ServiceError("unavailable", "Too many uploads are under way; try again.", { retryAfter: 5 });
const another = () =>
  new ServiceError("too_many_requests", "Another large request of yours is still under way; try again.", {
    retryAfter: 5,
  });

/** Maximum bytes of bodies that are parsed and processed at once; they take about three times as much memory. */
const working = 48 * mebibyte;
/** Limits of bodies being received. The oldest may exceed them by its own size, which is at most 40 MiB. */
const arriving = { total: 120 * mebibyte, perAddress: 40 * mebibyte, rate: 500, window: 2000, patience: 30_000 };

export class LargeBodies {
  /** Each user has one body at a time. Those that wait are not read. */
  readonly #turns = new Semaphores<number>(1, { most: 20, refusal: another });
  readonly #arrivals = new Arrivals(arriving, busy);
  readonly #working = new Semaphore(working, { refusal: busy });

  async take<T>(
    user: number | undefined,
    address: string,
    read: (arrival: Arrival) => Promise<Buffer | undefined>,
    work: (body: unknown) => Promise<T>,
  ): Promise<T> {
    const takeOne = async () => {
      const arrival = this.#arrivals.begin(address);
      let done: (() => void) | undefined;
      try {
        let body = await read(arrival);
        arrival.complete();
        done = await this.#working.acquire(body?.length ?? 0);
        const parsed = parseJsonBody(body);
        body = undefined;
        return await work(parsed);
      } finally {
        done?.();
        arrival.leave();
      }
    };
    return user === undefined ? takeOne() : this.#turns.run(user, takeOne);
  }
}
