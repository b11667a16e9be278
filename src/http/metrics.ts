import { timingSafeEqual } from "node:crypto";
import type { Hono } from "hono";
import { ServiceError } from "../contract/errors.ts";
import type { Log, Observe, ServerState } from "./exchange.ts";
import { type App, type AppEnv, answering, newHono } from "./routing.ts";

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  readonly observe?: Observe;
  /** GET /metrics asks for this bearer token; without one it is not served here. */
  readonly token?: string;
}

/** Serves GET /metrics to whoever reaches it: for a listener of its own. */
export function createMetricsApp(metrics: Metrics, log: Log): App {
  const state: ServerState = { log, observe: undefined, servedAt: undefined, closing: false };
  const app = newHono(state);
  addMetrics(app, state, metrics);
  return { fetch: app.fetch, request: app.request, state };
}

/** Serves GET /metrics, to `token` only if there is one. */
export function addMetrics(app: Hono<AppEnv>, state: ServerState, metrics: Metrics, token?: string): void {
  const expected = token === undefined ? undefined : Buffer.from(`Bearer ${token}`);
  const handler = answering(state, "/metrics", async (exchange) => {
    const given = Buffer.from(exchange.header("authorization") ?? "");
    if (expected && !(given.length === expected.length && timingSafeEqual(given, expected))) {
      throw new ServiceError("unauthenticated", "The metrics need their own bearer token.");
    }
    return exchange.respond(200, await metrics.render(), { "content-type": metrics.contentType });
  });
  app.get("/metrics", handler);
}
