import { sql } from "kysely";
import { countRows } from "../../store/bulk.ts";
import type { Database } from "../../store/database.ts";

/** Counts the waiting callbacks that were created at or after a time in Unix seconds. */
export const countCallbacksSince = ({ reader }: Database, since: number): Promise<number> =>
  countRows(reader.selectFrom("deliveries").where("state", "=", sql.lit("waiting")).where("created_at", ">=", since));

/** Returns the state of the outbox. `now` is in Unix milliseconds. */
export async function outboxState({ reader }: Database, now: number) {
  const { all, due, sending, oldestDue } = await reader
    .selectFrom("deliveries")
    .where("state", "=", sql.lit("waiting"))
    .select([
      sql<number>`count(*)`.as("all"),
      sql<number>`count(case when due_at <= ${now} then 1 end)`.as("due"),
      sql<number>`count(case when lease_token is not null and due_at > ${now} then 1 end)`.as("sending"),
      sql<number | null>`min(case when due_at <= ${now} then due_at end)`.as("oldestDue"),
    ])
    .executeTakeFirstOrThrow();
  const { mails, failedMails, oldestMail } = await reader
    .selectFrom("mails")
    // A literal, because the index has only these.
    .where("state", "<>", sql.lit("done"))
    .select([
      sql<number>`count(case when state = 'waiting' then 1 end)`.as("mails"),
      sql<number>`count(case when state = 'failed' then 1 end)`.as("failedMails"),
      sql<number | null>`min(case when state = 'waiting' then created_at end)`.as("oldestMail"),
    ])
    .executeTakeFirstOrThrow();
  return {
    due,
    /** Callbacks that are being sent, or that wait for their next attempt. */
    later: all - due,
    mails,
    failedMails,
    /** Callbacks that a worker has claimed. */
    sending,
    /** Unix milliseconds at which the oldest unclaimed callback became due. */
    oldestDue: oldestDue ?? undefined,
    /** Unix seconds at which the oldest unsent mail was created. */
    oldestMail: oldestMail ?? undefined,
  };
}
