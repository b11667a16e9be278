import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import { type webhooks as contract, testEvent } from "../../contract/webhooks.ts";
import { findRow, insertRow } from "../../store/bulk.ts";
import { locking } from "../../store/dialect.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { insertEvents, newDelivery, newEvent } from "../pipeline/outbox.ts";
import { findActiveWebhook, webhookResponse } from "./read-webhooks.ts";
import { entryColumns, findEntry } from "./webhook-logs.ts";

/** The state of a delivery before its first attempt. */
const untried = { state: "waiting", attempt: 0, single: 0, lease_token: null } as const;

export const webhookSendHandlers = {
  async test(ctx, { id, wait }) {
    let delivery: number | undefined;
    let answer: { readonly data: null; readonly webhook_event_id: string } | undefined;
    const data = await ctx.waitFor({ seconds: wait, topics: ["webhook-logs"] }, async () => {
      // Queued inside the wait, so that a test is not sent when the request is refused for too many waits.
      answer ??= await ctx.transaction(async (tx) => {
        const test = await queueTest(tx, id);
        delivery = test.delivery;
        return { data: null, webhook_event_id: test.message_id };
      });
      return firstEntry(ctx, id, { delivery, message_id: answer.webhook_event_id });
    });
    // The first look, which always takes place, has queued the test.
    return data ? { data, webhook_event_id: answer!.webhook_event_id } : answer!;
  },

  async resend(ctx, { id, log }) {
    const { event_id } = await findEntry(ctx, id, log);
    await findActiveWebhook(ctx, id);
    // Locked, because retention removes a delivery with its event only if it is already there.
    const stored = ctx.db.selectFrom("webhook_events").select("created_at").where("id", "=", event_id);
    const event = await locking(ctx.db, stored).executeTakeFirst();
    if (event === undefined) throw new ServiceError("conflict", `The event of log entry ${log} is no longer stored.`);
    const due_at = ctx.now * 1000;
    await ctx.db
      .insertInto("deliveries")
      .values({ ...untried, event_id, webhook_id: id, due_at, created_at: event.created_at })
      // Deliveries are deleted when they succeed, so one that exists has failed, waits for its next attempt, or is being sent.
      .onConflict((conflict) =>
        conflict
          .columns(["event_id", "webhook_id"])
          .doUpdateSet({ ...untried, due_at })
          // Skips a delivery that is being sent right now.
          .where((eb) => eb.or([eb("deliveries.lease_token", "is", null), eb("deliveries.due_at", "<=", due_at)])),
      )
      .execute();
    ctx.announce("outbox");
  },

  async recover(ctx, { id, since }) {
    await findActiveWebhook(ctx, id);
    const { numUpdatedRows } = await ctx.db
      .updateTable("deliveries")
      .set({ ...untried, due_at: ctx.now * 1000 })
      .where("webhook_id", "=", id)
      .where("state", "=", sql.lit("failed"))
      .where("created_at", ">=", since)
      .where("single", "=", 0)
      .executeTakeFirst();
    ctx.announce("outbox");
    return { recovered: Number(numUpdatedRows) };
  },
} satisfies Partial<Handlers<typeof contract>>;

interface Test {
  /** Undefined when the test was queued by an earlier request with the same Idempotency-Key. */
  readonly delivery: number | undefined;
  readonly message_id: string;
}

async function queueTest(ctx: Ctx, id: number): Promise<Test> {
  await findActiveWebhook(ctx, id);
  const { content_type, name, url } = await webhookResponse(ctx, id);
  const event = newEvent(ctx, testEvent, { content_type, id, name, url });
  // insertEvents returns an ID for each event.
  const event_id = (await insertEvents(ctx, [event])).get(event.message_id)!;
  const delivery = await insertRow(ctx.db, "deliveries", { ...newDelivery(ctx, event_id, id), single: 1 });
  ctx.announce("outbox");
  return { delivery, message_id: event.message_id };
}

/** Returns the log entry of a test; undefined when there is none yet, null when this request has queued nothing (as in a dry run). */
async function firstEntry({ db }: Ctx, webhook: number, { delivery, message_id }: Test) {
  if (delivery === undefined) return null;
  // Looked for first, because a delivery that succeeds is deleted when its entry is written.
  const queued = (await findRow(db, "deliveries", { id: delivery }, ["id"])) !== undefined;
  const entry = await db
    .selectFrom("webhook_logs")
    .select(entryColumns)
    .where("webhook_id", "=", webhook)
    .where("event", "=", testEvent)
    .where("message_id", "=", message_id)
    .executeTakeFirst();
  return entry ?? (queued ? undefined : null);
}
