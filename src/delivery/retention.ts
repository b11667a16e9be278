import { sql } from "kysely";
import type { Settings } from "../contract/settings.ts";
import type { Database, Tx } from "../store/database.ts";
import { isAmong } from "../store/dialect.ts";

/** Maximum number of rows read or removed in one transaction. */
const portion = 500;
const idempotencySeconds = 86_400;
const daySeconds = 86_400;

type Removal = (tx: Tx) => Promise<number>;

/**
 * Removes expired data: log entries, events and sent mails after `webhooks.log_days`; rows of deleted webhooks; stored
 * answers after a day; sign-ins in the audit log after `audit.days`; expired attempts of rate limits. Uses small
 * transactions, so that no other transaction waits for long. `now` is in Unix seconds.
 */
export async function removeExpired(
  database: Database,
  settings: Settings,
  now: number,
  stopped: () => boolean = () => false,
): Promise<void> {
  const before = now - settings["webhooks.log_days"] * daySeconds;
  const removals: Removal[] = [
    (tx) => oldest(tx, "webhook_logs", before),
    (tx) => oldestEvents(tx, before),
    (tx) => ofDeletedWebhooks(tx),
    (tx) => some(tx, "idempotency_keys", now - idempotencySeconds),
    (tx) => sentMails(tx, before),
    (tx) => oldestSignIns(tx, now - settings["audit.days"] * daySeconds),
    (tx) => expiredRateLimitEvents(tx, now),
  ];
  for (const remove of removals) {
    while (!stopped() && (await database.writeLocking(remove)) > 0);
  }
}

/** Removes rows by ascending ID, since the oldest have the lowest IDs. Returns their number. */
async function oldest(tx: Tx, table: "webhook_logs", before: number): Promise<number> {
  const rows = await tx.selectFrom(table).select(["id", "created_at"]).orderBy("id").limit(portion).execute();
  const ids = rows.filter((row) => row.created_at < before).map((row) => row.id);
  await deleteByIds(tx, table, ids);
  return ids.length;
}

/** Removes events without waiting deliveries, together with their deliveries. */
async function oldestEvents(tx: Tx, before: number): Promise<number> {
  const rows = await tx
    .selectFrom("webhook_events as e")
    .select(["e.id", "e.created_at"])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("deliveries as d")
            .select("d.id")
            .whereRef("d.event_id", "=", "e.id")
            .where("d.state", "=", "waiting"),
        ),
      ),
    )
    .orderBy("e.id")
    .limit(portion)
    .execute();
  const ids = rows.filter((row) => row.created_at < before).map((row) => row.id);
  if (ids.length > 0) {
    await tx
      .deleteFrom("deliveries")
      .where((eb) => isAmong(tx, eb.ref("event_id"), ids))
      .execute();
    await deleteByIds(tx, "webhook_events", ids);
  }
  return ids.length;
}

async function ofDeletedWebhooks(tx: Tx): Promise<number> {
  const webhook = await tx
    .selectFrom("webhooks")
    .select("id")
    .where("deleted_at", "is not", null)
    .limit(1)
    .executeTakeFirst();
  if (webhook === undefined) return 0;
  for (const table of ["webhook_logs", "deliveries"] as const) {
    const rows = await tx.selectFrom(table).select("id").where("webhook_id", "=", webhook.id).limit(portion).execute();
    await deleteByIds(
      tx,
      table,
      rows.map((row) => row.id),
    );
    if (rows.length > 0) return rows.length;
  }
  await deleteByIds(tx, "webhooks", [webhook.id]);
  return 1;
}

async function sentMails(tx: Tx, before: number): Promise<number> {
  const rows = await tx
    .selectFrom("mails")
    .select(["id", "created_at", "sent_at", "failed_at"])
    .orderBy("id")
    .limit(portion)
    .execute();
  const ids = rows.filter((row) => (row.sent_at ?? row.failed_at ?? before) < before).map((row) => row.id);
  await deleteByIds(tx, "mails", ids);
  return ids.length;
}

async function oldestSignIns(tx: Tx, before: number): Promise<number> {
  const rows = await tx
    .selectFrom("audit_entries")
    .select("id")
    .where("operation", "=", "auth.authenticate")
    .where("created_at", "<", before)
    .orderBy("created_at")
    .limit(portion)
    .execute();
  return deleteRows(tx, "audit_entries", rows);
}

async function expiredRateLimitEvents(tx: Tx, now: number): Promise<number> {
  const rows = await tx
    .selectFrom("rate_limit_events")
    .select("id")
    .where("expires_at", "<=", now)
    .orderBy("expires_at")
    .limit(portion)
    .execute();
  return deleteRows(tx, "rate_limit_events", rows);
}

async function deleteRows(tx: Tx, table: Table, rows: readonly { readonly id: number }[]): Promise<number> {
  await deleteByIds(
    tx,
    table,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

async function some(tx: Tx, table: "idempotency_keys", before: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where created_at in
    (select created_at from ${sql.table(table)} where created_at <= ${before} order by created_at limit ${portion})`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0n);
}

type Table =
  | "webhook_logs"
  | "webhook_events"
  | "deliveries"
  | "webhooks"
  | "mails"
  | "audit_entries"
  | "rate_limit_events";

async function deleteByIds(tx: Tx, table: Table, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from ${sql.table(table)} where ${isAmong(tx, sql.ref("id"), ids)}`.execute(tx);
}
