import type { Agent, Dispatcher } from "undici";
import type { Settings } from "../contract/settings.ts";
import { isPublic } from "./addresses.ts";
import { guarded, type Resolve, sharedResolver, socketLookup } from "./guard.ts";
import { describeFailure } from "./outcome.ts";
import { parseRetryAfter } from "./schedule.ts";

/** Of a response at most this is read; then the connection is closed. */
const readBytes = 65_536;
/** Of a response's body this goes into the log, of its headers as much in all. */
const keptBytes = 4096;
/** Longer than any attempt: ends what nobody waits for. */
const connectMilliseconds = 60_000;

export interface Callback {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for everything, from looking up the name to the last byte of the answer. */
  readonly timeout: number;
  /** Cuts the attempt short. */
  readonly signal: AbortSignal;
}

export interface Answer {
  /** The HTTP status, or how it failed without one. */
  readonly status: string;
  readonly error: string | null;
  readonly duration: number;
  readonly retryAfter: number | undefined;
  readonly response: { headers: Record<string, string>; body: string; cut: boolean } | null;
}

export interface Sender {
  send(callback: Callback): Promise<Answer>;
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly settings: Pick<Settings, "webhooks.allow_private">;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  readonly clock: () => number;
}

/** Sends callbacks. The connections that it keeps open were let through by the settings that it was made with. */
export async function createSender({ settings, resolve, clock }: SenderOptions): Promise<Sender> {
  const undici = await import("undici");
  const open = settings["webhooks.allow_private"];
  const lookup = socketLookup(sharedResolver(resolve), open ? () => true : isPublic);
  const connect = undici.buildConnector({ lookup, allowH2: false, timeout: connectMilliseconds });
  const agent = new undici.Agent({
    connect: open ? connect : guarded(connect),
    // The time-out of the whole attempt is what counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
  return {
    send: (callback) => attempt(agent, callback, clock),
    close: () => agent.close(),
  };
}

/** One request on the bare dispatcher: what it does not have to do for streams and signals, it does not do. */
function attempt(
  agent: Agent,
  { url, headers, body, timeout, signal }: Callback,
  clock: () => number,
): Promise<Answer> {
  return new Promise((resolve) => {
    const began = performance.now();
    const kept: Buffer[] = [];
    let read = 0;
    let over = false;
    let controller: Dispatcher.DispatchController | undefined;
    let head: { status: number; headers: Headers } | undefined;

    const end = (outcome: Pick<Answer, "status" | "error" | "response" | "retryAfter">) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", cut);
      resolve({ ...outcome, duration: Math.round(performance.now() - began) });
    };
    const fail = (status: string, error: string) => {
      end({ status, error, response: null, retryAfter: undefined });
      // Closes the connection, whatever is still on its way there.
      controller?.abort(new Error(error));
    };
    const succeed = () => {
      const { status, headers } = head!;
      const good = status >= 200 && status < 300;
      end({
        status: String(status),
        error: good ? null : sentenceFor(status),
        retryAfter: good ? undefined : parseRetryAfter(single(headers["retry-after"]), clock()),
        response: { headers: keptHeaders(headers), body: textOf(kept), cut: read > keptBytes },
      });
    };
    const cut = () => fail("timeout", "The attempt was cut short, because the process that made it ended.");
    const late = () =>
      fail("timeout", `${head ? "The answer did not end" : "There was no answer"} within ${timeout / 1000} seconds.`);
    const timer = setTimeout(late, timeout);
    signal.addEventListener("abort", cut);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        if (over) started.abort(new Error("nobody waits for it any more"));
      },
      onResponseStart(_, status, headers) {
        // Those below 200 announce the answer.
        if (status >= 200) head = { status, headers };
      },
      onResponseData(_, chunk) {
        if (read < keptBytes) kept.push(chunk.subarray(0, keptBytes - read));
        read += chunk.length;
        if (read < readBytes || over) return;
        succeed();
        controller?.abort(new Error("the rest of the answer is not read"));
      },
      onResponseEnd: succeed,
      onResponseError(_, error) {
        if (over) return;
        const failure = describeFailure(error);
        end({ ...failure, response: null, retryAfter: undefined });
      },
    };
    try {
      const { origin, pathname, search } = new URL(url);
      agent.dispatch({ origin, path: pathname + search, method: "POST", headers, body }, handler);
    } catch (error) {
      fail("reset", describeFailure(error).error);
    }
  });
}

function sentenceFor(status: number): string {
  if (status === 410) return "The receiver is gone (410); the webhook is disabled.";
  if (status >= 300 && status < 400) return `Redirects are not followed (${status}).`;
  return `The receiver answered ${status}.`;
}

function textOf(chunks: readonly Buffer[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}

type Headers = Record<string, string | string[] | undefined>;

function keptHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {};
  let size = 0;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
    size += name.length + text.length;
    if (size > keptBytes) break;
    kept[name] = text;
  }
  return kept;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
