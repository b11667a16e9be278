import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { maxTimerDelay } from "../../contract/abortable-sleep.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Base } from "./base-url.ts";
import { connectedTooLate, timedOut, unreachable } from "./connection-errors.ts";
import { PermanentError } from "./permanent-error.ts";

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Reply extends Omit<HttpResponse, "body"> {
  /** Fails when no data arrives within the request's timeout. */
  readonly body: AsyncIterable<Buffer>;
  end(): void;
}

interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeout: number;
  readonly signal?: AbortSignal;
  readonly onSent?: (sent: number, of: number) => void;
}

const maxAnswerBytes = 64 * 1024 * 1024;

/** Creates a transport to one service that keeps connections and uses the proxies of the environment. */
export function createTransport(base: Base, env: NodeJS.ProcessEnv, ca?: string) {
  let connector: ReturnType<typeof connect> | undefined;
  const ask = async <T>(method: string, target: string, options: SendOptions, take: Take<T>) => {
    options.signal?.throwIfAborted();
    connector ??= connect(base, env, ca);
    const { request, agent } = await connector;
    const { hostname, port } = base;
    // Node sends the body of a GET, HEAD or DELETE without a length, and the service would read it as another request.
    const length = options.body === undefined ? undefined : { "content-length": Buffer.byteLength(options.body) };
    const expect = (options.body?.length ?? 0) < large ? undefined : { expect: "100-continue" };
    const headers = { ...options.headers, ...length, ...expect };
    const make = () => request({ method, host: hostname, port, path: target, headers, agent });
    return exchange(make, base, options, take);
  };
  return {
    /** `target` is the escaped path with the query. Throws `unavailable` without a response. */
    send: (method: string, target: string, options: SendOptions): Promise<HttpResponse> =>
      ask(method, target, options, (response) => readWhole(replyOf(response, base, options), base.origin)),
    /** Returns the body as a stream. `timeout` applies to the headers and to each part of the body. */
    open: (method: string, target: string, options: SendOptions): Promise<Reply> =>
      ask(method, target, options, async (response) => replyOf(response, base, options)),
    close(): void {
      connector?.then(({ agent }) => agent.destroy()).catch(() => {});
    },
  };
}

/** Returns the request function and the agent for http or https. */
async function connect(base: Base, env: NodeJS.ProcessEnv, ca: string | undefined) {
  try {
    if (!base.secure) return { request, agent: new Agent({ keepAlive: true, proxyEnv: env }) };
    const { default: https } = await import("node:https");
    return { request: https.request, agent: new https.Agent({ keepAlive: true, proxyEnv: env, ca }) };
  } catch (error) {
    throw unreachable(error, base);
  }
}

/** Reads a response, within the timeout of the request. */
type Take<T> = (response: IncomingMessage) => Promise<T>;

function exchange<T>(make: () => ClientRequest, base: Base, options: SendOptions, take: Take<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = begin(make);
    const isConnected = watchConnection(request, base);
    const giveUp = () => stop((isConnected() ? timedOut : connectedTooLate)(base.origin, options.timeout));
    const late = setTimeout(giveUp, Math.min(options.timeout, maxTimerDelay));
    const abort = () => stop(options.signal?.reason);
    const settle = (done: () => void) => {
      clearTimeout(late);
      options.signal?.removeEventListener("abort", abort);
      done();
    };
    const stop = (reason: unknown) => {
      settle(() => reject(reason));
      request.destroy();
    };
    options.signal?.addEventListener("abort", abort);
    request.on("error", (error) => settle(() => reject(unreachable(error, base))));
    request.on("response", (response) => {
      take(response).then(
        (taken) => {
          settle(() => resolve(taken));
          // The service answered before it had the whole body, so the connection cannot be used again.
          if (!request.writableEnded) request.destroy();
        },
        (error) => stop(error),
      );
    });
    void sendBody(request, options);
  });
}

/** Returns a function that tells whether anything of the request may have been sent. */
function watchConnection(request: ClientRequest, { secure }: Base): () => boolean {
  let isConnected = false;
  const note = () => {
    isConnected = true;
  };
  request.once("socket", (socket) =>
    socket.connecting ? socket.once(secure ? "secureConnect" : "connect", note) : note(),
  );
  return () => isConnected;
}

/** Size in bytes from which a body waits for `100 Continue`, for at most `politeness` ms: some proxies do not pass it on. */
const large = 1_048_576;
const politeness = 3000;
const slice = 65_536;

/** Sends the body, a large one at the speed of the connection. The events of the request report errors. */
async function sendBody(request: ClientRequest, { body = "", onSent }: SendOptions): Promise<void> {
  if (body.length < large) {
    request.end(body);
    return;
  }
  request.flushHeaders();
  const late = AbortSignal.timeout(politeness);
  await once(request, "continue", { signal: late }).catch(() => {});
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length && !request.destroyed; at += slice) {
    onSent?.(at, bytes.length);
    if (!request.write(bytes.subarray(at, at + slice))) await once(request, "drain").catch(() => {});
  }
  if (request.destroyed) return;
  request.end();
  onSent?.(bytes.length, bytes.length);
}

/** Creates the request. Node throws for characters that a request line or header cannot hold. */
function begin(make: () => ClientRequest): ClientRequest {
  try {
    return make();
  } catch (cause) {
    throw new ServiceError(
      "bad_request",
      "The method, path or a header of the request contains characters that HTTP does not allow.",
      { cause },
    );
  }
}

export async function readWhole({ status, headers, body }: Reply, origin: string): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswerBytes) {
      throw new PermanentError("unavailable", `${origin} answered with more than ${maxAnswerBytes >> 20} MiB.`, {
        hint: "Request less at a time.",
      });
    }
    chunks.push(chunk);
  }
  return { status, headers, body: Buffer.concat(chunks) };
}

function replyOf(response: IncomingMessage, base: Base, { timeout, signal }: SendOptions): Reply {
  async function* body(): AsyncGenerator<Buffer, void> {
    const abort = () => response.destroy(signal?.reason);
    signal?.addEventListener("abort", abort);
    // The timeout only covers waiting for the service; the reader of the body may take any time.
    let late: NodeJS.Timeout | undefined;
    const wait = () => {
      late = setTimeout(() => response.destroy(timedOut(base.origin, timeout)), Math.min(timeout, maxTimerDelay));
    };
    try {
      wait();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        clearTimeout(late);
        yield chunk;
        wait();
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof ServiceError ? error : unreachable(error, base);
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
    }
  }
  return {
    status: response.statusCode ?? 0,
    headers: flat(response.headers),
    body: body(),
    end: () => response.destroy(),
  };
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}
