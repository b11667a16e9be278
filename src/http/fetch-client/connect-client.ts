import { ServiceError } from "../../contract/errors.ts";
import { type Base, baseOf } from "../client/base-url.ts";
import { bearer } from "../client/bearer-header.ts";
import { failUnsure, timedOut, unreachable } from "../client/connection-errors.ts";
import { nextPageInput } from "../client/next-page.ts";
import { readResponse } from "../client/read-answer.ts";
import { repeatRequest } from "../client/repeat-request.ts";
import { encodeRequest } from "../encode-request.ts";
import { renameFields } from "../rename-fields.ts";
import type { CallOptions, ConnectOptions } from "./client-types.ts";
import type { OperationRow } from "./operation-rows.ts";
import { createTokenSource } from "./token-source.ts";

type Input = Readonly<Record<string, unknown>>;

/** Calls operations that are known as plain data, over `fetch`, in Node and in browsers. */
class ApiConnection {
  readonly #options: ConnectOptions;
  readonly #base: Base;
  readonly #tokens: ReturnType<typeof createTokenSource>;

  constructor(options: ConnectOptions, renewal: OperationRow) {
    this.#options = options;
    this.#base = baseOf(options.url);
    this.#tokens = createTokenSource(options, async (token) => {
      const [{ jwt }] = (await this.#request(renewal, {}, {}, token)) as [{ jwt: string }];
      return jwt;
    });
  }

  /** Calls an operation, a second time when its token was refused and there is another one. */
  async call(row: OperationRow, input: Input = {}, options: CallOptions = {}): Promise<unknown> {
    const key = row.replayable ? (options.idempotencyKey ?? randomKey()) : options.idempotencyKey;
    const given = key === undefined ? options : { ...options, idempotencyKey: key };
    const token = row.public ? undefined : await this.#tokens.current();
    try {
      return await this.#request(row, input, given, token);
    } catch (error) {
      if (row.public || !(error instanceof ServiceError) || error.code !== "unauthenticated") throw error;
      const other = await this.#tokens.replace(token);
      if (other === undefined) throw error;
      return this.#request(row, input, given, other);
    }
  }

  async *all(row: OperationRow, input: Input = {}, options: CallOptions = {}): AsyncGenerator<unknown> {
    for (let next: Input | undefined = input; next !== undefined; ) {
      const response = (await this.call(row, next, options)) as Readonly<Record<string, readonly unknown[]>>;
      yield* response[row.items ?? ""] ?? [];
      next = nextPageInput(row.paging, next, response);
    }
  }

  async #request(row: OperationRow, input: Input, options: CallOptions, token: string | undefined): Promise<unknown> {
    const { path, query, body } = encodeRequest(row, input, (name) => row.textLists?.includes(name) ?? false);
    const { signal, idempotencyKey } = options;
    const dryRun = options.dryRun === true && row.method !== "GET";
    const headers = {
      accept: row.bytes ? "*/*" : "application/json",
      ...(token !== undefined && bearer(token)),
      ...(body && { "content-type": "application/json" }),
      ...(row.method === "POST" && idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(dryRun && { "dry-run": "true" }),
    };
    const target = `${this.#base.prefix}/api${path}${query && `?${query}`}`;
    const { timeout = 30_000 } = this.#options;
    const { method, replayable = false } = row;
    const request = { method, headers, body: body && JSON.stringify(body) };
    const isChange = !dryRun && (method === "POST" ? replayable : method !== "GET");
    const repeating = { method, replayable, timeout, signal, now: () => performance.now() };
    return repeatRequest(repeating, (left) =>
      this.#send(target, request, left, signal, (response) => this.#read(row, response, dryRun)),
    ).catch((error) => (isChange ? failUnsure(error) : Promise.reject(error)));
  }

  /** Throws `unavailable` without a response, and the reason of an abort. */
  async #send<T>(
    target: string,
    request: RequestInit,
    timeout: number,
    signal: AbortSignal | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { fetch: send = globalThis.fetch } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(timedOut(this.#base.origin, timeout)), timeout);
    try {
      const response = await send(this.#base.origin + target, {
        ...request,
        signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
        redirect: "manual",
        credentials: "omit",
        cache: "no-store",
      });
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (late.signal.aborted) throw late.signal.reason;
      throw error instanceof ServiceError ? error : unreachable(reasonOf(error), this.#base);
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(row: OperationRow, response: Response, dryRun: boolean): Promise<unknown> {
    if (row.bytes && response.ok) return response;
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    try {
      return readResponse({ status, headers, body: await response.text() }, this.#base.origin, row, dryRun);
    } catch (error) {
      throw renameFields(error, new Map(Object.entries(row.fieldNames ?? {})));
    }
  }
}

/** Returns the error that has the code. Node's fetch wraps it; browsers do not tell why, so the request may have arrived. */
function reasonOf(error: unknown): unknown {
  const reason = (error as Error).cause ?? error;
  return (reason as { code?: unknown }).code === undefined ? { code: "UNEXPLAINED", cause: reason } : reason;
}

/** Returns a random key. Browsers have `crypto.randomUUID` on secure pages only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Call = (input?: Input, options?: CallOptions) => Promise<unknown>;

/** Returns an object with a method for each operation: `client.users.get({ id })`. The package declares its types. */
export function connectClient(rows: readonly OperationRow[], options: ConnectOptions): Record<string, object> {
  const renewal = rows.find(({ name }) => name === "auth.renew");
  if (renewal === undefined) throw new Error("The operation auth.renew is missing.");
  const connection = new ApiConnection(options, renewal);
  const client: Record<string, Record<string, Call>> = {};
  for (const row of rows) {
    const [group = "", verb = ""] = row.name.split(".");
    const call: Call = (input, given) => connection.call(row, input, given);
    if (row.items !== undefined) {
      Object.assign(call, { all: (input?: Input, given?: CallOptions) => connection.all(row, input, given) });
    }
    client[group] ??= {};
    client[group][verb] = call;
  }
  return client;
}
