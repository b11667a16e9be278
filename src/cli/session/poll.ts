import { sleep } from "../../contract/abortable-sleep.ts";
import { ServiceError } from "../../contract/errors.ts";
import { PermanentError } from "../../http/client/permanent-error.ts";
import type { Globals } from "../terminal/global-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readDuration } from "../time/parse-time.ts";

const retryPause = 2000;
const maxWait = 25;

interface PollOptions {
  readonly signal?: AbortSignal;
  /** The time of `performance.now()` from which on an outage is an error. */
  readonly deadline?: number;
}

/** Yields the answers of `ask`. Waits while the service is unavailable, as during a restart, and reports that once. */
export async function* pollAnswers<T>(
  ask: () => Promise<T>,
  terminal: Terminal,
  { signal, deadline = Number.POSITIVE_INFINITY }: PollOptions = {},
): AsyncGenerator<T, never> {
  let lost = false;
  for (;;) {
    let answer: T;
    try {
      answer = await ask();
    } catch (error) {
      const left = deadline - performance.now();
      if (!isOutage(error) || left <= 0) throw error;
      if (!lost) terminal.note(`${error.message} Retrying until it is back.`);
      lost = true;
      await sleep(Math.min(left, Math.max(retryPause, (error.retryAfter ?? 0) * 1000)), signal);
      signal?.throwIfAborted();
      continue;
    }
    if (lost) terminal.note("The service is back.");
    lost = false;
    yield answer;
  }
}

export async function pollAnswer<T>(ask: () => Promise<T>, terminal: Terminal, options?: PollOptions): Promise<T> {
  const { value } = await pollAnswers(ask, terminal, options).next();
  return value;
}

/** Returns the seconds that a long poll may take: well below the request timeout. */
export function longPollSeconds({ timeout }: Globals): number {
  const max = timeout === undefined ? maxWait : Math.floor(readDuration(timeout, "--timeout") / 2);
  return Math.max(1, Math.min(max, maxWait));
}

function isOutage(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error instanceof PermanentError) return false;
  return error.code === "unavailable" || error.code === "too_many_requests";
}
