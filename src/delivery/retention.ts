import { type RawBuilder, sql } from "kysely";
import type { Settings } from "../contract/settings.ts";
import type { Database, Tx } from "../store/database.ts";
import { isAmong } from "../store/dialect.ts";
import type { Schema } from "../store/schema/schema.ts";

/** Maximum number of rows read or removed in one transaction. */
const portion = 500;
const idempotencySeconds = 86_400;
const daySeconds = 86_400;

/**
 * Removes expired data: log entries, events and sent mails after `webhooks.log_days`; rows of deleted webhooks; stored
 * answers and second factors that were not confirmed after a day; sign-ins and sign-outs in the audit log after
 * `audit.days`; expired sessions and attempts of rate limits. Uses small transactions, so that no other transaction waits
 * for long. `now` is in Unix seconds.
 */
export async function removeExpired(
  database: Database,
  settings: Settings,
  now: number,
  stopped: () => boolean = () => false,
): Promise<void> {
  for (const removal of removalsAt(settings, now)) {
    while (!stopped() && (await database.writeLocking(removal)) > 0);
  }
}

function removalsAt(settings: Settings, now: number): readonly ((tx: Tx) => Promise<number>)[] {
  const before = now - settings["webhooks.log_days"] * daySeconds;
  const signInsBefore = now - settings["audit.days"] * daySeconds;
  return [
    // The oldest rows have the lowest IDs, so no index by time is needed.
    (tx) =>
      remove(
        tx,
        "webhook_logs",
        sql`select id from (select id, created_at from webhook_logs order by id limit ${portion}) as oldest
          where created_at < ${before}`,
      ),
    (tx) => removeEvents(tx, before),
    removeDeletedWebhooks,
    (tx) =>
      remove(
        tx,
        "idempotency_keys",
        sql`select created_at from idempotency_keys where created_at <= ${now - idempotencySeconds} order by created_at`,
        "created_at",
      ),
    (tx) =>
      remove(tx, "mails", sql`select id from mails where state <> 'waiting' and due_at < ${before * 1000} order by id`),
    (tx) =>
      remove(
        tx,
        "audit_entries",
        sql`select id from audit_entries where operation in ('auth.authenticate', 'sessions.endCurrent')
          and created_at < ${signInsBefore} order by created_at`,
      ),
    (tx) => remove(tx, "sessions", sql`select id from sessions where expires_at <= ${now} order by expires_at`),
    (tx) => removeUnconfirmedFactors(tx, now - daySeconds),
    (tx) =>
      remove(
        tx,
        "rate_limit_events",
        sql`select id from rate_limit_events where expires_at <= ${now} order by expires_at`,
      ),
  ];
}

/** Removes the first rows that a query finds by their `key`. Returns their number. */
async function remove(tx: Tx, table: keyof Schema, found: RawBuilder<unknown>, key = "id"): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)}
    where ${sql.ref(key)} in (${found} limit ${portion})`.execute(tx);
  return Number(numAffectedRows);
}

function removeUnconfirmedFactors(tx: Tx, before: number): Promise<number> {
  const unconfirmed = sql`select user_id from two_factors where begun_at <= ${before}
    and user_id in (select id from users where two_factor_at is null)`;
  return remove(tx, "two_factors", unconfirmed, "user_id");
}

/** Removes events without waiting deliveries, together with their deliveries. */
async function removeEvents(tx: Tx, before: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`delete from webhook_events where id in (
    select id from (
      select e.id, e.created_at from webhook_events as e
      where not exists (select 1 from deliveries as d where d.event_id = e.id and d.state = 'waiting')
      order by e.id limit ${portion}
    ) as oldest where created_at < ${before}
  ) returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await tx
    .deleteFrom("deliveries")
    .where((eb) => isAmong(tx, eb.ref("event_id"), ids))
    .execute();
  return ids.length;
}

async function removeDeletedWebhooks(tx: Tx): Promise<number> {
  const webhook = await tx
    .selectFrom("webhooks")
    .select("id")
    .where("deleted_at", "is not", null)
    .limit(1)
    .executeTakeFirst();
  if (webhook === undefined) return 0;
  for (const table of ["webhook_logs", "deliveries"] as const) {
    const removed = await remove(tx, table, sql`select id from ${sql.table(table)} where webhook_id = ${webhook.id}`);
    if (removed > 0) return removed;
  }
  await tx.deleteFrom("webhooks").where("id", "=", webhook.id).execute();
  return 1;
}
