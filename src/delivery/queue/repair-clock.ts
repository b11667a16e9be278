import { sql } from "kysely";
import type { Database } from "../../store/database.ts";
import { leaseMilliseconds } from "./leased-queue.ts";
import { maxPause } from "./retry-schedule.ts";

/** Maximum difference between the clocks of several servers, in milliseconds. */
const tolerated = 60_000;

/** Rows of each queue that can become due. The condition lets an index serve the search. */
const queues = {
  deliveries: sql`webhook_id in (select id from webhooks where active = 1) and state = 'waiting'`,
  mails: sql`state = 'waiting'`,
};

/** After the clock was set back, makes attempts and leases due whose times are too far in the future. */
export async function repairClock(database: Database, now: number): Promise<void> {
  const impossible = now + leaseMilliseconds + tolerated;
  for (const [name, waiting] of Object.entries(queues)) {
    const table = sql.table(name);
    const early = sql`select id from ${table} where ${waiting} and due_at > ${impossible}
      and (attempt = 0 or lease_token is not null or due_at > ${now + maxPause + tolerated})`;
    const { rows } = await sql`${early} limit 1`.execute(database.reader);
    if (rows.length === 0) continue;
    await database.writeLocking((tx) =>
      sql`update ${table} set due_at = ${now}, lease_token = null where id in (${early})`.execute(tx),
    );
  }
}
