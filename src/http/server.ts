import { timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { ServiceError } from "../contract/errors.ts";
import type { AnyOperation, Invoke, Origin } from "../contract/operation.ts";
import { pathFields } from "../contract/shape.ts";
import { announcesBody, readJson } from "./body.ts";
import { decode, hasBody } from "./codec.ts";
import { Exchange, type Log, type Observe, type ServerState, type SocketEnv } from "./exchange.ts";

export interface AppOptions {
  readonly operations: readonly AnyOperation[];
  readonly invoke: Invoke;
  readonly log: Log;
  /** Whether the service can work, its database included. Default: always. */
  readonly ready?: () => Promise<boolean>;
  /** The largest body in bytes. Default: what the operation says, else 1 MiB. */
  readonly bodyLimit?: (op: AnyOperation) => number;
  /** Where users reach the service, without a slash at the end; default the address that `listen` took. */
  readonly servedAt?: string;
  /** The setting `base_url`, which wins over `servedAt`. */
  readonly baseUrl?: () => Promise<string | null>;
  readonly metrics?: Metrics;
  readonly behindProxy?: boolean;
  /** Shown in openapi.json. */
  readonly version?: string;
}

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  readonly observe?: Observe;
  /** GET /metrics asks for this bearer token; without one it is not served here. */
  readonly token?: string;
}

/** The service as a function from request to answer, for a socket and for use in the process. */
export interface App {
  readonly fetch: Hono<AppEnv>["fetch"];
  readonly request: Hono<AppEnv>["request"];
  readonly state: ServerState;
}

type AppEnv = { Bindings: SocketEnv };
type AppContext = Context<AppEnv>;

/** Serves the operations over HTTP: all of them below `/api`, and those that are `bare` also without it. */
export function createApp(options: AppOptions): App {
  const state: ServerState = {
    log: options.log,
    observe: options.metrics?.observe,
    behindProxy: options.behindProxy ?? false,
    servedAt: options.servedAt,
    closing: false,
  };
  const app = newHono(state);
  // The router takes the first that fits, and /users/current has to come before /users/{id}.
  for (const op of options.operations.toSorted(byStaticSegments)) {
    const handler = operationHandler(options, state, op);
    app.on(op.method, `/api${pattern(op)}`, handler);
    if (op.bare) app.on(op.method, pattern(op), handler);
  }
  addProbes(app, state, options);
  if (options.metrics?.token) addMetrics(app, state, options.metrics, options.metrics.token);
  return { fetch: app.fetch, request: app.request, state };
}

/** Serves GET /metrics to whoever reaches it: for a listener of its own. */
export function createMetricsApp(metrics: Metrics, log: Log): App {
  const state: ServerState = { log, observe: undefined, behindProxy: false, servedAt: undefined, closing: false };
  const app = newHono(state);
  addMetrics(app, state, metrics);
  return { fetch: app.fetch, request: app.request, state };
}

function newHono(state: ServerState): Hono<AppEnv> {
  const app = new Hono<AppEnv>({
    router: new TrieRouter(),
    getPath: (request, given) => targetOf(request, given?.env).path,
  });
  app.onError((error, c) => new Exchange(state, "unmatched", c.req.raw, c.env).fail(error));
  app.notFound((c) => {
    const exchange = new Exchange(state, "unmatched", c.req.raw, c.env);
    const allow = ["GET", "POST", "PATCH", "DELETE"].filter(
      (method) => app.router.match(method, c.req.path)[0].length > 0,
    );
    if (allow.length === 0) return exchange.fail(new ServiceError("not_found", "There is nothing at this path."));
    if (allow[0] === "GET") allow.splice(1, 0, "HEAD");
    const error = new ServiceError("method_not_allowed", `This path takes ${allow.join(", ")}.`);
    return exchange.fail(error, { allow: allow.join(", ") });
  });
  return app;
}

function operationHandler(options: AppOptions, state: ServerState, op: AnyOperation) {
  const { invoke, bodyLimit = (of: AnyOperation) => of.bodyLimit ?? 1_048_576 } = options;
  const names = pathFields(op).map((_, i) => `p${i}`);
  const takesBody = hasBody(op);
  return async (c: AppContext): Promise<Response> => {
    const exchange = new Exchange(state, op.path, c.req.raw, c.env);
    try {
      const origin = originOf(exchange, op, state);
      let body: unknown;
      if (takesBody) body = await readJson(exchange, bodyLimit(op));
      else if (announcesBody(exchange))
        throw new ServiceError("bad_request", `${op.method} takes its fields in the query, not in a body.`);
      const { path, query } = targetOf(c.req.raw, c.env);
      if (names.length > 0 && path.includes("%")) assertDecodable(path);
      const params = names.map((name) => c.req.param(name)!);
      const output = await invoke(op, decode(op, { params, query, body }), origin);
      const more = op.location ? { location: await locationOf(op, op.location, output, options, state) } : undefined;
      return exchange.respond(op.status, op.status === 204 ? null : JSON.stringify(output), more);
    } catch (error) {
      return exchange.fail(error);
    }
  };
}

