import { type SelectQueryBuilder, sql } from "kysely";
import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { webhooks as contract } from "../../contract/webhooks.ts";
import { findRow } from "../../store/bulk.ts";
import type { Schema } from "../../store/schema/schema.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { filterIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { numberedPage } from "../pipeline/numbered-page.ts";
import { findWebhook } from "./read-webhooks.ts";

/** Maximum number of log entries counted beyond the page. */
const countedBeyond = 10_000;
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

type Filter = Pick<InputOf<typeof contract.logs>, "event" | "status" | "user" | "since" | "after" | "before">;

export const webhookLogHandlers = {
  async logs(ctx, { id, ...input }) {
    await findWebhook(ctx, id);
    const { page, limit, ...filter } = input;
    const matching = await entriesFor(ctx, id, filter);
    const offset = (page - 1) * limit;
    const { total } = await ctx.db
      .selectFrom(newest(ctx, matching, offset + limit + countedBeyond).as("counted"))
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const shown = newest(ctx, matching, offset + limit)
      .limit(limit)
      .offset(offset);
    const items = await entriesWithIds(ctx, await shown.execute());
    if (items.length === 0) requireNoIssues(await logFilterIssues(ctx, filter));
    return numberedPage(ctx, `/webhooks/${id}/logs`, input, { items, total });
  },

  async log(ctx, { id, log }) {
    const { event_id, request_headers, response, ...entry } = await findEntry(ctx, id, log);
    const event = await findRow(ctx.db, "webhook_events", { id: event_id }, ["payload"]);
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
    const length = Math.max(ctx.now - since, 1);
    const counted = await countByPart(ctx, id, { since, length, parts });
    return {
      data: Array.from({ length: parts }, (_, index) => {
        const start = since + Math.floor((index * length) / parts);
        return { start, ...(counted.get(index) ?? { succeeded: 0, failed: 0 }) };
      }),
    };
  },
} satisfies Partial<Handlers<typeof contract>>;

export const logFilterIssues = (ctx: Ctx, { user }: Partial<Filter>): Promise<FieldIssues> =>
  filterIssues(ctx, { users: { user } });

type Entries = SelectQueryBuilder<Schema, "webhook_logs", object>;

/** Maximum number of queries in one statement. SQLite combines at most 500. */
const maxQueries = 400;

/** Returns the matching entries. For a class of statuses like 2xx or failed, there is one query per status. */
async function entriesFor(ctx: Ctx, webhook: number, { status, ...filter }: Filter): Promise<Entries[]> {
  const query = await entriesWhere(ctx, webhook, filter);
  if (status === undefined) return [query];
  const isFailed = status === "failed";
  if (!isFailed && !status.endsWith("xx")) return [query.where("status", "=", status)];
  const present = await statusesIn(ctx, webhook);
  const statuses = present.filter(([first]) => (isFailed ? first !== "2" : first === status[0]));
  if (statuses.length === 0) return [query.where((eb) => eb.lit(false))];
  // Only a receiver that answers with random statuses has so many. Then its failures are not rare.
  if (statuses.length > maxQueries) return [query.where("status", "not like", "2%")];
  return statuses.map((each) => query.where("status", "=", each));
}

/** Returns the different statuses in a log. The index is searched once for each of them, however many entries have it. */
async function statusesIn({ db }: Ctx, webhook: number): Promise<string[]> {
  const { rows } = await sql<{ status: string }>`
    with recursive present(status) as (
      select min(status) from webhook_logs where webhook_id = ${webhook}
      union all
      select (select min(status) from webhook_logs where webhook_id = ${webhook} and status > present.status)
      from present where present.status is not null
    )
    select status from present where status is not null`.execute(db);
  return rows.map((row) => row.status);
}

/** Returns the IDs of the newest entries of all queries. No query reads more than that number. */
function newest({ db }: Ctx, matching: readonly Entries[], max: number) {
  const parts = matching.map((query) =>
    db.selectFrom(query.select("id").orderBy("id", "desc").limit(max).as("part")).select("part.id"),
  );
  const all = parts.reduce((before, part) => before.unionAll(part));
  return db.selectFrom(all.as("matching")).select("id").orderBy("id", "desc").limit(max);
}

/**
 * Returns entries, newest first. A statement of its own: when PostgreSQL last saw the table empty, it would run the query for the
 * IDs, as a subquery, once for each entry of the table.
 */
async function entriesWithIds({ db }: Ctx, found: readonly { readonly id: number }[]) {
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  return db.selectFrom("webhook_logs").select(entryColumns).where("id", "in", ids).orderBy("id", "desc").execute();
}

