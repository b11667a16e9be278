import type { Settings } from "../contract/settings.ts";
import { isPublic } from "./addresses.ts";
import { type Answer, Attempt } from "./attempt.ts";
import { guarded, type Resolve, sharedResolver, socketLookup } from "./guard.ts";

/** Longer than any attempt: ends what nobody waits for. */
const connectMilliseconds = 60_000;

export interface Callback {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for everything, from looking up the name to the last byte of the answer. */
  readonly timeout: number;
}

export interface Sender {
  /** Makes one attempt. Never fails: what went wrong is the answer. */
  send(callback: Callback): Promise<Answer>;
  /** Ends all attempts that are under way. */
  cut(): void;
  /** Ends the connections once nothing is under way. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly settings: Pick<Settings, "webhooks.allow_private">;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  readonly clock: () => number;
}

const places = new Map<string, { origin: string; path: string }>();

/** Where a URL leads; remembered, since there are few of them and many requests. */
function placeOf(url: string): { origin: string; path: string } {
  let place = places.get(url);
  if (place === undefined) {
    const { origin, pathname, search } = new URL(url);
    place = { origin, path: pathname + search };
    if (places.size >= 1000) places.clear();
    places.set(url, place);
  }
  return place;
}

/** Sends callbacks. The connections that it keeps open were let through by the settings that it was made with. */
export async function createSender({ settings, resolve, clock }: SenderOptions): Promise<Sender> {
  const { Agent, buildConnector } = await import("undici");
  const open = settings["webhooks.allow_private"];
  const lookup = socketLookup(sharedResolver(resolve), open ? () => true : isPublic);
  const connect = buildConnector({ lookup, allowH2: false, timeout: connectMilliseconds });
  const agent = new Agent({
    connect: open ? connect : guarded(connect),
    // The time-out of the whole attempt is what counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
  const running = new Set<Attempt>();
  const send = ({ url, headers, body, timeout }: Callback) =>
    new Promise<Answer>((resolve) => {
      const onEnd = (attempt: Attempt, answer: Answer) => {
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
    },
    close: () => agent.close(),
  };
}
