import { sql } from "kysely";
import type { Database, Db } from "../store/database.ts";
import { leaseMilliseconds } from "./queue.ts";

/** By how much the clocks of several servers may differ, in milliseconds. */
const tolerated = 60_000;

/**
 * When the clock was set back, first attempts lie in the future, though they are due when they are made, and leases last too
 * long. Makes them due.
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
