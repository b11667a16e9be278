import { BoundedMap } from "../../contract/bounded-map.ts";
import type { Database } from "../../store/database.ts";

/** Seconds between two records of the use of the same thing. */
const precision = 60;

/** Records when API tokens and sessions were last used, once per minute at most. No request waits or fails for it. */
export class LastUses {
  readonly #database: Database;
  /** Unix seconds of the latest use that this process recorded, by table and ID. */
  readonly #recorded = new BoundedMap<string, number>(10_000);
  readonly #writing = new Set<Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** `last` is the use in the database, as far as the caller knows. */
  record(table: "api_tokens" | "sessions", id: number, last: number | null, now: number): void {
    const name = `${table} ${id}`;
    const isRecent = (time: number | null | undefined) => time != null && Math.abs(now - time) < precision;
    if (isRecent(last) || isRecent(this.#recorded.get(name))) return;
    this.#recorded.set(name, now);
    // A write that fails is tried again after the same time as after a success, so that not every request tries it.
    const writing = this.#write(table, id, now)
      .catch(() => {})
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Resolves when everything has been written that was recorded until now. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** Writes a use, unless another process has recorded one meanwhile. */
  async #write(table: "api_tokens" | "sessions", id: number, now: number): Promise<void> {
    await this.#database.writeLocking((tx) =>
      tx
        .updateTable(table)
        .set({ last_used_at: now })
        .where("id", "=", id)
        .where((eb) =>
          eb.or([
            eb("last_used_at", "is", null),
            eb("last_used_at", "<=", now - precision),
            eb("last_used_at", ">=", now + precision),
          ]),
        )
        .execute(),
    );
  }
}
