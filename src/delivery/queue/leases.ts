import type { DeliveryOptions } from "../delivery-options.ts";
import { type Lease, type LeasedQueue, leaseMilliseconds } from "./leased-queue.ts";

type LeasesOptions = Pick<DeliveryOptions, "database" | "clock" | "log">;
type LeaseQueue = Pick<LeasedQueue<Lease>, "renew" | "release">;

/** The leases of one worker in a queue. Renews them until they end. */
export class Leases<T extends Lease> {
  readonly #queue: LeaseQueue;
  readonly #options: LeasesOptions;
  readonly #leases = new Set<T>();
  #timer: NodeJS.Timeout | undefined;

  constructor(queue: LeaseQueue, options: LeasesOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  get size(): number {
    return this.#leases.size;
  }

  /** Returns false when the lease has ended or was lost to another worker. */
  has(lease: T): boolean {
    return this.#leases.has(lease);
  }

  add(leases: readonly T[]): void {
    for (const lease of leases) this.#leases.add(lease);
    if (this.size > 0) this.#timer ??= setInterval(() => void this.#renew(), leaseMilliseconds / 3);
  }

  end(lease: T): void {
    this.#leases.delete(lease);
    if (this.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async release(leases: readonly T[]): Promise<void> {
    const { database, clock, log } = this.#options;
    // Rows that cannot be released can be claimed when their leases expire.
    await this.#queue
      .release(database, leases, clock())
      .catch((error) => log.error({ err: error }, "deliveries cannot be released"));
    for (const lease of leases) this.end(lease);
  }

  async #renew(): Promise<void> {
    const { database, clock, log } = this.#options;
    // Leases that are added meanwhile are not lost.
    const leases = [...this.#leases];
    try {
      const renewed = await this.#queue.renew(database, leases, clock());
      for (const lease of leases) if (!renewed.has(lease.id)) this.end(lease);
    } catch (error) {
      log.error({ err: error }, "leases of deliveries cannot be renewed");
    }
  }
}
