import { sql } from "kysely";
import type { Database, Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { type ClaimQuota, type Lease, LeasedQueue } from "../queue/leased-queue.ts";

type Delivery = RowOf<"deliveries", "id" | "webhook_id" | "event_id" | "attempt" | "single">;
type Event = RowOf<"webhook_events", "message_id" | "type" | "payload" | "user_id">;

export type ClaimedDelivery = Delivery & Event & Lease;

/** Its claims are limited for each webhook, so that a slow receiver holds up no other. */
export const callbackQueue = new LeasedQueue<Delivery>({
  table: "deliveries",
  columns: ["id", "webhook_id", "event_id", "attempt", "single"],
  partition: "webhook_id",
  // The log has the successes.
  deletesDone: true,
});

const eventsById = prepared((db, p: { ids: number[] }) =>
  db.selectFrom("webhook_events").select(["id", "message_id", "type", "payload", "user_id"]).where("id", "in", p.ids),
);

export async function claimDeliveries(
  database: Database,
  quotas: readonly ClaimQuota[],
  now: number,
): Promise<ClaimedDelivery[]> {
  const claimed = await callbackQueue.claim(database, quotas, now);
  const ids = [...new Set(claimed.map((delivery) => delivery.event_id))];
  const events = new Map((await eventsById(database.reader, { ids })).map((event) => [event.id, event]));
  return claimed.flatMap((delivery) => {
    const event = events.get(delivery.event_id);
    return event === undefined ? [] : { ...event, ...delivery };
  });
}

export type Receiver = RowOf<"webhooks", "id" | "uri" | "secret" | "previous_secrets">;

function receivers(db: Db) {
  return db
    .selectFrom("webhooks as w")
    .select(["w.id", "w.uri", "w.secret", "w.previous_secrets"])
    .where("w.active", "=", 1);
}

const receiversById = prepared((db, p: { ids: number[] }) => receivers(db).where("w.id", "in", p.ids));

const receiversDue = prepared((db, p: { now: number }) =>
  receivers(db)
    .where(({ exists, selectFrom }) => {
      const waiting = selectFrom("deliveries as d").select("d.id").where("d.state", "=", sql.lit("waiting"));
      return exists(waiting.whereRef("d.webhook_id", "=", "w.id").where("d.due_at", "<=", p.now));
    })
    .orderBy("w.id"),
);

export async function findReceivers(database: Database, ids: number[]): Promise<Receiver[]> {
  return decryptSecrets(database, await receiversById(database.reader, { ids }));
}

/** Returns the webhooks with due deliveries, oldest first. */
export async function findReceiversDue(database: Database, now: number): Promise<Receiver[]> {
  return decryptSecrets(database, await receiversDue(database.reader, { now }));
}

function decryptSecrets({ secrets }: Database, receivers: readonly Receiver[]): Receiver[] {
  return receivers.map(({ secret, previous_secrets: previous, ...receiver }) => ({
    ...receiver,
    secret: secrets.open(`webhooks.secret.${receiver.id}`, secret),
    previous_secrets: previous && secrets.open(`webhooks.previous_secrets.${receiver.id}`, previous),
  }));
}
