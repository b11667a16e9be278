import type { Trigger } from "../../contract/webhooks.ts";
import { insertRows } from "../../store/bulk.ts";
import type { Ctx } from "./context.ts";

export interface RecordedChange {
  readonly trigger: Trigger;
  readonly id: number;
  /** The full form of a deleted object. */
  readonly before?: object | undefined;
}

/** Seconds for which events are still written after a client last polled for them. */
export const listeningSeconds = 90;
const messageIdBytes = 18;
/** An event and the body of its callback. */
export interface OutboxEvent {
  readonly type: Trigger;
  readonly message_id: string;
  readonly payload: string;
  readonly created_at: number;
}

/** Returns a new event. The body is stored as text, because the signature covers its exact bytes. */
export function newEvent<T extends string>({ now }: Ctx, type: T, data: object) {
  return {
    type,
    message_id: `msg_${process.getBuiltinModule("node:crypto").randomBytes(messageIdBytes).toString("base64url")}`,
    payload: JSON.stringify({ type, timestamp: new Date(now * 1000).toISOString(), data }),
    created_at: now,
  };
}

/** Inserts events and returns their IDs by message ID. */
export async function insertEvents(
  ctx: Ctx,
  events: readonly (Omit<OutboxEvent, "type"> & { type: string })[],
): Promise<Map<string, number>> {
  const rows = events.map((event) => ({ ...event }));
  const made = await insertRows<{ id: number; message_id: string }>(ctx.db, "webhook_events", rows, "id, message_id");
  return new Map(made.map((row) => [row.message_id, row.id]));
}

/** Returns a first delivery attempt that is due immediately. */
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
