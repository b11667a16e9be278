/** Seconds from a failed attempt to the next: 10 attempts over 75 hours. */
const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const jitter = 0.1;
const longestRetryAfter = 86_400_000;

/** How long nothing but failures may come before a webhook is disabled, in seconds. */
export const failingSecondsAllowed = 5 * 86_400;

export interface Failure {
  /** Attempts made, the failed one included. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly now: number;
  /** Milliseconds that the receiver asked for (RFC 9110, section 10.2.3). */
  readonly retryAfter?: number | undefined;
}

/**
 * When to try again, in Unix milliseconds: as scheduled, give or take a tenth, but not before the receiver wants it, within a day.
 * Undefined after the last attempt.
 */
export function nextAttempt({ attempt, now, retryAfter = 0 }: Failure, random: () => number): number | undefined {
  const pause = pauses[attempt - 1];
  if (pause === undefined) return undefined;
  const scheduled = pause * 1000 * (1 - jitter + 2 * jitter * random());
  return Math.round(now + Math.max(scheduled, Math.min(retryAfter, longestRetryAfter)));
}

/** Milliseconds that a Retry-After header asks for: seconds, or an HTTP date. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
