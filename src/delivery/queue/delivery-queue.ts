import { type Selectable, sql } from "kysely";
import { rowsAs } from "../../store/bulk.ts";
import type { Database, Db, Tx } from "../../store/database.ts";
import { isAmong, isPostgres } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Schema } from "../../store/schema/schema.ts";

/** Milliseconds after which the claims of a crashed worker expire. */
export const leaseMilliseconds = 30_000;

export type Receiver = Pick<
  Selectable<Schema["webhooks"]>,
  "id" | "uri" | "secret" | "previous_secret" | "previous_secret_until"
>;

/** A delivery claimed by this worker, with everything needed to send it. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly webhook_id: number;
  readonly token: string;
  readonly event_id: number;
  readonly message_id: string;
  readonly type: string;
  readonly payload: string;
  /** Number of attempts made before. */
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

/** Returns those of the webhooks that are still active. */
export async function findReceivers(database: Database, ids: number[]): Promise<Receiver[]> {
  return withSecrets(database, await receiversById(database.reader, { ids }));
}

/** Returns the webhooks with due deliveries. */
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
      // The array is evaluated once. A planner may evaluate a plain sub-select again for each row, and lock other rows each
      // time.
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

export interface ClaimQuota {
  readonly webhook_id: number;
  /** Maximum number of deliveries to claim. */
  readonly most: number;
}

/**
 * Claims due deliveries, oldest first, up to the quota of each webhook. Until the lease ends no other worker can claim them;
 * a result only counts with the token.
 */
export async function claim(
  database: Database,
  quotas: readonly ClaimQuota[],
  { now, token }: { now: number; token: string },
): Promise<ClaimedDelivery[]> {
  const until = now + leaseMilliseconds;
  const claimed = await database.writeLocking(async (tx) => {
    const all = [];
    for (const { webhook_id, most } of quotas) {
      const rows = await claimFor(tx, { webhook: webhook_id, now, until, token, most });
      all.push({ webhook_id, rows });
    }
    return all;
  });
  const ids = new Set(claimed.flatMap(({ rows }) => rows.map((row) => row.event_id)));
  const events = new Map((await eventsById(database.reader, { ids: [...ids] })).map((event) => [event.id, event]));
  const jobs: ClaimedDelivery[] = [];
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

type Held = Pick<ClaimedDelivery, "id" | "token">;

/** Starts an update of the deliveries among `held` that this worker still holds. */
function stillHeld(db: Db, held: readonly Held[]) {
  const rows = held.map(({ id, token }) => ({ id, token }));
  return rowsAs(db, "held", { id: "bigint", token: "text" }, rows);
}

/** Renews leases. Returns the IDs of the deliveries that this worker still holds. */
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

/** Releases deliveries that were not tried, so that any worker can claim them at once. */
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

/** Outcome of a delivery. */
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

/** Writes the results of deliveries that this worker still holds, and returns their IDs. */
export async function settleDeliveries(tx: Tx, results: readonly Settled[]): Promise<Set<number>> {
  const { done = [], others = [] } = Object.groupBy(results, ({ state }) => (state === "done" ? "done" : "others"));
  const mine = await settleOthers(tx, others);
  // Most results of a claim are successes, which need no values of their own and take one statement.
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
