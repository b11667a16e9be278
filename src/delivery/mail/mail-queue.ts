import { randomBytes } from "node:crypto";
import type { Selectable } from "kysely";
import type { Database, Db } from "../../store/database.ts";
import { isAmong, isPostgres } from "../../store/dialect.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { leaseMilliseconds } from "../queue/delivery-queue.ts";

/** Seconds from a failed attempt to the next; about two days in all. */
const pauses = [30, 300, 1800, 7200, 21_600, 43_200, 86_400];

export type Mail = Pick<
  Selectable<Schema["mails"]>,
  "id" | "kind" | "user_id" | "recipient" | "payload" | "attempts" | "created_at"
> & { readonly lease: string };

function unsent(db: Db) {
  return db.selectFrom("mails").where("sent_at", "is", null).where("failed_at", "is", null);
}

/** Claims due mails for this worker by a lease, oldest first. */
export async function claimMails(database: Database, now: number, most: number): Promise<Mail[]> {
  const due = (db: Db) =>
    unsent(db).select("id").where("due_at", "<=", now).orderBy("due_at").orderBy("id").limit(most);
  if ((await due(database.reader).execute()).length === 0) return [];
  const lease = randomBytes(12).toString("base64url");
  return database.writeLocking(async (tx) => {
    const found = await (isPostgres(tx) ? due(tx).forUpdate().skipLocked() : due(tx)).execute();
    const ids = found.map((row) => row.id);
    const rows = await tx
      .updateTable("mails")
      .set({ due_at: now + leaseMilliseconds, lease_token: lease })
      .where((eb) => isAmong(tx, eb.ref("id"), ids))
      .returning(["id", "kind", "user_id", "recipient", "payload", "attempts", "created_at"])
      .execute();
    return rows.map((row) => ({ ...row, lease })).sort((a, b) => a.id - b.id);
  });
}

/** Renews the leases of mails that this worker still holds. */
export async function extendMails(database: Database, mails: readonly Mail[], now: number): Promise<void> {
  await database.writeLocking(async (tx) => {
    for (const mail of mails)
      await own(tx, mail)
        .set({ due_at: now + leaseMilliseconds })
        .execute();
  });
}

/** Starts an update of the mail that takes effect only while this worker holds the lease. */
export function own(db: Db, { id, lease }: Mail) {
  return db.updateTable("mails").where("id", "=", id).where("lease_token", "=", lease).where("sent_at", "is", null);
}

export async function mailSent(database: Database, mail: Mail, now: number): Promise<void> {
  await database.writeLocking((tx) =>
    own(tx, mail)
      .set({
        sent_at: Math.floor(now / 1000),
        attempts: mail.attempts + 1,
        lease_token: null,
        last_error: null,
      })
      .execute(),
  );
}

/** Schedules the next attempt, or gives up when the failure is `hopeless` or the last attempt was made. */
export async function mailFailed(
  database: Database,
  mail: Mail,
  { now, error, hopeless }: { now: number; error: string; hopeless: boolean },
): Promise<void> {
  const attempts = mail.attempts + 1;
  const pause = pauses[attempts - 1];
  const over = hopeless || pause === undefined;
  await database.writeLocking((tx) =>
    own(tx, mail)
      .set({
        attempts,
        last_error: error,
        lease_token: null,
        due_at: now + (pause ?? 0) * 1000,
        ...(over && { failed_at: Math.floor(now / 1000) }),
      })
      .execute(),
  );
}

/** Releases mails that were not tried. */
export async function giveBackMails(database: Database, mails: readonly Mail[], now: number): Promise<void> {
  await database.writeLocking(async (tx) => {
    for (const mail of mails) await own(tx, mail).set({ due_at: now, lease_token: null }).execute();
  });
}
