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
    send: (callback) => attempt(undici.request, agent, callback, clock),
    close: () => agent.close(),
  };
}

async function attempt(
  request: typeof import("undici").request,
  dispatcher: Agent,
  { url, headers, body, timeout, signal }: Callback,
  clock: () => number,
): Promise<Answer> {
  const began = performance.now();
  const timer = new AbortController();
  const timeouts = setTimeout(() => timer.abort(), timeout);
  let answered: Dispatcher.ResponseData | undefined;
  const done = (rest: Omit<Answer, "duration">): Answer => ({
    ...rest,
    duration: Math.round(performance.now() - began),
  });
  try {
    const either = AbortSignal.any([signal, timer.signal]);
    answered = await request(url, { dispatcher, method: "POST", headers, body, signal: either });
    const { statusCode } = answered;
    const good = statusCode >= 200 && statusCode < 300;
    return done({
      status: String(statusCode),
      error: good ? null : sentenceFor(statusCode),
      retryAfter: good ? undefined : parseRetryAfter(single(answered.headers["retry-after"]), clock()),
      response: { headers: keptHeaders(answered.headers), ...(await readBody(answered.body)) },
    });
  } catch (error) {
    answered?.body.on("error", () => {}).destroy();
    const cut = signal.aborted ? "The attempt was cut short, because the process that made it ended." : undefined;
    const late = `${answered ? "The answer did not end" : "There was no answer"} within ${timeout / 1000} seconds.`;
    const aborted = timer.signal.aborted || signal.aborted;
    const failure = aborted ? { status: "timeout", error: cut ?? late } : describeFailure(error);
    return done({ ...failure, retryAfter: undefined, response: null });
  } finally {
    clearTimeout(timeouts);
  }
}

function sentenceFor(status: number): string {
  if (status === 410) return "The receiver is gone (410); the webhook is disabled.";
  if (status >= 300 && status < 400) return `Redirects are not followed (${status}).`;
  return `The receiver answered ${status}.`;
}

/** Reads what there is, within bounds; a longer answer is left, and its connection with it. */
async function readBody(body: Dispatcher.ResponseData["body"]): Promise<{ body: string; cut: boolean }> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (read < keptBytes) kept.push(chunk.subarray(0, keptBytes - read));
    read += chunk.length;
    // Leaving the loop closes the connection.
    if (read >= readBytes) break;
  }
  return { body: new TextDecoder().decode(Buffer.concat(kept)), cut: read > keptBytes };
}

function keptHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
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
