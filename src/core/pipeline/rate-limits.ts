import type { ExpressionBuilder } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import { deleteRows, insertRow, insertRows } from "../../store/bulk.ts";
import { isPostgres, waitForTurn } from "../../store/dialect.ts";
import type { Schema } from "../../store/schema/schema.ts";
import type { Ctx } from "./context.ts";

/** The account and network that a rate limit of this `kind` counts by. */
export interface Subject {
  readonly kind: Schema["rate_limit_events"]["kind"];
  readonly account: string;
  /** Undefined when the core is embedded: limits by network alone do not apply then. */
  readonly network?: string | undefined;
}

interface RateLimits {
  readonly seconds: number;
  readonly limits: readonly { readonly by: readonly ("account" | "network")[]; readonly max: number }[];
}

/** Maximum number of welcome mails to one address in an hour. */
export const maxWelcomeMails = 5;

/** Maximum number of notices about one kind of change to one address in an hour. */
const maxNotices = 5;

const rateLimits: Record<Subject["kind"], RateLimits> = {
  sign_in: {
    seconds: 900,
    limits: [
      { by: ["account", "network"], max: 10 },
      { by: ["account"], max: 100 },
      { by: ["network"], max: 30 },
    ],
  },
  one_time_code: { seconds: 3600, limits: [{ by: ["account"], max: 20 }] },
  current_password: { seconds: 900, limits: [{ by: ["account"], max: 10 }] },
  data_export: { seconds: 3600, limits: [{ by: ["account"], max: 60 }] },
  password_request: {
    seconds: 3600,
    limits: [
      { by: ["account"], max: 5 },
      { by: ["network"], max: 30 },
    ],
  },
  account_notice: { seconds: 3600, limits: [{ by: ["account"], max: maxNotices }] },
  welcome_mail: { seconds: 3600, limits: [{ by: ["account"], max: maxWelcomeMails }] },
  welcome_sender: { seconds: 3600, limits: [{ by: ["account"], max: 10_000 }] },
  // Chunks of 255 KiB: 2.4 GiB.
  upload: { seconds: 86_400, limits: [{ by: ["account"], max: 10_000 }] },
};

/** Seconds after which a pending attempt stops counting, in case its process has ended. */
const pendingSeconds = 30;
const portion = 100;
/** Maximum difference between the clocks of several servers, in seconds. */
const clockTolerance = 60;

/** Returns the name under which an account is counted. An unknown one may be a password, so it is only a keyed hash. */
export function accountOf({ instance }: Ctx, typed: string, user?: { readonly id: number }): string {
  const { createHmac } = process.getBuiltinModule("node:crypto");
  const hash = createHmac("sha256", instance.tokenKey).update(typed).digest("base64url");
  return user === undefined ? `unknown:${hash}` : accountOfUser(user.id);
}

export const accountOfUser = (id: number): string => `user:${id}`;

/** Counts an event and returns true, unless a limit is reached or `isWanted` is false. The duration reveals nothing. */
export async function countEvent(ctx: Ctx, subject: Subject, isWanted = true): Promise<boolean> {
  await lock(ctx, subject);
  await removeExpiredEvents(ctx);
  const { until } = await checkLimits(ctx, subject);
  const counts = isWanted && until === 0;
  const { seconds } = rateLimits[subject.kind];
  await insert(ctx, subject, { pending: 0, expires_at: counts ? ctx.now + seconds : ctx.now });
  return counts;
}

/** Counts a notice to each of these different addresses that is below the limit; returns true for the last one before it. Takes no lock. */
export async function countNotices(
  ctx: Ctx,
  change: string,
  addresses: readonly string[],
): Promise<Map<string, boolean>> {
  const kind = "account_notice";
  const accounts = new Map(addresses.map((address) => [address, accountOf(ctx, `${change} ${address}`)]));
  const before = await countByAccount(ctx, kind, [...accounts.values()]);
  const left = (account: string) => maxNotices - (before.get(account)?.count ?? 0);
  const counted = [...accounts].filter(([, account]) => left(account) > 0);
  const events = counted.map(([, account]) => ({ kind, account }) as const);
  await recordEvents(ctx, events);
  return new Map(counted.map(([address, account]) => [address, left(account) === 1]));
}

/** Returns the number of events of each account that has any, and the time at which the first of them expires. */
export async function countByAccount(ctx: Ctx, kind: Subject["kind"], accounts: readonly string[]) {
  const rows = await ctx.db
    .selectFrom("rate_limit_events")
    .select(({ fn }) => ["account", fn.countAll<number>().as("count"), fn.min("expires_at").as("until")])
    .where("kind", "=", kind)
    .where("account", "in", accounts)
    .where(countsNow(ctx, kind))
    .groupBy("account")
    .execute();
  return new Map(rows.map(({ account, ...counted }) => [account, counted]));
}

/** Throws `too_many_requests` with this message when `count` more events would exceed a limit. */
export async function requireBelowLimits(ctx: Ctx, subject: Subject, count: number, message: string): Promise<void> {
  const { until } = await checkLimits(ctx, subject, count);
  if (until > 0) throw new ServiceError("too_many_requests", message, { retryAfter: until - ctx.now });
}

