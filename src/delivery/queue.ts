import { type Selectable, sql } from "kysely";
import { rowsAs } from "../store/bulk.ts";
import type { Database, Db, Tx } from "../store/database.ts";
import { isAmong, isPostgres } from "../store/dialect.ts";
import { prepared } from "../store/prepared.ts";
import type { Schema } from "../store/schema.ts";

/** Milliseconds after which the claims of a worker that died are free. */
export const leaseMilliseconds = 30_000;

export type Receiver = Pick<
  Selectable<Schema["webhooks"]>,
  "id" | "uri" | "secret" | "previous_secret" | "previous_secret_until"
>;

/** A delivery that this worker has, with all that it takes to send it. */
export interface Job {
  readonly id: number;
  readonly webhook_id: number;
  readonly token: string;
  readonly event_id: number;
  readonly message_id: string;
  readonly type: string;
  readonly payload: string;
  /** Attempts made before. */
  readonly attempt: number;
  readonly single: 0 | 1;
}

const waiting = sql.lit<"waiting">("waiting");

function receivers(db: Db) {
  return db
    .selectFrom("webhooks as w")
    .select(["w.id", "w.uri", "w.secret", "w.previous_secret", "w.previous_secret_until"])
    .where("w.active", "=", 1);
}

const receiversById = prepared((db, p: { ids: number[] }) =>
  receivers(db).where((eb) => isAmong(db, eb.ref("w.id"), p.ids)),
);

const receiversDue = prepared((db, p: { now: number }) =>
  receivers(db).where((eb) =>
    eb.exists(
      eb
        .selectFrom("deliveries as d")
        .select("d.id")
        .whereRef("d.webhook_id", "=", "w.id")
        .where("d.state", "=", waiting)
        .where("d.due_at", "<=", p.now),
    ),
  ),
);

/** Those of the webhooks that are still active. */
export async function findReceivers(database: Database, ids: number[]): Promise<Receiver[]> {
  return withSecrets(database, await receiversById(database.reader, { ids }));
}

/** Webhooks for which something is due. */
export async function findReceiversDue(database: Database, now: number): Promise<Receiver[]> {
  return withSecrets(database, await receiversDue(database.reader, { now }));
}

function withSecrets({ secrets }: Database, receivers: readonly Receiver[]): Receiver[] {
  return receivers.map(({ secret, previous_secret: previous, ...receiver }) => ({
    ...receiver,
    secret: secrets.open(`webhooks.secret.${receiver.id}`, secret),
    previous_secret: previous && secrets.open(`webhooks.previous_secret.${receiver.id}`, previous),
  }));
}

const claimFor = prepared((db, p: { webhook: number; now: number; until: number; token: string; most: number }) => {
  const due = db
    .selectFrom("deliveries")
    .select("id")
    .where("webhook_id", "=", p.webhook)
    .where("state", "=", waiting)
    .where("due_at", "<=", p.now)
    .orderBy("due_at")
    .orderBy("id")
    .limit(p.most);
  return db
    .updateTable("deliveries")
    .set({ due_at: p.until, lease_token: p.token })
    .where((eb) =>
      // Evaluated once: a planner may ask a plain sub-select anew for each row, and it would lock others each time.
      isPostgres(db) ? sql<boolean>`id = any(array(${due.forUpdate().skipLocked()}))` : eb("id", "in", due),
    )
    .returning(["id", "event_id", "attempt", "single"]);
});

const eventsById = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom("webhook_events")
    .select(["id", "message_id", "type", "payload"])
    .where((eb) => isAmong(db, eb.ref("id"), p.ids)),
);

export interface Wish {
  readonly webhook_id: number;
  /** How many at most. */
  readonly most: number;
}

/**
 * Takes what is due, the oldest first, for each receiver as much as is wished. What is taken is nobody else's until the
 * lease ends; a result counts only with the token.
 */
