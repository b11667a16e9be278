import { sql } from "kysely";
import type { Database } from "../../store/database.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { type Lease, LeasedQueue } from "../queue/leased-queue.ts";

type MailRow = RowOf<"mails", "id" | "kind" | "user_id" | "recipient" | "payload" | "attempt" | "created_at">;

export type ClaimedMail = MailRow & Lease;

export const mailQueue = new LeasedQueue<MailRow>({
  table: "mails",
  columns: ["id", "kind", "user_id", "recipient", "payload", "attempt", "created_at"],
});

export async function claimMails(database: Database, max: number, now: number): Promise<ClaimedMail[]> {
  const due = database.reader
    .selectFrom("mails")
    .select("id")
    .where("state", "=", sql.lit("waiting"))
    .where("due_at", "<=", now);
  // Most of the time nothing is due, and reading holds up no writer.
  if ((await due.limit(1).executeTakeFirst()) === undefined) return [];
  return mailQueue.claim(database, [{ max }], now);
}
