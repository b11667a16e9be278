import { timingSafeEqual } from "node:crypto";
import type { Hono } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import type { Observe, ServerLog, ServerState } from "./exchange.ts";
import { type App, type AppEnv, newHono, routeHandler } from "./routing.ts";

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  readonly observe?: Observe;
  /** Bearer token for GET /metrics; without one it is not served here. */
  readonly token?: string;
}

export function createMetricsApp(metrics: Metrics, log: ServerLog): App {
  const state: ServerState = { log, observe: undefined, servedAt: undefined, closing: false };
  const app = newHono(state);
  addMetrics(app, state, metrics);
  return { fetch: app.fetch, state };
}

export function addMetrics(app: Hono<AppEnv>, state: ServerState, metrics: Metrics, token?: string): void {
  const expected = token === undefined ? undefined : Buffer.from(`Bearer ${token}`);
  const handler = routeHandler(state, "/metrics", async (exchange) => {
    const given = Buffer.from(exchange.header("authorization") ?? "");
    if (expected && !(given.length === expected.length && timingSafeEqual(given, expected))) {
      throw new ServiceError("unauthenticated", "The metrics require a bearer token of their own.");
    }
    return exchange.respond(200, await metrics.render(), { "content-type": metrics.contentType });
  });
  app.get("/metrics", handler);
}
