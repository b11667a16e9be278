import { sql } from "kysely";
import type { Database, Db } from "../../store/database.ts";
import { leaseMilliseconds } from "./delivery-queue.ts";

/** Maximum difference between the clocks of several servers, in milliseconds. */
const tolerated = 60_000;

/**
 * Makes deliveries due whose times are in the future because the clock was set back: first attempts, which are due when they
 * are created, and leases, which would last too long.
 */
export async function repairClock(database: Database, now: number): Promise<void> {
  const impossible = now + leaseMilliseconds + tolerated;
  const early = (db: Db) =>
    db
      .selectFrom("deliveries as d")
      .select("d.id")
      .where("d.state", "=", sql.lit("waiting"))
      .where("d.attempt", "=", 0)
      .where("d.due_at", ">", impossible)
      .where("d.webhook_id", "in", db.selectFrom("webhooks").select("id").where("active", "=", 1));
  if ((await early(database.reader).limit(1).execute()).length === 0) return;
  await database.writeLocking((tx) =>
    tx.updateTable("deliveries").set({ due_at: now, lease_token: null }).where("id", "in", early(tx)).execute(),
  );
}
