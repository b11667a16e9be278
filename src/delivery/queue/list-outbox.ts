import { sql } from "kysely";
import type { Database, Db } from "../../store/database.ts";
import { isAmong } from "../../store/dialect.ts";
import type { RowOf } from "../../store/schema/schema.ts";

/**
 * Lists undelivered mails and then callbacks, oldest first; at most `max` of each. Times are Unix seconds; `failed` ones are
 * sent again only on request. The unary + before IDs keeps SQLite from reading all rows in their order.
 */
export async function listOutbox({ reader }: Database, max: number) {
  const mails = await reader
    .selectFrom("mails")
    .select(["id", "kind", "recipient as to", "created_at", "attempt as attempts", "last_error as error", "state"])
    .select(sql<number>`due_at / 1000`.as("due_at"))
    .where("state", "<>", sql.lit("done"))
    .orderBy(sql`+id`)
    .limit(max)
    .execute();
  const callbacks = await reader
    .selectFrom("deliveries as d")
    .innerJoin("webhooks as w", "w.id", "d.webhook_id")
    .innerJoin("webhook_events as e", "e.id", "d.event_id")
    .select([
      "d.id",
      "d.webhook_id",
      "d.event_id",
      "e.type as kind",
      "w.uri as to",
      "d.created_at",
      "d.attempt as attempts",
    ])
    .select(sql<number>`d.due_at / 1000`.as("due_at"))
    .where("d.state", "=", sql.lit("waiting"))
    .orderBy(sql`+d.id`)
    .limit(max)
    .execute();
  const errors = await lastErrors(
    reader,
    callbacks.filter(({ attempts }) => attempts > 0),
  );
  return [
    ...mails.map(({ state, ...mail }) => ({ what: "mail" as const, ...mail, failed: state === "failed" })),
    ...callbacks.map(({ webhook_id, event_id, ...callback }) => {
      const error = errors.get(`${webhook_id} ${event_id}`) ?? null;
      return { what: "callback" as const, ...callback, error, failed: false };
    }),
  ];
}

type Attempted = RowOf<"deliveries", "webhook_id" | "event_id" | "created_at">;

/** Returns the errors of the latest attempts, by webhook and event. Reads the log once: it has no index by event. */
async function lastErrors(db: Db, attempted: readonly Attempted[]): Promise<Map<string, string | null>> {
  if (attempted.length === 0) return new Map();
  const among = (column: "webhook_id" | "event_id") =>
    isAmong(column, [...new Set(attempted.map((each) => each[column]))]);
  const latest = db
    .selectFrom("webhook_logs")
    .select((eb) => eb.fn.max("id").as("id"))
    .where("created_at", ">=", Math.min(...attempted.map(({ created_at }) => created_at)))
    .where(among("webhook_id"))
    .where(among("event_id"))
    .groupBy(["webhook_id", "event_id"]);
  const rows = await db
    .selectFrom("webhook_logs")
    .select(["webhook_id", "event_id", "error"])
    .where("id", "in", latest)
    .execute();
  return new Map(rows.map(({ webhook_id, event_id, error }) => [`${webhook_id} ${event_id}`, error]));
}
