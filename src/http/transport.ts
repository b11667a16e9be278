import { once } from "node:events";
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { ServiceError } from "../contract/errors.ts";
import type { Base } from "./base.ts";
import { unreachable } from "./failures.ts";

export interface Message {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** An answer whose body is still to come. */
export interface Reply extends Omit<Message, "body"> {
  /** Fails when nothing comes for as long as the request could have taken. */
  readonly body: AsyncIterable<Buffer>;
  /** Does without the rest. */
  end(): void;
}

export interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Told how many bytes of the body have gone, and of how many. */
  readonly onSent?: ((sent: number, of: number) => void) | undefined;
}

export interface Transport {
  /** One request and its answer; `target` is path and query, escaped. Without an answer it fails as `unavailable`. */
  send(method: string, target: string, options: SendOptions): Promise<Message>;
  /** Likewise, but the body of the answer comes as it is read. `timeout` is for its head, and for each part. */
  open(method: string, target: string, options: SendOptions): Promise<Reply>;
  close(): void;
}

/** The connection's half of a `Transport`: http or https. */
interface Connector {
  readonly request: (options: RequestOptions) => ClientRequest;
  readonly agent: http.Agent;
}

const largest = 64 * 1024 * 1024;

/** Sends requests to one service over connections that are kept, through the proxies that the environment names. */
export function createTransport(base: Base, env: NodeJS.ProcessEnv, ca?: string): Transport {
  let connector: Promise<Connector> | undefined;
  const ask = async <T>(method: string, target: string, options: SendOptions, take: Take<T>) => {
    options.signal?.throwIfAborted();
    connector ??= connect(base, env, ca);
    const { request, agent } = await connector;
    const { hostname, port } = base;
    // Node gives the body of a GET, HEAD or DELETE no length: the service would take it for another request.
    const length = options.body === undefined ? undefined : { "content-length": Buffer.byteLength(options.body) };
    const expect = (options.body?.length ?? 0) < large ? undefined : { expect: "100-continue" };
    const headers = { ...options.headers, ...length, ...expect };
    const make = () => request({ method, host: hostname, port, path: target, headers, agent });
    return exchange(make, base, options, take);
  };
  return {
    send: (method, target, options) =>
      ask(method, target, options, (response) => whole(replyOf(response, base, options), base.origin)),
    open: (method, target, options) =>
      ask(method, target, options, async (response) => replyOf(response, base, options)),
    close() {
      connector?.then(
        ({ agent }) => agent.destroy(),
        () => {},
      );
    },
  };
}

async function connect(base: Base, env: NodeJS.ProcessEnv, ca: string | undefined): Promise<Connector> {
  try {
    if (!base.secure) return { request: http.request, agent: new http.Agent({ keepAlive: true, proxyEnv: env }) };
    const { createAgent, request } = await import("./secure.ts");
    return { request, agent: createAgent(env, ca) };
  } catch (error) {
    throw unreachable(error, base);
  }
}

/** What becomes of a response, within the time that the request may take. */
type Take<T> = (response: IncomingMessage) => Promise<T>;

function exchange<T>(make: () => ClientRequest, base: Base, options: SendOptions, take: Take<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = begin(make);
    const late = setTimeout(() => stop(timedOut(base.origin, options.timeout)), options.timeout);
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
          // Whoever has not sent all of the body is answered, and the connection good for nothing more.
          if (!request.writableEnded) request.destroy();
        },
        (error) => stop(error),
      );
    });
    void sendBody(request, options);
  });
}

/** Bytes; a larger body waits until the service asks for it, or for so many milliseconds: not all that lies between passes it on. */
const large = 1_048_576;
const politeness = 3000;
const slice = 65_536;

/** Sends the body, a large one as fast as it is taken and no faster. What goes wrong is told by the events of the request. */
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

/** Node refuses characters that a request line or header cannot hold. */
function begin(make: () => ClientRequest): ClientRequest {
  try {
    return make();
  } catch (cause) {
    throw new ServiceError(
      "bad_request",
      "The method, path or a header of the request holds what HTTP does not allow.",
      { cause },
    );
  }
}

/** A reply with all of its body. */
export async function whole({ status, headers, body, end }: Reply, origin: string): Promise<Message> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largest) break;
    chunks.push(chunk);
  }
  if (size > largest) {
    end();
    throw new ServiceError("unavailable", `${origin} answered with more than ${largest >> 20} MiB.`, {
      hint: "Ask for less at a time.",
    });
  }
  return { status, headers, body: Buffer.concat(chunks) };
}

function replyOf(response: IncomingMessage, base: Base, { timeout, signal }: SendOptions): Reply {
  async function* body(): AsyncGenerator<Buffer, void> {
    const abort = () => response.destroy(signal?.reason);
    signal?.addEventListener("abort", abort);
    // Counts only while we wait: whoever reads may take as long as he likes.
    let late: NodeJS.Timeout | undefined;
    const wait = () => {
      late = setTimeout(() => response.destroy(timedOut(base.origin, timeout)), timeout);
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

function flat(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function timedOut(origin: string, ms: number): ServiceError {
  return new ServiceError("unavailable", `${origin} did not answer within ${Math.round(ms / 100) / 10} s.`, {
    hint: "Try again later, or allow more time.",
  });
}
