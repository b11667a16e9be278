import { ServiceError } from "../contract/errors.ts";
import type { Globals } from "./globals.ts";
import type { Terminal } from "./terminal.ts";
import { readDuration } from "./times.ts";

const retryPause = 2000;
const longestWait = 25;

/**
 * What `ask` answers, again and again, for as long as somebody takes it. While the service is away, as when it is
 * restarted, it waits and says so once.
 */
export async function* answersOf<T>(ask: () => Promise<T>, terminal: Terminal): AsyncGenerator<T, never> {
  let lost = false;
  for (;;) {
    let answer: T;
    try {
      answer = await ask();
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!lost) terminal.note(`${terminal.plain(error.message)} Trying again until it is back.`);
      lost = true;
      await sleep(Math.max(retryPause, (error.retryAfter ?? 0) * 1000));
      continue;
    }
    if (lost) terminal.note("The service is back.");
    lost = false;
    yield answer;
  }
}

/** What `ask` answers, once the service is there to answer it. */
export async function answerOf<T>(ask: () => Promise<T>, terminal: Terminal): Promise<T> {
  const { value } = await answersOf(ask, terminal).next();
  return value as T;
}

/** Seconds for which the service may hold an answer back: well below the time after which it would count as lost. */
export function patienceOf({ timeout }: Globals): number {
  const most = timeout === undefined ? longestWait : Math.floor(readDuration(timeout, "--timeout") / 2);
  return Math.max(1, Math.min(most, longestWait));
}

/** The service is away and may come back. */
function isOutage(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.code === "unavailable" || error.code === "too_many_requests");
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