/** Records events, which count from now on, without a check of limits. */
export async function recordEvents(
  { db, now }: Ctx,
  events: readonly Pick<Subject, "kind" | "account">[],
): Promise<void> {
  const rows = events.map(({ kind, account }) => {
    return { kind, account, network: "", pending: 0, expires_at: now + rateLimits[kind].seconds };
  });
  await insertRows(db, "rate_limit_events", rows);
}

/** The ID of a reserved place. Without it, `until` is the time until which a limit applies, or `busy` names one that pending attempts use up. */
export interface ReservedAttempt {
  readonly id?: number;
  readonly until: number;
  readonly busy: string | undefined;
}

/** Reserves a place for an attempt, so that simultaneous attempts cannot exceed the limits together. */
export function reserve(ctx: Ctx, subject: Subject): Promise<ReservedAttempt> {
  const work = async (tx: Ctx): Promise<ReservedAttempt> => {
    await lock(tx, subject);
    const place = await checkLimits(tx, subject);
    if (place.until > 0 || place.busy !== undefined) return place;
    return { ...place, id: await insert(tx, subject, { pending: 1, expires_at: tx.now + pendingSeconds }) };
  };
  return ctx.transaction(work, { lasting: true, locking: true });
}

/** Ends a reservation: a failure counts from now on; a success deletes the account's failures from that network. */
export async function settle(tx: Ctx, subject: Subject, id: number, good: boolean): Promise<void> {
  await removeExpiredEvents(tx);
  await deleteRows(tx.db, "rate_limit_events", { id });
  const { kind, account, network } = subject;
  const { seconds } = rateLimits[kind];
  if (good) await deleteRows(tx.db, "rate_limit_events", { account, pending: 0, kind, network: network ?? "" });
  else await insert(tx, subject, { pending: 0, expires_at: tx.now + seconds });
}

export const forgetFailures = ({ db }: Ctx, user: number, ...kind: Subject["kind"][]): Promise<unknown> =>
  deleteRows(db, "rate_limit_events", { account: accountOfUser(user), pending: 0, kind });

export const forgetAccount = ({ db }: Ctx, user: number): Promise<unknown> =>
  deleteRows(db, "rate_limit_events", { account: accountOfUser(user) });

export function tooManyAttempts(retryAfter: number): ServiceError {
  return new ServiceError("too_many_requests", "There were too many attempts; try again later.", { retryAfter });
}

const insert = (
  { db }: Ctx,
  { kind, account, network = "" }: Subject,
  state: { readonly pending: 0 | 1; readonly expires_at: number },
): Promise<number> => insertRow(db, "rate_limit_events", { kind, account, network, ...state });

/** Waits for transactions that count for the same account or network. The order is fixed, which prevents deadlocks. */
async function lock({ db }: Ctx, { kind, account, network }: Subject): Promise<void> {
  await waitForTurn(db, `${kind} account ${account}`);
  if (network !== undefined) await waitForTurn(db, `${kind} network ${network}`);
}

/** Deletes some events that count no longer. */
export async function removeExpiredEvents({ db, now }: Ctx): Promise<void> {
  const expired = db
    .selectFrom("rate_limit_events")
    .select("id")
    .where("expires_at", "<=", now)
    .orderBy("expires_at")
    .limit(portion);
  await db
    .deleteFrom("rate_limit_events")
    .where("id", "in", isPostgres(db) ? expired.forUpdate().skipLocked() : expired)
    .execute();
}

/** Selects the events that count. Those that expire too late were written before the clock was set back. */
function countsNow({ now }: Ctx, kind: Subject["kind"]) {
  const latest = now + rateLimits[kind].seconds + clockTolerance;
  return (eb: ExpressionBuilder<Schema, "rate_limit_events">) => eb.between("expires_at", now + 1, latest);
}

/** Checks each limit: finds the event that has to expire or be settled before `count` more are allowed. */
async function checkLimits(ctx: Ctx, subject: Subject, count = 1): Promise<ReservedAttempt> {
  const { kind, account, network } = subject;
  let until = 0;
  let busy: string | undefined;
  for (const { by, max } of rateLimits[kind].limits) {
    if (network === undefined && !by.includes("account")) continue;
    const values = { account, network: network ?? "" };
    let query = ctx.db
      .selectFrom("rate_limit_events")
      .select(["pending", "expires_at"])
      .where("kind", "=", kind)
      .where(countsNow(ctx, kind))
      .orderBy("pending")
      .orderBy("expires_at", "desc")
      .offset(max - count)
      .limit(1);
    for (const column of by) query = query.where(column, "=", values[column]);
    const last = await query.executeTakeFirst();
    if (last?.pending === 1) busy = [kind, ...by.map((column) => `${column} ${values[column]}`)].join(" ");
    else if (last) until = Math.max(until, last.expires_at);
  }
  return { until, busy };
}