async function entriesWhere(
  ctx: Ctx,
  webhook: number,
  { event, user, since, after, before }: Omit<Filter, "status">,
): Promise<Entries> {
  let query: Entries = ctx.db.selectFrom("webhook_logs");
  // The unary + makes the databases read the few entries of the user, and not the log of the webhook.
  if (user === undefined) query = query.where("webhook_id", "=", webhook);
  else query = query.where("user_id", "=", user).where(sql<number>`+webhook_id`, "=", webhook);
  if (event !== undefined) query = query.where("event", "=", event);
  if (since !== undefined) {
    const first = await firstSince(ctx, webhook, since);
    if (first === null) return query.where((eb) => eb.lit(false));
    // The unary + keeps SQLite from reading all entries since then by the index of times, to sort them by ID.
    query = query.where("id", ">=", first).where(sql<number>`+created_at`, ">=", since);
  }
  if (after !== undefined) query = query.where("id", ">", after);
  if (before !== undefined) query = query.where("id", "<", before);
  return query;
}

/** Returns the lowest ID of the entries since a time, null without any. Results may be written long after later ones. */
async function firstSince(ctx: Ctx, webhook: number, since: number): Promise<number | null> {
  let lowest: number | null = null;
  for await (const portion of portionsSince(ctx, webhook, since)) {
    // The unary + keeps SQLite from reading entries by ID until one is from then; the index of times has all that is needed.
    const { first } = await within(ctx, webhook, portion)
      .select(sql<number | null>`min(+id)`.as("first"))
      .executeTakeFirstOrThrow();
    if (first !== null) lowest = Math.min(first, lowest ?? first);
  }
  return lowest;
}

/** Counts the entries since a time by parts of a period. The last part also has those at its end and later. */
async function countByPart(
  ctx: Ctx,
  webhook: number,
  { since, length, parts }: Record<"since" | "length" | "parts", number>,
) {
  const counts = new Map<number, Record<"succeeded" | "failed", number>>();
  // The last part that starts, at a whole second, at or before the entry.
  const part = sql<number>`((created_at - ${sql.lit(since)} + 1) * ${sql.lit(parts)} - 1) / ${sql.lit(length)}`;
  for await (const portion of portionsSince(ctx, webhook, since)) {
    const counted = await within(ctx, webhook, portion)
      .select([
        part.as("part"),
        sql<number>`count(case when status like '2__' then 1 end)`.as("succeeded"),
        sql<number>`count(*)`.as("all"),
      ])
      .groupBy(part)
      .execute();
    for (const { part: found, all, succeeded } of counted) {
      const part = Math.min(found, parts - 1);
      const before = counts.get(part) ?? { succeeded: 0, failed: 0 };
      const failed = before.failed + all - succeeded;
      counts.set(part, { succeeded: before.succeeded + succeeded, failed });
    }
  }
  return counts;
}

/** Entries of a portion, unless more are from one second. */
const portionLength = 20_000;

interface Portion {
  readonly from: number;
  /** Exclusive. */
  readonly end: number;
}

/** Yields the times since `since` in portions with few enough entries to be read at once. Other requests can run between them. */
async function* portionsSince({ db }: Ctx, webhook: number, since: number): AsyncGenerator<Portion> {
  for (let from = since; ; await takeTurn()) {
    const next = await db
      .selectFrom("webhook_logs")
      .select("created_at")
      .where("webhook_id", "=", webhook)
      .where("created_at", ">=", from)
      .orderBy("created_at")
      .limit(1)
      .offset(portionLength)
      .executeTakeFirst();
    if (next === undefined) return yield { from, end: Number.MAX_SAFE_INTEGER };
    const end = Math.max(next.created_at, from + 1);
    yield { from, end };
    from = end;
  }
}

const within = ({ db }: Ctx, webhook: number, { from, end }: Portion) =>
  db
    .selectFrom("webhook_logs")
    .where("webhook_id", "=", webhook)
    .where("created_at", ">=", from)
    .where("created_at", "<", end);

export async function findEntry(ctx: Ctx, webhook: number, log: number) {
  await findWebhook(ctx, webhook);
  return ctx.db
    .selectFrom("webhook_logs")
    .select([...entryColumns, "event_id", "request_headers", "response"])
    .where("id", "=", log)
    .where("webhook_id", "=", webhook)
    .executeTakeFirstOrThrow(() => new ServiceError("not_found", `Webhook ${webhook} has no log entry ${log}.`));
}
