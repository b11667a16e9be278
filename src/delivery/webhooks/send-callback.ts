import { memoize } from "../../contract/bounded-map.ts";
import type { Settings } from "../../contract/settings.ts";
import { guarded, type Resolve, sharedResolver, socketLookup } from "../ssrf/guarded-lookup.ts";
import { isPublic } from "../ssrf/public-addresses.ts";
import { Attempt, type AttemptOutcome } from "./attempt.ts";

/** Longer than any attempt: ends connection attempts that outlive their callback. */
const connectMilliseconds = 60_000;

interface Callback {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for the whole attempt, from the lookup of the name to the last byte of the answer. */
  readonly timeout: number;
}

export type CallbackSender = Awaited<ReturnType<typeof createSender>>;

interface SenderOptions {
  readonly settings: Pick<Settings, "webhooks.allow_private">;
  readonly resolve?: Resolve | undefined;
  readonly clock: () => number;
}

/** Returns origin and path of a URL from a cache, since there are few URLs and many requests. */
const placeOf = memoize((url: string) => {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
});

/** Creates a sender of callbacks. Its open connections were checked against the settings at its creation. */
export async function createSender({ settings, resolve, clock }: SenderOptions) {
  const { Agent, buildConnector } = await import("undici");
  const open = settings["webhooks.allow_private"];
  const lookup = socketLookup(sharedResolver(resolve), open ? () => true : isPublic);
  const connect = buildConnector({ lookup, allowH2: false, timeout: connectMilliseconds });
  const agent = new Agent({
    connect: open ? connect : guarded(connect),
    // The attempt has a timeout of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
  const running = new Set<Attempt>();
  let ended: Promise<void> | undefined;
  /** Makes one attempt. Never rejects: the result describes a failure. */
  const send = ({ url, headers, body, timeout }: Callback) =>
    new Promise<AttemptOutcome>((resolve) => {
      const onEnd = (attempt: Attempt, answer: AttemptOutcome) => {
        running.delete(attempt);
        resolve(answer);
      };
      const attempt = new Attempt({ timeout, clock, onEnd });
      running.add(attempt);
      try {
        agent.dispatch({ ...placeOf(url), method: "POST", headers, body }, attempt);
      } catch (error) {
        attempt.onResponseError(undefined, error as Error);
      }
    });
  return {
    send,
    cut() {
      for (const attempt of running) attempt.cut();
      // A request that is still connecting cannot be aborted by its attempt.
      ended = agent.destroy();
    },
    /** Closes the connections once no attempt is running. */
    close: () => ended ?? agent.close(),
  };
}
