import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BlockList } from "node:net";
import { ServiceError } from "../contract/errors.ts";
import type { BodySource } from "./body.ts";
import { clientAddress, networkOf } from "./client-address.ts";

/** What a request log takes; pino has it. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Counts what was answered: the route as the contract writes it (`unmatched` for unknown paths), the time in seconds. */
export type Observe = (method: string, route: string, status: number, seconds: number) => void;

/** What all requests of one server share. */
export interface ServerState {
  readonly log: Log;
  readonly observe: Observe | undefined;
  /** Networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: BlockList | undefined;
  /** The header was seen although no proxy is trusted, and the log says so. */
  warnedOfProxy?: boolean;
  /** Where the service is served, without a slash at the end. */
  servedAt: string | undefined;
  /** Shutting down: every answer ends its connection. */
  closing: boolean;
}

/** What node-server hands over beside the request; in the process there is none. */
export interface SocketEnv {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

const saneId = /^[\w.:-]{1,128}$/;

/** One request and its one answer. */
export class Exchange implements BodySource {
  readonly request: Request;
  readonly incoming: IncomingMessage | undefined;
  readonly id: string;
  /** Of the client; a socket that is gone already has none. */
  readonly address: string | undefined;
  /** The user who asks, once known. */
  actor: number | null = null;
  /** `Dry-Run: true` was asked for. */
  dryRun = false;
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
    // Read now: a client that closes its socket at once would take it away.
    const peer = this.incoming?.socket.remoteAddress;
    this.address = clientAddress(peer, this.header("x-forwarded-for"), state.trustedProxies);
  }

  /** The address by which limits count. */
  get network(): string {
    return this.address === undefined ? "unknown" : networkOf(this.address);
  }

  /** A request header by its name in lower case. */
  header(name: string): string | undefined {
    if (!this.incoming) return this.request.headers.get(name) ?? undefined;
    const value = this.incoming.headers[name];
    return typeof value === "string" ? value : undefined;
  }

  invite(): void {
    if (this.header("expect") !== undefined) this.#outgoing?.writeContinue();
  }

  /** Answers with JSON text, with nothing, or with bytes, whose type `more` has to say. */
  respond(status: number, body: string | ReadableStream<Uint8Array> | null, more?: Record<string, string>): Response {
    const headers: Record<string, string> = {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": this.id,
    };
    if (body !== null) headers["content-type"] = "application/json";
    if (this.dryRun) headers["dry-run"] = "true";
    if (this.#state.closing) headers.connection = "close";
    for (const name in more) headers[name] = more[name]!;
    this.#record(status);
    return new Response(body, { status, headers });
  }

  /** Bytes on their way out. When they break off the connection does: nobody should take them for all. */
  async *sending(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      yield* parts;
    } catch (error) {
      const { id: request_id } = this;
      this.#state.log.error({ err: error, request_id, route: this.#route }, "the answer broke off");
      if (!this.#outgoing) throw error;
      this.#outgoing.destroy();
    }
  }

  /** Answers with an error; what is not a `ServiceError` is logged and stays in the log. */
  fail(error: unknown, more?: Record<string, string>): Response {
    const known = error instanceof ServiceError ? error : crash(error);
    if (known.status >= 500) {
      const { id: request_id } = this;
      this.#state.log.error({ err: known.cause ?? known, request_id, route: this.#route }, known.message);
    }
    return this.respond(known.status, errorBody(known, this.id), { ...this.#errorHeaders(known), ...more });
  }

  #errorHeaders(error: ServiceError): Record<string, string> {
    if (error.code === "unauthenticated") {
      const sent = this.header("authorization") !== undefined;
      return { "www-authenticate": sent ? 'Bearer error="invalid_token"' : "Bearer" };
    }
    const wait = error.retryAfter ?? (error.code === "unavailable" ? 5 : undefined);
    return wait === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(wait))) };
  }

  #record(status: number): void {
    const { method } = this.request;
    const ms = performance.now() - this.#started;
    const { id: request_id, address = null, actor } = this;
    this.#state.log.info(
      { method, route: this.#route, status, ms: Math.round(ms * 1000) / 1000, request_id, address, actor },
      "request",
    );
    this.#state.observe?.(method, this.#route, status, ms / 1000);
  }
}

/** The body of every error. */
export function errorBody(error: ServiceError, requestId: string): string {
  const { code, message, fields } = error;
  return JSON.stringify({ error: { code, message, request_id: requestId, ...(fields && { fields }) } });
}

/** An error as a whole HTTP message, for what never became a request; its connection ends with it. */
export function rawError(error: ServiceError, requestId: string, allow?: string): string {
  const body = errorBody(error, requestId);
  const lines = [
    `HTTP/1.1 ${error.status} ${error.code}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    `X-Request-Id: ${requestId}`,
    ...(allow ? [`Allow: ${allow}`] : []),
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function crash(cause: unknown): ServiceError {
  return new ServiceError("internal", "The service failed; its log has the details under this request ID.", { cause });
}
