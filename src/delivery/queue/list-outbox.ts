import { sql } from "kysely";
import type { Database } from "../../store/database.ts";

/** A callback or mail that was not delivered yet. Times are Unix seconds. */
interface OutboxItem {
  readonly what: "callback" | "mail";
  readonly id: number;
  /** The trigger, or the type of mail. */
  readonly kind: string;
  readonly to: string;
  readonly created_at: number;
  readonly due_at: number;
  readonly attempts: number;
  readonly error: string | null;
  /** True when delivery was given up: it is sent again only on request. */
  readonly failed: boolean;
}

/** Lists undelivered mails and then callbacks, oldest first; at most `most` of each. */
export async function listOutbox({ reader }: Database, most: number): Promise<OutboxItem[]> {
  const mails = await reader
    .selectFrom("mails")
    .select(["id", "kind", "recipient as to", "created_at", "attempt as attempts", "last_error as error", "state"])
    .select(sql<number>`due_at / 1000`.as("due_at"))
    .where("state", "<>", "done")
    .orderBy("id")
    .limit(most)
    .execute();
  const callbacks = await reader
    .selectFrom("deliveries as d")
    .innerJoin("webhooks as w", "w.id", "d.webhook_id")
    .innerJoin("webhook_events as e", "e.id", "d.event_id")
    .select(["d.id", "e.type as kind", "w.uri as to", "d.created_at", "d.attempt as attempts"])
    .select(sql<number>`d.due_at / 1000`.as("due_at"))
    .where("d.state", "=", sql.lit("waiting"))
    .orderBy("d.id")
    .limit(most)
    .execute();
  return [
    ...mails.map(({ state, ...mail }) => ({ what: "mail" as const, ...mail, failed: state === "failed" })),
    ...callbacks.map((callback) => ({ what: "callback" as const, ...callback, error: null, failed: false })),
  ];
}
