import { BoundedMap } from "../../contract/bounded-map.ts";
import type { Database } from "../../store/database.ts";

/** Seconds between two records of the use of the same thing. */
const precision = 60;

export type LastUses = ReturnType<typeof recordLastUses>;

/** Records when API tokens and sessions were last used, at most once per minute. No request waits for this or fails because of it. */
export function recordLastUses(database: Database) {
  /** Unix seconds of the latest use that this process recorded, by table and ID. */
  const recorded = new BoundedMap<string, number>(10_000);
  const writing = new Set<Promise<unknown>>();
  return {
    /** `last` is the use in the database, as far as the caller knows. */
    record(table: "api_tokens" | "sessions", id: number, last: number | null, now: number): void {
      const name = `${table} ${id}`;
      const isRecent = (time: number | null | undefined) => time != null && Math.abs(now - time) < precision;
      if (isRecent(last) || isRecent(recorded.get(name))) return;
      recorded.set(name, now);
      // Leaves a use that another process has recorded meanwhile.
      const write = database.writeLocking((tx) =>
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
      // A write that fails is tried again after the same time as after a success, so that not every request tries it.
      const done = write.catch(() => {}).finally(() => writing.delete(done));
      writing.add(done);
    },
    /** Resolves when everything has been written that was recorded until now. */
    settled: () => Promise.all(writing),
  };
}
