import { setTimeout as sleep } from "node:timers/promises";
import type { Hono } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import type { Exchange, ServerState } from "./exchange.ts";
import { type AppEnv, routeHandler } from "./routing.ts";
import { isKnown } from "./send-content.ts";

interface Probes {
  ready(): Promise<boolean>;
  /** Returns the text of openapi.json, and its ETag. */
  openapi(): Promise<{ readonly text: string; readonly etag: string }>;
}

/** Serves /healthz, /readyz and /openapi.json, also below `/api`. */
export function addProbes(app: Hono<AppEnv>, state: ServerState, { ready, openapi }: Probes): void {
  const ok = JSON.stringify({ status: "ok" });
  const probes: Record<string, (exchange: Exchange) => Promise<Response>> = {
    "/healthz": async (exchange) => exchange.respond(200, ok),
    "/readyz": async (exchange) => {
      if (state.closing) return exchange.refuse(new ServiceError("unavailable", "The service is shutting down."));
      const isReady = await Promise.race([ready(), sleep(5000, false, { ref: false })]).catch((cause) => {
        throw notReady(cause);
      });
      if (!isReady) throw notReady();
      return exchange.respond(200, ok);
    },
    "/openapi.json": async (exchange) => {
      const { text, etag } = await openapi();
      const headers = { etag, "cache-control": "public, no-cache" };
      return isKnown(exchange, etag) ? exchange.respond(304, null, headers) : exchange.respond(200, text, headers);
    },
  };
  for (const [path, respond] of Object.entries(probes)) {
    const handler = routeHandler(state, path, respond);
    app.get(path, handler).get(`/api${path}`, handler);
  }
}

const notReady = (cause?: unknown) =>
  new ServiceError("unavailable", "The service cannot reach its database, or cannot write to it.", { cause });
