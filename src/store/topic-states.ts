import { sql } from "kysely";
import type { Db } from "./database.ts";
import { prepared } from "./prepared.ts";
import type { Topic } from "./topics.ts";

const conversations = prepared((db, p: { ids: number[] }) =>
  db.selectFrom("conversations").select(["id", "last_position"]).where("id", "in", p.ids),
);
const users = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom("users")
    .select(["id", "active", "admin", "token_version"])
    // These change when a token is revoked or a session ends, so that a request that waits with it ends. IDs ascend, so equally
    // many others have a greater sum.
    .select(
      sql<string>`(select count(*) || ' ' || sum(t.id) from api_tokens t where t.user_id = users.id)`.as("tokens"),
    )
    .select(
      sql<string>`(select count(*) || ' ' || sum(s.id) from sessions s where s.user_id = users.id)`.as("sessions"),
    )
    .where("id", "in", p.ids),
);
const lastEvent = prepared((db) => db.selectFrom("webhook_events").select((eb) => eb.fn.max("id").as("id")));
const lastLog = prepared((db) => db.selectFrom("webhook_logs").select((eb) => eb.fn.max("id").as("id")));

/** Returns a text for each topic that differs after a change, by one query for each kind. `outbox` has no state. */
export async function readStates(db: Db, topics: readonly Topic[]): Promise<Map<Topic, string>> {
  const states = new Map<Topic, string>(topics.map((topic) => [topic, ""]));
  const idsOf = (kind: "conversation" | "user") =>
    topics.flatMap((topic) => (topic.startsWith(`${kind}:`) ? Number(topic.slice(kind.length + 1)) : []));
  const conversationIds = idsOf("conversation");
  if (conversationIds.length > 0) {
    for (const { id, last_position } of await conversations(db, { ids: conversationIds })) {
      states.set(`conversation:${id}`, String(last_position));
    }
  }
  const userIds = idsOf("user");
  if (userIds.length > 0) {
    for (const { id, ...state } of await users(db, { ids: userIds })) {
      states.set(`user:${id}`, Object.values(state).join(" "));
    }
  }
  if (states.has("webhook-events")) states.set("webhook-events", String((await lastEvent(db, {}))[0]?.id));
  if (states.has("webhook-logs")) states.set("webhook-logs", String((await lastLog(db, {}))[0]?.id));
  return states;
}