function originOf(exchange: Exchange, op: AnyOperation, state: ServerState): Origin {
  const { address, request } = exchange;
  const { servedAt } = state;
  const dryRun = exchange.header("dry-run");
  if (dryRun !== undefined && dryRun !== "true" && dryRun !== "false")
    throw new ServiceError("bad_request", "Dry-Run must be true or false.");
  exchange.dryRun = dryRun === "true";
  return {
    token: tokenOf(exchange, op),
    idempotencyKey: op.method === "POST" ? idempotencyKeyOf(exchange) : undefined,
    ...(exchange.dryRun && { dryRun: true }),
    address,
    servedAt,
    // Made when asked for: most operations are over before anyone could abort them.
    get signal() {
      return request.signal;
    },
  };
}

function tokenOf(exchange: Exchange, op: AnyOperation): string | undefined {
  const header = exchange.header("authorization");
  if (header === undefined) return undefined;
  const token = /^bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
  if (token === undefined && op.access !== "public") {
    throw new ServiceError("unauthenticated", "The Authorization header must be: Bearer <token>.");
  }
  return token;
}

function idempotencyKeyOf(exchange: Exchange): string | undefined {
  const key = exchange.header("idempotency-key");
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new ServiceError("bad_request", "Idempotency-Key must have 1 to 255 visible ASCII characters.");
}

async function locationOf(
  op: AnyOperation,
  template: string,
  output: unknown,
  options: AppOptions,
  state: ServerState,
): Promise<string> {
  const created = output as Record<string, unknown>;
  const wrapped = (op.item ? created[op.item] : undefined) as Record<string, unknown> | undefined;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = created[name] ?? wrapped?.[name];
    if (value === undefined) throw new Error(`${op.name}: the response has no ${name} for its Location`);
    return encodeURIComponent(String(value));
  });
  const base = (await options.baseUrl?.()) ?? state.servedAt ?? "";
  return `${base.replace(/\/+$/, "")}/api${path}`;
}

function addProbes(app: Hono<AppEnv>, state: ServerState, options: AppOptions): void {
  const { ready = async () => true, operations, version } = options;
  let document: Promise<string> | undefined;
  const probes: Record<string, () => Promise<object | string>> = {
    "/healthz": async () => ({ status: "ok" }),
    "/readyz": async () => {
      if (state.closing) throw new ServiceError("unavailable", "The service is shutting down.");
      if (!(await within(5000, ready())))
        throw new ServiceError("unavailable", "The service cannot reach its database.");
      return { status: "ok" };
    },
    "/openapi.json": () => {
      document ??= import("./openapi.ts").then(({ openapi }) =>
        JSON.stringify(openapi(operations, { version, url: state.servedAt })),
      );
      return document;
    },
  };
  for (const [path, answer] of Object.entries(probes)) {
    const handler = async (c: AppContext) => {
      const exchange = new Exchange(state, path, c.req.raw, c.env);
      try {
        const body = await answer();
        return exchange.respond(200, typeof body === "string" ? body : JSON.stringify(body));
      } catch (error) {
        return exchange.fail(error);
      }
    };
    app.get(path, handler).get(`/api${path}`, handler);
  }
}

function addMetrics(app: Hono<AppEnv>, state: ServerState, metrics: Metrics, token?: string): void {
  const expected = token === undefined ? undefined : Buffer.from(`Bearer ${token}`);
  app.get("/metrics", async (c) => {
    const exchange = new Exchange(state, "/metrics", c.req.raw, c.env);
    try {
      const given = Buffer.from(exchange.header("authorization") ?? "");
      if (expected && !(given.length === expected.length && timingSafeEqual(given, expected))) {
        throw new ServiceError("unauthenticated", "The metrics need their own bearer token.");
      }
      return exchange.respond(200, await metrics.render(), { "content-type": metrics.contentType });
    } catch (error) {
      return exchange.fail(error);
    }
  });
}

/** False when it is false, fails, or takes longer than `ms`. */
async function within(ms: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** The path as it was sent, still escaped (a URL object would resolve %2E%2E), and the query. */
function targetOf(request: Request, env: SocketEnv | undefined): { path: string; query: string } {
  const url = env?.incoming?.url ?? request.url;
  let from = 0;
  if (url.charCodeAt(0) !== 47) {
    const authority = url.indexOf("://");
    from = authority < 0 ? url.length : indexOr(url, "/", authority + 3);
  }
  const end = indexOr(url, "#", from);
  const mark = indexOr(url, "?", from);
  return { path: url.slice(from, Math.min(mark, end)) || "/", query: mark < end ? url.slice(mark + 1, end) : "" };
}

function indexOr(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}

function assertDecodable(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new ServiceError("bad_request", "The path must be UTF-8, percent-encoded.");
  }
}

function pattern(op: AnyOperation): string {
  let i = 0;
  return op.path.replace(/\{[^}]+\}/g, () => `:p${i++}`);
}

/** Static segments before parameters. */
function byStaticSegments(a: AnyOperation, b: AnyOperation): number {
  const [as, bs] = [a.path.split("/"), b.path.split("/")];
  for (let i = 0; i < Math.min(as.length, bs.length); i++) {
    const difference = Number(as[i]!.startsWith("{")) - Number(bs[i]!.startsWith("{"));
    if (difference !== 0) return difference;
  }
  return as.length - bs.length;
}
