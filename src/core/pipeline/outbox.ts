import { type Insertable, sql } from "kysely";
import type { Trigger } from "../../contract/webhooks.ts";
import { insertRows } from "../../store/bulk.ts";
import type { Schema } from "../../store/schema/schema.ts";
import type { Ctx } from "./context.ts";

export interface RecordedChange {
  readonly trigger: Trigger;
  readonly id: number;
  readonly before?: object | undefined;
}

/** Seconds for which events are still written after a client last polled for them. */
export const listeningSeconds = 90;
const messageIdBytes = 18;

/** Returns a new event. The body is stored as text, because the signature covers its exact bytes. */
export function newEvent<T extends string>({ now }: Ctx, type: T, data: object) {
  return {
    type,
    message_id: `msg_${process.getBuiltinModule("node:crypto").randomBytes(messageIdBytes).toString("base64url")}`,
    payload: JSON.stringify({ type, timestamp: new Date(now * 1000).toISOString(), data }),
    created_at: now,
  };
}

/** Length of a payload of `newEvent` before its data, without the type. */
const frameLength = JSON.stringify({ type: "", timestamp: new Date(0).toISOString(), data: 0 }).length - "0}".length;

/** Replaces the data of a deleted user in stored events, and deletes responses, which may repeat it. Workers that send old data lose their leases. */
export async function erasePayloads({ db, now }: Ctx, user: number, data: object): Promise<void> {
  const end = `${JSON.stringify(data)}}`;
  await db
    .updateTable("webhook_events")
    .set({ payload: sql<string>`substr(payload, 1, ${sql.lit(frameLength)} + length(type)) || ${end}` })
    .where("user_id", "=", user)
    .execute();
  await db.updateTable("webhook_logs").set({ response: null }).where("user_id", "=", user).execute();
  await db
    .updateTable("deliveries")
    .set({ lease_token: null, due_at: now * 1000 })
    .where("lease_token", "is not", null)
    .where("event_id", "in", (eb) => eb.selectFrom("webhook_events").select("id").where("user_id", "=", user))
    .execute();
}

/** Inserts events and returns their IDs by message ID. */
export async function insertEvents(
  ctx: Ctx,
  events: readonly Omit<Insertable<Schema["webhook_events"]>, "id">[],
): Promise<Map<string, number>> {
  const made = await insertRows(ctx.db, "webhook_events", events, ["id", "message_id"]);
  return new Map(made.map((row) => [row.message_id, row.id]));
}

export function newDelivery({ now }: Ctx, event: number, webhook: number) {
  return {
    event_id: event,
    webhook_id: webhook,
    state: "waiting" as const,
    attempt: 0,
    single: 0,
    due_at: now * 1000,
    created_at: now,
  };
}