export async function claim(
  database: Database,
  wishes: readonly Wish[],
  { now, token }: { now: number; token: string },
): Promise<Job[]> {
  const until = now + leaseMilliseconds;
  const claimed = await database.writeLocking(async (tx) => {
    const all = [];
    for (const { webhook_id, most } of wishes) {
      const rows = await claimFor(tx, { webhook: webhook_id, now, until, token, most });
      all.push({ webhook_id, rows });
    }
    return all;
  });
  const ids = new Set(claimed.flatMap(({ rows }) => rows.map((row) => row.event_id)));
  const events = new Map((await eventsById(database.reader, { ids: [...ids] })).map((event) => [event.id, event]));
  const jobs: Job[] = [];
  for (const { webhook_id, rows } of claimed) {
    for (const { id, event_id, attempt, single } of rows) {
      const event = events.get(event_id);
      if (event === undefined) continue;
      const { message_id, type, payload } = event;
      jobs.push({ id, webhook_id, token, event_id, message_id, type, payload, attempt, single });
    }
  }
  return jobs;
}

type Held = Pick<Job, "id" | "token">;

/** The deliveries among `held` that are still this worker's, to be changed. */
function stillHeld(db: Db, held: readonly Held[]) {
  const rows = held.map(({ id, token }) => ({ id, token }));
  return rowsAs(db, "held", { id: "bigint", token: "text" }, rows);
}

/** Prolongs leases. The IDs of those that are still this worker's. */
export async function extend(database: Database, held: readonly Held[], now: number): Promise<Set<number>> {
  const rows = await database.writeLocking(async (tx) => {
    const { rows } = await sql<{ id: number }>`update deliveries set due_at = ${now + leaseMilliseconds}
      from ${stillHeld(tx, held)}
      where deliveries.id = held.id and deliveries.lease_token = held.token and deliveries.state = ${waiting}
      returning deliveries.id`.execute(tx);
    return rows;
  });
  return new Set(rows.map((row) => row.id));
}

/** Gives back what was not tried, for anybody to take at once. */
export async function giveBack(database: Database, held: readonly Held[], now: number): Promise<void> {
  if (held.length === 0) return;
  await database.writeLocking((tx) =>
    sql`update deliveries set due_at = ${now}, lease_token = null
      from ${stillHeld(tx, held)}
      where deliveries.id = held.id and deliveries.lease_token = held.token and deliveries.state = ${waiting}`.execute(
      tx,
    ),
  );
  database.announce(["outbox"]);
}

/** What became of a delivery. */
export interface Settled extends Held {
  readonly state: "waiting" | "done" | "failed";
  readonly attempt: number;
  readonly due_at: number;
}

const succeed = prepared((db, p: { token: string; ids: number[] }) =>
  db
    .updateTable("deliveries")
    .set((eb) => ({ state: "done" as const, attempt: eb("attempt", "+", 1), lease_token: null }))
    .where((eb) => isAmong(db, eb.ref("id"), p.ids))
    .where("lease_token", "=", p.token)
    .where("state", "=", waiting)
    .returning("id"),
);

/** Writes results of deliveries that are still this worker's; the IDs of those. */
export async function settle(tx: Tx, results: readonly Settled[]): Promise<Set<number>> {
  const { done = [], others = [] } = Object.groupBy(results, ({ state }) => (state === "done" ? "done" : "others"));
  const mine = await settleOthers(tx, others);
  // Most are successes of one claim, and there is nothing to be said of each.
  for (const [token, those] of Map.groupBy(done, (result) => result.token)) {
    for (const { id } of await succeed(tx, { token, ids: those.map((result) => result.id) })) mine.add(id);
  }
  return mine;
}

async function settleOthers(tx: Tx, results: readonly Settled[]): Promise<Set<number>> {
  if (results.length === 0) return new Set();
  const rows = results.map(({ id, token, state, attempt, due_at }) => ({ id, token, state, attempt, due_at }));
  const types = { id: "bigint", token: "text", state: "text", attempt: "bigint", due_at: "bigint" } as const;
  const { rows: settled } = await sql<{ id: number }>`update deliveries
    set state = result.state, attempt = result.attempt, due_at = result.due_at, lease_token = null
    from ${rowsAs(tx, "result", types, rows)}
    where deliveries.id = result.id and deliveries.lease_token = result.token and deliveries.state = ${waiting}
    returning deliveries.id`.execute(tx);
  return new Set(settled.map((row) => row.id));
}
