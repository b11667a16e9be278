import { sql } from "kysely";
import type { Trigger } from "../contract/webhooks.ts";
import { insertRows } from "../store/bulk.ts";
import { isPostgres } from "../store/dialect.ts";
import { prepared } from "../store/prepared.ts";
import type { Ctx } from "./context.ts";
import { asAdministrator } from "./permissions.ts";
import { presentUnits } from "./unit-presentation.ts";
import { presentUsers } from "./user-presentation.ts";

export interface Change {
  readonly trigger: Trigger;
  readonly id: number;
  /** Of what is deleted: its full form. */
  readonly before?: object | undefined;
}

/** How long events go on being written for somebody who asked for them. */
export const listeningSeconds = 90;
/** Presented and written at a time, so that a change of very many takes little memory. */
const portion = 500;
const messageIdBytes = 18;
/** Names the lock by which events become visible in the order of their IDs. */
const orderLock = 0x77637365;

const wishes = prepared((db, p: { since: number }) =>
  db
    .selectFrom("webhooks")
    .select(["id", "triggers"])
    .where("active", "=", 1)
    .unionAll(
      db
        .selectFrom("event_listening")
        .select([sql.lit(0).as("id"), sql.lit("").as("triggers")])
        .where("polled_at", ">", p.since),
    ),
);

/**
 * Writes what changed as events, and who is to get them, in the transaction of the change: there is no moment in which
 * one is there without the other. Nothing is written that nobody wants.
 */
export async function writeEvents(ctx: Ctx, changes: readonly Change[]): Promise<void> {
  const rows = await wishes(ctx.db, { since: ctx.now - listeningSeconds });
  if (rows.length === 0) return;
  const listened = rows.some((row) => row.id === 0);
  const webhooks = rows
    .filter((row) => row.id !== 0)
    .map(({ id, triggers }) => ({ id, triggers: JSON.parse(triggers) }));
  const receivers = (trigger: Trigger) => webhooks.filter((each) => each.triggers.includes(trigger));
  const wanted = merged(changes).filter(({ trigger }) => listened || receivers(trigger).length > 0);
  if (wanted.length === 0) return;
  if (listened) await inOrder(ctx);
  for (let start = 0; start < wanted.length; start += portion) {
    const events = await present(ctx, wanted.slice(start, start + portion));
    const ids = await insertEvents(ctx, events);
    const deliveries = events.flatMap(({ type, message_id }) =>
      receivers(type).map(({ id }) => newDelivery(ctx, ids.get(message_id)!, id)),
    );
    await insertRows(ctx.db, "deliveries", deliveries);
  }
  ctx.announce("outbox", "webhook-events");
}

/** One change for each thing: what it amounts to over the whole transaction. */
function merged(changes: readonly Change[]): Change[] {
  const byThing = new Map<string, Change>();
  for (const change of changes) {
    const [kind, verb] = change.trigger.split(".");
    const thing = `${kind} ${change.id}`;
    if (verb !== "update" || !byThing.has(thing)) byThing.set(thing, change);
  }
  return [...byThing.values()];
}

interface Event {
  readonly type: Trigger;
  readonly message_id: string;
  readonly payload: string;
  readonly created_at: number;
}

async function present(ctx: Ctx, changes: readonly Change[]): Promise<Event[]> {
  const seen = asAdministrator(ctx);
  const idsOf = (kind: string) =>
    changes.filter((each) => each.trigger.startsWith(kind) && !each.before).map((each) => each.id);
  const users = new Map((await presentUsers(seen, idsOf("user."))).map((user) => [user.id, user]));
  const units = new Map((await presentUnits(seen, idsOf("unit."))).map((unit) => [unit.id, unit]));
  return changes.flatMap(({ trigger, id, before }) => {
    const data = before ?? (trigger.startsWith("user.") ? users.get(id) : units.get(id));
    return data === undefined ? [] : [newEvent(ctx, trigger, data)];
  });
}

/** An event with the body of its callback, which is kept as the text that is signed. */
export function newEvent<T extends string>({ now }: Ctx, type: T, data: object) {
  return {
    type,
    message_id: `msg_${process.getBuiltinModule("node:crypto").randomBytes(messageIdBytes).toString("base64url")}`,
    payload: JSON.stringify({ type, timestamp: new Date(now * 1000).toISOString(), data }),
    created_at: now,
  };
}

/** Puts events in; their IDs by message ID. */
export async function insertEvents(
  ctx: Ctx,
  events: readonly (Omit<Event, "type"> & { type: string })[],
): Promise<Map<string, number>> {
  const rows = events.map((event) => ({ ...event }));
  const made = await insertRows<{ id: number; message_id: string }>(ctx.db, "webhook_events", rows, "id, message_id");
  return new Map(made.map((row) => [row.message_id, row.id]));
}

/** A first attempt that is due at once. */
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

/**
 * Whoever reads on after an ID must not miss a lower one that is committed later: PostgreSQL numbers rows before it
 * commits them, SQLite has one writer anyway.
 */
async function inOrder({ db }: Ctx): Promise<void> {
  if (isPostgres(db)) await sql`select pg_advisory_xact_lock(${sql.lit(orderLock)})`.execute(db);
}
