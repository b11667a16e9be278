import { setTimeout as sleep } from "node:timers/promises";
import { Semaphores } from "../../contract/semaphore.ts";
import type { Ctx, Instance } from "../pipeline/context.ts";
import {
  accountOfUser,
  type ReservedAttempt,
  reserve,
  type Subject,
  settle,
  tooManyAttempts,
} from "../pipeline/rate-limits.ts";

/** Milliseconds that an attempt waits for pending ones. */
const maxWait = 15_000;
/** Milliseconds between two tries to reserve a place. */
const pause = 20;
/** Maximum number of attempts that wait for the same limit in one process. */
const maxWaiting = 300;
/** Seconds after which a client may try again when too many attempts are pending. */
const busySeconds = 1;

/** Wrong passwords and codes of users who are signed in count together, apart from sign-ins. */
export const proofSubject = ({ actor }: Ctx): Subject => ({
  kind: "current_password",
  account: accountOfUser(actor.id),
});

interface Attempt<T> {
  readonly check: () => Promise<T>;
  /** Runs in the transaction that counts the result. */
  readonly settled?: (tx: Ctx, good: boolean) => Promise<unknown>;
}

/**
 * Checks a secret under rate limits, for which only failures count. Attempts that could exceed a limit together wait.
 * Throws `too_many_requests` at a limit, without checking the secret.
 */
export async function attempt<T extends { readonly good: boolean }>(
  ctx: Ctx,
  subject: Subject,
  { check, settled }: Attempt<T>,
): Promise<T> {
  const id = await waitForPlace(ctx, subject);
  const result = await check();
  const count = async (tx: Ctx) => {
    await settle(tx, subject, id, result.good);
    await settled?.(tx, result.good);
  };
  await ctx.transaction(count, { lasting: true, locking: true });
  return result;
}

async function waitForPlace(ctx: Ctx, subject: Subject): Promise<number> {
  const deadline = performance.now() + maxWait;
  let place = await reserveAlone(ctx, subject);
  while (place.id === undefined) {
    if (place.until > 0) throw tooManyAttempts(place.until - ctx.now);
    if (performance.now() >= deadline) throw tooManyAttempts(busySeconds);
    const { busy = "" } = place;
    place = await runAlone(ctx.instance, busy, () => poll(ctx, subject, { busy, deadline }));
  }
  return place.id;
}

/** Attempts from one network are serialized by the database anyway; here they wait without using a connection. */
function reserveAlone(ctx: Ctx, subject: Subject): Promise<ReservedAttempt> {
  const { kind, account, network = account } = subject;
  return runAlone(ctx.instance, `reserve ${kind} ${network}`, () => reserve(ctx, subject));
}

/** Retries until there is a free place, or until another limit than `busy` is the obstacle. */
async function poll(
  ctx: Ctx,
  subject: Subject,
  { busy, deadline }: { readonly busy: string; readonly deadline: number },
): Promise<ReservedAttempt> {
  for (;;) {
    const place = await reserveAlone(ctx, subject);
    if (place.busy !== busy || place.until > 0 || performance.now() >= deadline) return place;
    await sleep(pause);
  }
}

const queues = new Semaphores<string>(1, { maxWaiting, refusal: () => tooManyAttempts(busySeconds) });

/** Runs `work` after all earlier work with the same name, so that only the first of many callers queries the database. */
const runAlone = <T>({ issuer }: Instance, name: string, work: () => Promise<T>): Promise<T> =>
  queues.run(`${issuer} ${name}`, work);
