import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

type Callback = Parameters<pg.Pool["connect"]>[0];

/** SQLSTATE for a connection above a limit of PostgreSQL, of the user or of the database. */
export const tooManyConnections = "53300";
/** PgBouncer refuses a connection above its limit as a violation of the protocol. */
const refusals: readonly unknown[] = [tooManyConnections, "08P01"];

/** Milliseconds between two attempts to connect. */
const pause = 50;
/** Milliseconds after a refused connection until the pool may grow again. */
const growthPause = 10_000;

interface Limits extends pg.PoolConfig {
  readonly max: number;
  readonly connectionTimeoutMillis: number;
}

/** A pool that waits for one of its other connections when PostgreSQL refuses another one because there are too many. */
export class LimitedPool extends pg.Pool {
  readonly #limits: Limits;
  #open = 0;

  constructor(limits: Limits) {
    super(limits);
    this.#limits = limits;
    this.on("connect", () => this.#open++);
    this.on("remove", () => this.#open--);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connecting = this.#connectOrWait(performance.now() + this.#limits.connectionTimeoutMillis);
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  async #connectOrWait(deadline: number): Promise<pg.PoolClient> {
    try {
      return await super.connect();
    } catch (error) {
      const isRefused = refusals.includes((error as { code?: unknown }).code);
      if (!isRefused || this.totalCount === 0 || performance.now() > deadline) throw error;
    }
    this.options.max = Math.max(this.#open, 1);
    setTimeout(() => {
      this.options.max = this.#limits.max;
    }, growthPause).unref();
    await sleep(pause);
    return this.#connectOrWait(deadline);
  }
}
