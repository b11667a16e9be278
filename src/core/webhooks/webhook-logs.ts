import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { webhooks as contract } from "../../contract/webhooks.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { numberedPage } from "../pipeline/numbered-page.ts";
import { findWebhook } from "./read-webhooks.ts";

/** Counting stops at this number of log entries. */
const countedEntries = 10_000;
const dayOfSeconds = 86_400;

export const entryColumns = [
  "id",
  "event",
  "uri",
  "status",
  "message_id as webhook_event_id",
  "attempt",
  "duration_ms",
  "created_at",
  "error",
  "next_attempt_at",
] as const;

type Filter = Pick<Parameters<Handlers<typeof contract>["logs"]>[1], "event" | "status" | "since" | "after">;

export const webhookLogHandlers = {
  async logs(ctx, { id, ...input }) {
    await findWebhook(ctx, id);
    const { page, limit, ...filter } = input;
    const matching = entries(ctx, id, filter);
    const { total } = await ctx.db
      .selectFrom(matching.select("id").limit(countedEntries).as("counted"))
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const rows = await matching
      .select(entryColumns)
      .orderBy("id", "desc")
      .limit(limit)
      .offset((page - 1) * limit)
      .execute();
    return numberedPage(ctx, `/webhooks/${id}/logs`, input, { items: rows, total });
  },

  async log(ctx, { id, log }) {
    const { event_id, request_headers, response, ...entry } = await findEntry(ctx, id, log);
    const event = await ctx.db
      .selectFrom("webhook_events")
      .select("payload")
      .where("id", "=", event_id)
      .executeTakeFirst();
    return {
      data: {
        ...entry,
        request: { headers: JSON.parse(request_headers), body: event?.payload ?? null },
        response: response === null ? null : JSON.parse(response),
      },
    };
  },

  async stats(ctx, { id, since = ctx.now - dayOfSeconds, parts }) {
    await findWebhook(ctx, id);
    const length = Math.max(Math.ceil((ctx.now + 1 - since) / parts), 1);
    const part = sql<number>`(created_at - ${sql.lit(since)}) / ${sql.lit(length)}`;
    const counted = await entries(ctx, id, { since })
      .select([
        part.as("part"),
        sql<number>`count(case when status like '2__' then 1 end)`.as("succeeded"),
        sql<number>`count(*)`.as("all"),
      ])
      .groupBy(part)
      .execute();
    const byPart = new Map(counted.map((row) => [row.part, row]));
    return {
      data: Array.from({ length: parts }, (_, index) => {
        const { succeeded = 0, all = 0 } = byPart.get(index) ?? {};
        return { start: since + index * length, succeeded, failed: all - succeeded };
      }),
    };
  },
} satisfies Partial<Handlers<typeof contract>>;

function entries(ctx: Ctx, webhook: number, { event, status, since, after }: Filter) {
  let query = ctx.db.selectFrom("webhook_logs").where("webhook_id", "=", webhook);
  if (event !== undefined) query = query.where("event", "=", event);
  if (status !== undefined) query = query.where("status", "=", status);
  if (since !== undefined) query = query.where("created_at", ">=", since);
  if (after !== undefined) query = query.where("id", ">", after);
  return query;
}

/** Returns an entry of a webhook's log. Throws `not_found` when the log has no such entry. */
export async function findEntry(ctx: Ctx, webhook: number, log: number) {
  await findWebhook(ctx, webhook);
  const entry = await ctx.db
    .selectFrom("webhook_logs")
    .select([...entryColumns, "event_id", "request_headers", "response"])
    .where("id", "=", log)
    .where("webhook_id", "=", webhook)
    .executeTakeFirst();
  if (entry === undefined) throw new ServiceError("not_found", `Webhook ${webhook} has no log entry ${log}.`);
  return entry;
}
