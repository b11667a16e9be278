import { sql } from "kysely";
import { insertRow, updateRow, updateRows } from "../../store/bulk.ts";
import type { Database, Db, Tx } from "../../store/database.ts";
import { isAmong, isPostgres } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { DisabledReason } from "../../store/schema/column-types.ts";
import type { RowOf } from "../../store/schema/schema.ts";

/** Locks webhooks in the order of their IDs, so that workers do not deadlock and log IDs of a webhook ascend with time. */
export async function lockWebhooks(tx: Tx, ids: readonly number[]) {
  const query = tx
    .selectFrom("webhooks")
    .select(["id", "name", "uri", "active", "failing_since", "author_id"])
    .where("id", "in", ids)
    .orderBy("id");
  return (isPostgres(tx) ? query.forNoKeyUpdate() : query).execute();
}

/** Maximum number of administrators who are told when the author of a webhook cannot be. */
const maxAdministrators = 10;

/**
 * Disables a webhook and queues a mail with its address, which may be secret: to its author or, when the author has left, is
 * no administrator any more or is a service account, to the administrators. `stopInactive` ends the waiting deliveries.
 */
export async function disable(
  tx: Tx,
  webhook: RowOf<"webhooks", "id" | "name" | "uri" | "author_id">,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  await updateRow(tx, "webhooks", webhook.id, {
    active: 0,
    disabled_at: now,
    disabled_reason: reason,
    updated_at: now,
  });
  const { id, name, uri } = webhook;
  for (const { id: user_id, email: recipient, first_name, last_name } of await recipientsOf(tx, webhook.author_id)) {
    const payload = JSON.stringify({ name: `${first_name} ${last_name}`, webhook: { id, name, uri }, reason });
    await insertRow(tx, "mails", {
      kind: "webhook_disabled",
      user_id,
      recipient,
      payload,
      due_at: now * 1000,
      created_at: now,
    });
  }
}

async function recipientsOf(tx: Tx, author: number) {
  const administrators = tx
    .selectFrom("users")
    .select(["id", "first_name", "last_name"])
    .select((eb) => eb.ref("email").$notNull().as("email"))
    // A literal, because a plan for all values cannot use the index of administrators.
    .where("admin", "=", sql.lit(1))
    .where("active", "=", 1)
    .where("email", "is not", null);
  const authors = await administrators.where("id", "=", author).execute();
  return authors.length > 0 ? authors : administrators.orderBy("id").limit(maxAdministrators).execute();
}

const portion = 500;

const inactive = prepared((db, p: { now: number }) =>
  db
    .selectFrom("webhooks as w")
    .select(["w.id", "w.uri", "w.deleted_at"])
    .where("w.active", "=", 0)
    .where((eb) => eb.exists(stoppable(db, p.now).where("d.webhook_id", "=", sql.ref<number>("w.id"))))
    .limit(1),
);

/** Selects waiting deliveries without those that are being sent, which end by themselves. */
function stoppable(db: Db, now: number) {
  return db
    .selectFrom("deliveries as d")
    .select("d.id")
    .where("d.state", "=", sql.lit<"waiting">("waiting"))
    .where((eb) => eb.or([eb("d.lease_token", "is", null), eb("d.due_at", "<=", now)]));
}

/** Ends the waiting deliveries of a disabled or deleted webhook. Returns their number; more may remain. */
export async function stopInactive(database: Database, now: number): Promise<number> {
  const [webhook] = await inactive(database.reader, { now });
  if (webhook === undefined) return 0;
  return database.writeLocking(async (tx) => {
    await lockWebhooks(tx, [webhook.id]);
    const waiting = stoppable(tx, now).where("d.webhook_id", "=", webhook.id).limit(portion);
    const found = await (isPostgres(tx) ? waiting.forUpdate().skipLocked() : waiting).execute();
    const ids = found.map((row) => row.id);
    await updateRows(tx, "deliveries", { id: ids }, { state: "failed", due_at: now, lease_token: null });
    if (webhook.deleted_at === null) await logStopped(tx, webhook.uri, ids, Math.floor(now / 1000));
    return ids.length;
  });
}

async function logStopped(tx: Tx, uri: string, ids: readonly number[], now: number): Promise<void> {
  await sql`insert into webhook_logs (webhook_id, event_id, message_id, event, uri, status, attempt, duration_ms,
      created_at, error, request_headers)
    select d.webhook_id, e.id, e.message_id, e.type, ${uri}, 'disabled', d.attempt, 0,
      cast(${now} as bigint), 'Not sent: the webhook was disabled.', '{}'
    from deliveries as d join webhook_events as e on e.id = d.event_id
    where ${isAmong("d.id", ids)} order by e.id`.execute(tx);
}
