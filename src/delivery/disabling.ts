import { sql } from "kysely";
import { insertRows } from "../store/bulk.ts";
import type { Database, Tx } from "../store/database.ts";
import { isAmong, isPostgres } from "../store/dialect.ts";
import { prepared } from "../store/prepared.ts";
import type { DisabledReason } from "../store/schema.ts";

interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly uri: string;
  readonly author_id: number;
}

/** Disables a webhook, and puts out a mail to its author. What waits for it is stopped by `stopInactive`. */
export async function disable(tx: Tx, webhook: Webhook, reason: DisabledReason, now: number): Promise<void> {
  await tx
    .updateTable("webhooks")
    .set({ active: 0, disabled_at: now, disabled_reason: reason, updated_at: now })
    .where("id", "=", webhook.id)
    .execute();
  const author = await tx
    .selectFrom("users")
    .select(["email", "first_name", "last_name"])
    .where("id", "=", webhook.author_id)
    .where("active", "=", 1)
    .executeTakeFirst();
  if (author === undefined || author.email === null) return;
  const { id, name, uri } = webhook;
  const payload = JSON.stringify({
    name: `${author.first_name} ${author.last_name}`,
    webhook: { id, name, uri },
    reason,
  });
  await tx
    .insertInto("mails")
    .values({
      kind: "webhook_disabled",
      user_id: webhook.author_id,
      recipient: author.email,
      payload,
      created_at: now,
    })
    .execute();
}

/** Stopped at a time. */
const portion = 500;

const waitingForInactive = prepared((db, p: { now: number; most: number }) =>
  db
    .selectFrom("webhooks as w")
    .innerJoin("deliveries as d", "d.webhook_id", "w.id")
    .select(["d.id", "d.webhook_id", "d.event_id", "d.attempt", "w.uri", "w.deleted_at", "w.disabled_at"])
    .where("w.active", "=", 0)
    .where("d.state", "=", sql.lit("waiting"))
    // One that is being sent just now ends by itself.
    .where((eb) => eb.or([eb("d.lease_token", "is", null), eb("d.due_at", "<=", p.now)]))
    .limit(p.most),
);

/**
 * Ends what waits for webhooks that were disabled, with an entry in the log for each, and for those deleted. How many;
 * there may be more.
 */
export async function stopInactive(database: Database, now: number): Promise<number> {
  if ((await waitingForInactive(database.reader, { now, most: 1 })).length === 0) return 0;
  return database.writeLocking(async (tx) => {
    const found = await waitingForInactive(tx, { now, most: portion });
    const ids = found.map((row) => row.id);
    let stopping = tx
      .updateTable("deliveries")
      .set({ state: "failed", lease_token: null })
      .where("state", "=", "waiting")
      .where((eb) => isAmong(tx, eb.ref("id"), ids));
    if (isPostgres(tx)) {
      // What another worker is stopping at this moment is left to it.
      const free = tx
        .selectFrom("deliveries")
        .select("id")
        .where((eb) => isAmong(tx, eb.ref("id"), ids))
        .forUpdate()
        .skipLocked();
      stopping = stopping.where(sql<boolean>`id = any(array(${free}))`);
    }
    const stopped = new Set((await stopping.returning("id").execute()).map((row) => row.id));
    await logStopped(
      tx,
      found.filter((row) => stopped.has(row.id) && row.deleted_at === null),
      now,
    );
    return stopped.size;
  });
}

async function logStopped(
  tx: Tx,
  stopped: readonly Awaited<ReturnType<typeof waitingForInactive>>[number][],
  now: number,
): Promise<void> {
  const events = await tx
    .selectFrom("webhook_events")
    .select(["id", "message_id", "type"])
    .where((eb) =>
      isAmong(
        tx,
        eb.ref("id"),
        stopped.map((row) => row.event_id),
      ),
    )
    .execute();
  const byId = new Map(events.map((event) => [event.id, event]));
  const entries = stopped.flatMap(({ webhook_id, event_id, attempt, uri }) => {
    const event = byId.get(event_id);
    if (event === undefined) return [];
    return [
      {
        webhook_id,
        event_id,
        message_id: event.message_id,
        event: event.type,
        uri,
        status: "disabled",
        attempt,
        duration_ms: 0,
        created_at: Math.floor(now / 1000),
        error: "Not sent: the webhook was disabled.",
        next_attempt_at: null,
        request_headers: "{}",
        response: null,
      },
    ];
  });
  await insertRows(tx, "webhook_logs", entries);
}
