import { sql } from "kysely";
import type { Database, Db } from "../../store/database.ts";

export interface WaitingCounts {
  /** Callbacks that are due now. */
  readonly due: number;
  /** Callbacks that are being sent, or that wait for their next attempt. */
  readonly later: number;
  /** Mails that were not sent yet. */
  readonly mails: number;
  /** Mails whose delivery was given up. */
  readonly failedMails: number;
}

/** Counts what is still to be delivered. `now` is in Unix milliseconds. */
export async function countWaiting({ reader }: Database, now: number): Promise<WaitingCounts> {
  const { due, all } = await callbacks(reader, now);
  const { mails, failedMails } = await reader
    .selectFrom("mails")
    .where("sent_at", "is", null)
    .select([
      sql<number>`count(case when failed_at is null then 1 end)`.as("mails"),
      sql<number>`count(failed_at)`.as("failedMails"),
    ])
    .executeTakeFirstOrThrow();
  return { due, later: all - due, mails, failedMails };
}

/** Counts of waiting deliveries, and signs of progress. */
export interface OutboxState extends WaitingCounts {
  /** Callbacks that a worker has claimed. */
  readonly sending: number;
  /** Unix milliseconds at which the oldest unclaimed callback became due. */
  readonly oldestDue: number | undefined;
  /** Unix seconds at which the oldest unsent mail was created. */
  readonly oldestMail: number | undefined;
}

/** Returns the state of the outbox. `now` is in Unix milliseconds. */
export async function outboxState(database: Database, now: number): Promise<OutboxState> {
  const { sending, oldestDue } = await database.reader
    .selectFrom("deliveries")
    .where("state", "=", sql.lit("waiting"))
    .select([
      sql<number>`count(case when lease_token is not null and due_at > ${now} then 1 end)`.as("sending"),
      sql<number | null>`min(case when due_at <= ${now} then due_at end)`.as("oldestDue"),
    ])
    .executeTakeFirstOrThrow();
  const { oldestMail } = await database.reader
    .selectFrom("mails")
    .where("sent_at", "is", null)
    .where("failed_at", "is", null)
    .select((eb) => eb.fn.min("created_at").as("oldestMail"))
    .executeTakeFirstOrThrow();
  const waiting = await countWaiting(database, now);
  return { ...waiting, sending, oldestDue: oldestDue ?? undefined, oldestMail: oldestMail ?? undefined };
}

function callbacks(db: Db, now: number) {
  return db
    .selectFrom("deliveries")
    .where("state", "=", sql.lit("waiting"))
    .select([sql<number>`count(case when due_at <= ${now} then 1 end)`.as("due"), sql<number>`count(*)`.as("all")])
    .executeTakeFirstOrThrow();
}
