import { sleep } from "../../contract/abortable-sleep.ts";
import { ServiceError } from "../../contract/errors.ts";
import { phaseOf } from "./connection-errors.ts";

interface RepeatOptions {
  readonly method: string;
  /** True when the service keeps the answer to a POST, so that a repetition does nothing. */
  readonly replayable: boolean;
  readonly timeout: number;
  /** True once the service has answered. It may be restarting, so there are more attempts than for a URL that may be wrong. */
  readonly hasAnswered?: boolean;
  readonly signal?: AbortSignal;
  readonly now: () => number;
}

const tries = 3;
const triesAfterAnswer = 8;
const maxWait = 2000;

/** Repeats the request until there is an answer, as long as a repetition cannot do something twice. */
export async function repeatRequest<T>(options: RepeatOptions, ask: (left: number) => Promise<T>): Promise<T> {
  const { now } = options;
  const end = now() + options.timeout;
  const max = options.hasAnswered ? triesAfterAnswer : tries;
  for (let attempt = 1; ; attempt++) {
    const left = Math.max(1, end - now());
    try {
      return await ask(left);
    } catch (error) {
      const wait = error instanceof ServiceError && attempt < max ? waitFor(error, attempt, options) : undefined;
      if (wait === undefined || now() + wait >= end) throw error;
      await sleep(wait, options.signal);
      options.signal?.throwIfAborted();
    }
  }
}

/** Returns the milliseconds until the next attempt; undefined when there should be none. */
function waitFor(error: ServiceError, attempt: number, { method, replayable }: RepeatOptions): number | undefined {
  const isBusy = error.code === "too_many_requests" || error.code === "unavailable";
  // After a refusal, a POST is sent again only with a key, since the service does not say that it did nothing.
  const isResendable = replayable || method !== "POST";
  if (isBusy && error.retryAfter !== undefined) return isResendable ? error.retryAfter * 1000 : undefined;
  const phase = phaseOf(error);
  const isHarmless = phase === "connecting" || (phase === "talking" && (replayable || method === "GET"));
  return isHarmless ? Math.min(maxWait, 100 * 4 ** (attempt - 1)) * (0.75 + Math.random() / 2) : undefined;
}
