/** Seconds from a failed attempt to the next: 10 attempts over 75 hours. */
const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const jitter = 0.1;
const longestRetryAfter = 86_400_000;

/** Seconds without a success after which a webhook is disabled. */
export const failingSecondsAllowed = 5 * 86_400;

export interface FailedAttempt {
  /** Number of attempts made, including the failed one. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly now: number;
  /** Milliseconds that the receiver asked for (RFC 9110, section 10.2.3). */
  readonly retryAfter?: number | undefined;
}

/**
 * Returns the time of the next attempt in Unix milliseconds: as scheduled, with a jitter of 10 %, but not before
 * Retry-After, which counts up to a day. Returns undefined after the last attempt.
 */
export function nextAttempt({ attempt, now, retryAfter = 0 }: FailedAttempt, random: () => number): number | undefined {
  const pause = pauses[attempt - 1];
  if (pause === undefined) return undefined;
  const scheduled = pause * 1000 * (1 - jitter + 2 * jitter * random());
  return Math.round(now + Math.max(scheduled, Math.min(retryAfter, longestRetryAfter)));
}
