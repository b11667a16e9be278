import { hash } from "node:crypto";
import type { BlockList } from "node:net";
import { ServiceError } from "../contract/errors.ts";
import { pathFields, pathOfCreated } from "../contract/field-spec.ts";
import type { Content } from "../contract/file-schemas.ts";
import { type AnyOperation, type Invoke, idempotencyKeyForm } from "../contract/operation.ts";
import { decodeWire, withRefused } from "./codec.ts";
import { hasBody } from "./encode-request.ts";
import { withWireNames } from "./field-names.ts";
import { ofInstance } from "./openapi-instance.ts";
import { addPages } from "./pages/add-pages.ts";
import type { PageInstance } from "./pages/page-context.ts";
import { type BodyOptions, bodyReader } from "./server/admitted-body.ts";
import { encodeOutput } from "./server/encode-output.ts";
import type { Exchange, ServerLog, ServerState } from "./server/exchange.ts";
import { addMetrics, type Metrics } from "./server/metrics-endpoint.ts";
import { addProbes } from "./server/probes.ts";
import { announcesBody } from "./server/request-body.ts";
import { type App, type AppContext, methods, newHono, queryOf, refuseMethod, routeHandler } from "./server/routing.ts";
import { respondWithContent } from "./server/send-content.ts";

export interface AppOptions extends BodyOptions {
  readonly operations: readonly AnyOperation[];
  readonly invoke: Invoke;
  readonly log: ServerLog;
  /** Returns true when the service and its database work. */
  readonly ready: () => Promise<boolean>;
  /** Returns the setting `base_url`, which takes precedence over the address that `listen` took. */
  readonly baseUrl: () => Promise<string | null>;
  readonly metrics?: Metrics;
  /** Networks of proxies whose X-Forwarded-For is trusted. Default: none. */
  readonly trustedProxies?: BlockList;
  readonly version: string;
  readonly instance: () => Promise<PageInstance>;
}

/** Serves the operations over HTTP: below `/api` and, at the same path, without it, as responses name them. */
export function createApp(options: AppOptions): App {
  const state: ServerState = {
    log: options.log,
    observe: options.metrics?.observe,
    trustedProxies: options.trustedProxies,
    servedAt: undefined,
    closing: false,
  };
  const app = newHono(state);
  const readBody = bodyReader(options);
  const add = (op: AnyOperation) => {
    const handler = operationHandler(options, state, op, readBody);
    for (const prefix of ["/api", ""]) app.on(op.method, prefix + pattern(op), handler);
  };
  // The router takes the first match, so /users/current must come before /users/:p0; a colon comes before all letters.
  const named = [...Map.groupBy(options.operations, pattern)].toSorted(([a], [b]) => (a < b ? 1 : -1));
  const paths = named.map(([path, ops]) => ({ path, ops, segments: path.split("/") }));
  for (const [i, { path, ops, segments }] of paths.entries()) {
    ops.forEach(add);
    if (paths.slice(i + 1).some((later) => overlap(segments, later.segments)))
      refuseOtherMethods(app, state, path, ops);
  }
  addProbes(app, state, { ready: options.ready, openapi: openapiReader(options, state) });
  const { instance, version, invoke } = options;
  addPages(app, state, { instance, invoke, version, baseUrl: () => publicUrl(options, state) });
  if (options.metrics?.token) addMetrics(app, state, options.metrics, options.metrics.token);
  return { fetch: app.fetch, state };
}

/** Refuses the other methods of a path like /users/search, which /users/{id} would take. */
function refuseOtherMethods(
  app: ReturnType<typeof newHono>,
  state: ServerState,
  path: string,
  named: readonly AnyOperation[],
): void {
  const supported = methods.filter((method) => named.some((op) => op.method === method));
  const refuse = routeHandler(state, named[0]?.path ?? path, async (exchange) => refuseMethod(exchange, supported));
  for (const prefix of ["/api", ""]) app.all(prefix + path, refuse);
}

