import { type webhooks as contract, testEvent } from "../../contract/webhooks.ts";
import { lastId, upsertRow } from "../../store/bulk.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";

/** Seconds after which a polling client's timestamp is renewed; much shorter than `listeningSeconds`. */
const renewedAfterSeconds = 20;

const eventsAfter = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("webhook_events")
    .select(["id", "message_id as webhook_event_id", "created_at", "payload"])
    .where("id", ">", p.after)
    .where("type", "<>", testEvent)
    .orderBy("id")
    .limit(p.limit),
);

/** Returns the events after a given one, waiting until there are any. */
export const pollEvents: Handlers<typeof contract>["events"] = async (ctx, { after, wait, limit }) => {
  await recordListening(ctx);
  if (after === undefined) return { data: [], meta: { last_id: await lastId(ctx.db, "webhook_events") } };
  const rows = await ctx.waitFor({ seconds: wait, topics: ["webhook-events"] }, async () => {
    const found = await eventsAfter(ctx.db, { after, limit });
    return found.length > 0 ? found : undefined;
  });
  const data = (rows ?? []).map(({ payload, ...event }) => ({ ...event, payload: JSON.parse(payload) }));
  return { data, meta: { last_id: data.at(-1)?.id ?? after } };
};

/** Records that a client polls, so that events are written even without a webhook for them. */
async function recordListening(ctx: Ctx): Promise<void> {
  const listening = await ctx.db.selectFrom("event_listening").select("polled_at").executeTakeFirst();
  // A timestamp in the future was written before the clock was set back.
  const age = listening === undefined ? Number.POSITIVE_INFINITY : Math.abs(ctx.now - listening.polled_at);
  if (age < renewedAfterSeconds) return;
  await ctx.transaction(({ db }) => upsertRow(db, "event_listening", { id: 1 }, { polled_at: ctx.now }));
}
