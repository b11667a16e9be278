import type { AttemptResult, Lease } from "./leased-queue.ts";

interface RetrySchedule {
  /** Seconds from a failed attempt to the next. */
  readonly pauses: readonly number[];
  /** Fraction by which a pause varies in both directions. */
  readonly jitter: number;
}

/** 10 attempts over 75 hours. */
export const callbackRetries: RetrySchedule = {
  pauses: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  jitter: 0.1,
};

/** 8 attempts over two days. */
export const mailRetries: RetrySchedule = { pauses: [30, 300, 1800, 7200, 21_600, 43_200, 86_400], jitter: 0 };

const maxRetryAfter = 86_400_000;

/** Maximum milliseconds between two attempts. */
export const maxPause = Math.max(
  maxRetryAfter,
  ...[callbackRetries, mailRetries].flatMap(({ pauses, jitter }) =>
    pauses.map((each) => Math.round(each * 1000 * (1 + jitter))),
  ),
);

export interface FailedAttempt extends Lease {
  /** Number of attempts made, including the failed one. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly now: number;
  /** Milliseconds that the receiver asked for (RFC 9110, section 10.2.3). */
  readonly retryAfter?: number | undefined;
  readonly permanent?: boolean;
}

/** Returns the scheduled next attempt, not before Retry-After, which counts up to a day; `failed` after the last one. */
export function failedAttempt(
  { pauses, jitter }: RetrySchedule,
  { id, token, attempt, now, retryAfter = 0, permanent = false }: FailedAttempt,
  random: () => number = Math.random,
): AttemptResult {
  const pause = permanent ? undefined : pauses[attempt - 1];
  if (pause === undefined) return { id, token, attempt, state: "failed", due_at: now };
  const scheduled = pause * 1000 * (1 - jitter + 2 * jitter * random());
  const due_at = Math.round(now + Math.max(scheduled, Math.min(retryAfter, maxRetryAfter)));
  return { id, token, attempt, state: "waiting", due_at };
}
