import { sql } from "kysely";
import type { Database, Db } from "../store/database.ts";

export interface Waiting {
  /** Callbacks that could be sent now. */
  readonly due: number;
  /** Callbacks that are being sent, or that wait for their next attempt. */
  readonly later: number;
  /** Mails that have not left. */
  readonly mails: number;
  /** Mails that were given up. */
  readonly failedMails: number;
}

/** What is still to be sent. `now` is in Unix milliseconds. */
export async function countWaiting({ reader }: Database, now: number): Promise<Waiting> {
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

/** What waits, and whether it moves. */
export interface OutboxState extends Waiting {
  /** Callbacks that somebody has taken to send them. */
  readonly sending: number;
  /** When the first callback that nobody has taken became due, in Unix milliseconds. */
  readonly oldestDue: number | undefined;
  /** When the first mail that has not left was put out, in Unix seconds. */
  readonly oldestMail: number | undefined;
}

/** `now` is in Unix milliseconds. */
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
