import { randomUUID } from "node:crypto";
import { ServiceError } from "../contract/errors.ts";
import type { AnyOperation, ArgumentsOf, Caller, CallOptions, OutputOf } from "../contract/operation.ts";
import { answerOf } from "./answer.ts";
import { encode } from "./codec.ts";
import { isUnconnected, isUnreachable, unreachable } from "./failures.ts";
import { createTransport, type Message, type Transport } from "./transport.ts";

export interface ClientOptions {
  /** Where the service is; a slash or `/api` at the end changes nothing. */
  readonly url: string;
  readonly token?: string;
  readonly userAgent: string;
  /** Milliseconds that a call may take with all its repeats. Default 30 s. */
  readonly timeout?: number;
  /** Certificates (PEM) of authorities to trust instead of the known ones. */
  readonly ca?: string;
  /** Where HTTP_PROXY, HTTPS_PROXY and NO_PROXY are looked up. Default: the process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Told before each wait for another try. */
  readonly onRetry?: (attempt: { number: number; error: ServiceError; wait: number }) => void;
}

export interface RawOptions {
  readonly query?: string;
  /** Sent as it is; JSON unless the headers say otherwise. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Client extends Caller {
  /** Sends any request below `/api` once, and returns whatever is answered. Fails only if nothing is. */
  raw(method: string, path: string, options?: RawOptions): Promise<Message>;
}

const tries = 3;

/** A caller that asks a remote instance. Failures to reach it are `unavailable`, with a hint. */
export function createClient(options: ClientOptions): Client {
  const base = baseOf(options.url);
  const transport = createTransport(base, options);
  const common: Record<string, string> = { accept: "application/json", "user-agent": options.userAgent };
  if (options.token) common.authorization = `Bearer ${options.token}`;
  return {
    async call<O extends AnyOperation>(op: O, input: ArgumentsOf<O>, given: CallOptions = {}): Promise<OutputOf<O>> {
      const { path, query, body } = encode(op, input as Record<string, unknown>);
      const key = given.idempotencyKey ?? (mayRepeat(op) && op.method === "POST" ? randomUUID() : undefined);
      const headers = { ...common, ...(key && { "idempotency-key": key }), ...(given.dryRun && { "dry-run": "true" }) };
      const target = `${base.prefix}/api${path}${query && `?${query}`}`;
      const send = (ms: number) =>
        transport.send(op.method, target, { headers, body: body && JSON.stringify(body), timeout: ms, signal: given.signal });
      const answer = await persist(op, send, base.origin, options);
      if (given.dryRun && answer.headers["dry-run"] !== "true") throw notDry(base.origin);
      return answer.value as OutputOf<O>;
    },
    raw(method, path, { query, body, headers, signal } = {}) {
      const target = `${base.prefix}/api${below(path)}${query ? `?${query}` : ""}`;
      const type = body === undefined ? undefined : { "content-type": "application/json" };
      return transport.send(method, target, {
        headers: { ...common, ...type, ...headers },
        body,
        timeout: options.timeout ?? 30_000,
        signal,
      });
    },
    async close() {
      transport.close();
    },
  };
}
