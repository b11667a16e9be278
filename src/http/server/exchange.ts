import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { BlockList } from "node:net";
import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import { loggedError } from "../../contract/logged-error.ts";
import type { Origin } from "../../contract/operation.ts";
import { formatRetryAfter } from "../../contract/retry-after.ts";
import { clientAddress, networkOf } from "./client-address.ts";

/** The request log; a pino logger fits. */
export interface ServerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Records a response: `route` as in the contract (`unmatched` for unknown paths), and the time in seconds. */
export type Observe = (method: string, route: string, status: number, seconds: number) => void;

export interface ServerState {
  readonly log: ServerLog;
  readonly observe: Observe | undefined;
  /** Networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: BlockList;
  /** True once the log has warned of the header although no proxy is trusted. */
  warnedOfProxy?: boolean;
  /** The address that `listen` took, as a URL without a trailing slash. */
  servedAt: string | undefined;
  /** True during shutdown: every response closes its connection. */
  closing: boolean;
}

/** Sockets from node-server; missing for a request that it cannot read. */
export interface SocketEnv {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

const crashed = "The service failed; its log has the details under this request ID.";
/** Routes that load balancers and monitoring request every second; responses 200 are logged for debugging only. */
const probes: readonly string[] = ["/healthz", "/readyz"];
/** Length above which a body is sent in portions: a chunk counts as read only when the client has read all of it. */
const maxWhole = 262_144;
const portion = 65_536;
const saneId = /^[\w.:-]{1,128}$/;

/** The getters must be those of a class: V8 keeps the shape of an object literal with one, and all that the getter reaches. */
export class Exchange implements Origin {
  readonly request: Request;
  readonly incoming: IncomingMessage | undefined;
  readonly id: string;
  /** Address of the client; undefined when its socket is already closed. */
  readonly address: string | undefined;
  token: string | undefined;
  idempotencyKey: string | undefined;
  dryRun = false;
  refused: FieldErrors | undefined;
  /** The service believes an origin that names its user, so a request must not. */
  declare readonly userId?: never;
  #actor: number | null = null;
  readonly #state: ServerState;
  readonly #route: string;
  readonly #outgoing: ServerResponse | undefined;
  readonly #started = performance.now();

  constructor(state: ServerState, route: string, request: Request, env: SocketEnv | undefined) {
    this.#state = state;
    this.#route = route;
    this.request = request;
    this.incoming = env?.incoming;
    this.#outgoing = env?.outgoing;
    const id = this.header("x-request-id");
    this.id = id !== undefined && saneId.test(id) ? id : randomUUID();
    // Read early, because a closed socket has no address.
    const peer = this.incoming?.socket.remoteAddress;
    this.address = clientAddress(peer, this.header("x-forwarded-for"), state.trustedProxies);
  }

  get network(): string {
    return this.address === undefined ? "unknown" : networkOf(this.address);
  }

  get userAgent(): string | undefined {
    return this.header("user-agent");
  }

  get servedAt(): string | undefined {
    return this.#state.servedAt;
  }

  /** Created on access: most operations finish before they could be aborted. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  onIdentified(userId: number): void {
    this.#actor = userId;
  }

  header(name: string): string | undefined {
    if (!this.incoming) return this.request.headers.get(name) ?? undefined;
    const value = this.incoming.headers[name];
    return typeof value === "string" ? value : undefined;
  }

  /** True when the client waits for `100 Continue` before it sends the body. */
  get isAwaited(): boolean {
    return this.header("expect") !== undefined;
  }

  invite(): void {
    if (this.isAwaited) this.#outgoing?.writeContinue();
  }

  /** Responds with JSON as text or bytes, without a body, or with other bytes, whose type must be in `more`. */
  respond(
    status: number,
    body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
    more?: Record<string, string>,
  ): Response {
    const headers: Record<string, string> = {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": this.id,
    };
    if (body !== null) headers["content-type"] = "application/json";
    if (this.dryRun) headers["dry-run"] = "true";
    if (this.#state.closing) headers.connection = "close";
    Object.assign(headers, more);
    this.#record(status);
    if (body === null || body instanceof ReadableStream || body.length <= maxWhole)
      return new Response(body, { status, headers });
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    headers["content-length"] = String(bytes.length);
    return new Response(ReadableStream.from(portionsOf(bytes)) as ReadableStream<Uint8Array>, { status, headers });
  }

  /** Closes the connection when a part of the body fails, so that no client takes the parts for the whole body. */
  async *sending(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      yield* parts;
    } catch (error) {
      this.#logError(error, "the answer broke off");
      if (!this.#outgoing) throw error;
      this.#outgoing.destroy();
    }
  }

  /** Responds with an error. An error that is not a `ServiceError` only appears in the log. */
  fail(error: unknown, more?: Record<string, string>): Response {
    const known = error instanceof ServiceError ? error : new ServiceError("internal", crashed, { cause: error });
    if (known.status >= 500) this.#logError(known, known.message);
    return this.refuse(known, more);
  }

  /** Responds with an error, without a log entry besides that of the request. */
  refuse(error: ServiceError, more?: Record<string, string>): Response {
    return this.respond(error.status, errorBody(error, this.id), { ...this.#errorHeaders(error), ...more });
  }

  #errorHeaders(error: ServiceError): Record<string, string> {
    if (error.status === 401) {
      const sent = this.header("authorization") !== undefined;
      return { "www-authenticate": sent ? 'Bearer error="invalid_token"' : "Bearer" };
    }
    // A hint, as about a wrong password of PostgreSQL, is a step without which a later attempt fails as well.
    const usual = error.hint === undefined ? 5 : 60;
    const wait = error.retryAfter ?? (error.code === "unavailable" ? usual : undefined);
    return wait === undefined ? {} : { "retry-after": formatRetryAfter(wait) };
  }

  #logError(error: unknown, message: string): void {
    this.#state.log.error({ ...loggedError(error), request_id: this.id, route: this.#route }, message);
  }

  #record(status: number): void {
    const { method } = this.request;
    const ms = performance.now() - this.#started;
    const { id: request_id, address = null } = this;
    const level = status === 200 && probes.includes(this.#route) ? "debug" : "info";
    this.#state.log[level](
      { method, route: this.#route, status, ms: Math.round(ms * 1000) / 1000, request_id, address, actor: this.#actor },
      "request",
    );
    this.#state.observe?.(method, this.#route, status, ms / 1000);
  }
}

function* portionsOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += portion) yield bytes.subarray(at, at + portion);
}

function errorBody(error: ServiceError, requestId: string): string {
  const { code, message, fields, issues } = error;
  return JSON.stringify({ error: { code, message, request_id: requestId, ...(fields && { fields, issues }) } });
}

/** Returns an error as a whole HTTP message, for connections without a valid request. The connection is closed. */
export function rawError(error: ServiceError, requestId: string, allow?: string): string {
  const body = errorBody(error, requestId);
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    `X-Request-Id: ${requestId}`,
    ...(allow ? [`Allow: ${allow}`] : []),
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