function operationHandler(
  options: AppOptions,
  state: ServerState,
  op: AnyOperation,
  readBody: ReturnType<typeof bodyReader>,
) {
  const names = pathFields(op).map((_, i) => `p${i}`);
  const takesBody = hasBody(op);
  const work = async (exchange: Exchange, c: AppContext) => {
    warnOfProxy(exchange, state);
    readOrigin(exchange, op);
    if (!takesBody && announcesBody(exchange)) {
      throw new ServiceError("bad_request", `${op.method} expects its fields in the query, not in a body.`);
    }
    if (!isDecodable(c.req.path)) throw new ServiceError("bad_request", "The path must be UTF-8, percent-encoded.");
    const params = names.map((name) => c.req.param(name) ?? "");
    const query = queryOf(c.env);
    let base = "";
    const invoke = async (body?: unknown) => {
      const { input, refused } = decodeWire(op, { params, query, body });
      exchange.refused = refused;
      // Before the change, so that it is not answered with an error after it was saved.
      if (op.location) base = await publicUrl(options, state);
      return options.invoke(op, input, exchange);
    };
    const output = takesBody ? await readBody({ op, params, exchange }, invoke) : await invoke();
    if (op.bytes) return respondWithContent(exchange, output as Content);
    const path = op.location && pathOfCreated(op, op.location, output);
    const more = path === undefined ? undefined : { location: `${base}/api${path}` };
    return exchange.respond(op.status, op.status === 204 ? null : await encodeOutput(output), more);
  };
  return routeHandler(state, op.path, async (exchange, c) => {
    try {
      return await work(exchange, c);
    } catch (error) {
      throw withRefused(withWireNames(op, error), exchange.refused);
    }
  });
}

function readOrigin(exchange: Exchange, op: AnyOperation): void {
  const dryRun = exchange.header("dry-run");
  if (dryRun !== undefined && dryRun !== "true" && dryRun !== "false") {
    throw new ServiceError("bad_request", "Dry-Run must be true or false.");
  }
  exchange.dryRun = dryRun === "true";
  exchange.token = tokenOf(exchange, op);
  if (op.method === "POST") exchange.idempotencyKey = idempotencyKeyOf(exchange);
}

function warnOfProxy(exchange: Exchange, state: ServerState): void {
  if (state.trustedProxies || state.warnedOfProxy || exchange.header("x-forwarded-for") === undefined) return;
  state.warnedOfProxy = true;
  state.log.warn(
    { address: exchange.address },
    "X-Forwarded-For is present but --behind-proxy is not set; all clients behind the proxy share one limit",
  );
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
  if (key === undefined || idempotencyKeyForm.test(key)) return key;
  throw new ServiceError("bad_request", "Idempotency-Key must have 1 to 255 visible ASCII characters.");
}

async function publicUrl({ baseUrl }: AppOptions, state: ServerState): Promise<string> {
  return ((await baseUrl()) ?? state.servedAt ?? "").replace(/\/+$/, "");
}

/** Returns a function that returns openapi.json, created at its first call and again when the base URL has changed. */
function openapiReader(options: AppOptions, state: ServerState): Parameters<typeof addProbes>[2]["openapi"] {
  let made: { readonly url: string; readonly text: string; readonly etag: string } | undefined;
  return async () => {
    const url = await publicUrl(options, state);
    if (made?.url !== url) {
      const { openapiDocument } = await import("./openapi-document.ts");
      const document = JSON.parse(await openapiDocument());
      const text = JSON.stringify(ofInstance(document, { version: options.version, url }));
      made = { url, text, etag: `"${hash("sha256", text, "base64url")}"` };
    }
    return made;
  };
}

/** Uses the result of decoding, because the bundler removes calls of built-in functions without one. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== undefined;
  } catch {
    return false;
  }
}

function pattern(op: AnyOperation): string {
  let i = 0;
  return op.path.replace(/\{[^}]+\}/g, () => `:p${i++}`);
}

function overlap(as: readonly string[], bs: readonly string[]): boolean {
  const isParameter = (segment = "") => segment.startsWith(":");
  return as.length === bs.length && as.every((a, i) => a === bs[i] || isParameter(a) || isParameter(bs[i]));
}
