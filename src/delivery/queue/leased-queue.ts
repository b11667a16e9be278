import { randomBytes } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { rowsAs } from "../../store/bulk.ts";
import type { Database, Tx } from "../../store/database.ts";
import { isAmong, isPostgres } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";

/** Milliseconds after which the claims of a crashed worker expire. */
export const leaseMilliseconds = 30_000;
/** Milliseconds before a result that could not be written is written again. */
export const recordPause = 500;

/** A claim of a row. Only results with the current token count. */
export interface Lease {
  readonly id: number;
  readonly token: string;
}

export interface ClaimQuota {
  readonly partition?: number;
  readonly max: number;
}

export interface AttemptResult extends Lease {
  readonly state: "waiting" | "done" | "failed";
  readonly attempt: number;
  /** Unix milliseconds of the next attempt; of this one, if it was the last. */
  readonly due_at: number;
}

interface QueueOptions<Row> {
  readonly table: "deliveries" | "mails";
  readonly columns: readonly (keyof Row & string)[];
  /** Column by which claims are limited. */
  readonly partition?: "webhook_id";
  /** Deletes rows that are done, which takes PostgreSQL a third of the time of changing them. */
  readonly deletesDone?: boolean;
}

const waiting = sql.lit("waiting");
const leaseTypes = { id: "bigint", token: "text" } as const;
const resultTypes = { ...leaseTypes, state: "text", attempt: "bigint", due_at: "bigint" } as const;

/** A table whose rows workers claim by leases, without a database lock between a claim and its result. */
export class LeasedQueue<Row extends { readonly id: number }> {
  readonly #table: RawBuilder<unknown>;
  readonly #claim;
  readonly #succeed;

  constructor({ table, columns, partition, deletesDone }: QueueOptions<Row>) {
    this.#table = sql.table(table);
    this.#claim = prepared((db, p: ClaimQuota & { now: number; until: number; token: string }) => {
      const part = partition === undefined ? sql`` : sql`${sql.ref(partition)} = ${p.partition} and`;
      const due = sql`select id from ${this.#table} where ${part} state = ${waiting} and due_at <= ${p.now}
        order by due_at, id limit ${p.max}`;
      // The array is evaluated once. A planner may evaluate a sub-select again for each row, and lock others.
      const among = isPostgres(db) ? sql`= any(array(${due} for update skip locked))` : sql`in (${due})`;
      return sql<Row>`update ${this.#table} set due_at = ${p.until}, lease_token = ${p.token} where id ${among}
        returning ${sql.join(columns.map((column) => sql.ref(column)))}`;
    });
    this.#succeed = prepared((_, p: { ids: number[]; token: string; now: number }) => {
      const end = deletesDone
        ? sql`delete from ${this.#table}`
        : sql`update ${this.#table} set state = 'done', attempt = attempt + 1, due_at = ${p.now}, lease_token = null`;
      return sql<Lease>`${end} where ${isAmong("id", p.ids)} and lease_token = ${p.token} and state = ${waiting}
        returning id`;
    });
  }

  /** Claims due rows, those that have been due for longest first, up to each quota. */
  async claim(database: Database, quotas: readonly ClaimQuota[], now: number): Promise<(Row & Lease)[]> {
    const token = randomBytes(12).toString("base64url");
    return database.writeLocking(async (tx) => {
      const claimed: (Row & Lease)[] = [];
      for (const quota of quotas) {
        const rows = await this.#claim(tx, { ...quota, now, until: now + leaseMilliseconds, token });
        for (const row of rows) claimed.push({ ...row, token });
      }
      return claimed;
    });
  }

  /** Renews leases. Returns the IDs of those that were not lost. */
  async renew(database: Database, leases: readonly Lease[], now: number): Promise<Set<number>> {
    const change = sql`due_at = ${now + leaseMilliseconds}`;
    return database.writeLocking((tx) => this.#update(tx, rowsAs(tx, "lease", leaseTypes, leases), change));
  }

  /** Ends leases of rows that were not tried, so that any worker can claim them at once. */
  async release(database: Database, leases: readonly Lease[], now: number): Promise<void> {
    if (leases.length === 0) return;
    const change = sql`due_at = ${now}, lease_token = null`;
    await database.writeLocking((tx) => this.#update(tx, rowsAs(tx, "lease", leaseTypes, leases), change));
    database.announce(["outbox"]);
  }

  /** Records results and ends the leases. Returns those whose leases were not lost; nothing else is changed. */
  async record<R extends AttemptResult>(tx: Tx, results: readonly R[]): Promise<Set<R>> {
    const recorded = new Set<R>();
    // A row that was claimed again can have two results at once; they differ in the token.
    for (const [token, those] of Map.groupBy(results, (result) => result.token)) {
      const { done, others } = Object.groupBy(those, ({ state }) => (state === "done" ? "done" : "others"));
      const current = new Set<number>();
      if (others !== undefined) {
        const change = sql`state = lease.state, attempt = lease.attempt, due_at = lease.due_at, lease_token = null`;
        for (const id of await this.#update(tx, rowsAs(tx, "lease", resultTypes, others), change)) current.add(id);
      }
      // Most results of a claim are successes, which need no values of their own and take one statement.
      if (done !== undefined) {
        const ids = done.map(({ id }) => id);
        // A group has at least one result.
        const now = done[0]!.due_at;
        for (const { id } of await this.#succeed(tx, { ids, token, now })) current.add(id);
      }
      for (const result of those) if (current.has(result.id)) recorded.add(result);
    }
    return recorded;
  }

  /** Changes the rows whose leases are in the table expression `lease` and were not lost. Returns their IDs. */
  async #update(tx: Tx, leases: RawBuilder<unknown>, change: RawBuilder<unknown>): Promise<Set<number>> {
    const own = this.#table;
    const { rows } = await sql<{ id: number }>`update ${own} set ${change} from ${leases}
      where ${own}.id = lease.id and ${own}.lease_token = lease.token and ${own}.state = ${waiting}
      returning ${own}.id`.execute(tx);
    return new Set(rows.map(({ id }) => id));
  }
}
