import { setTimeout as sleep } from "node:timers/promises";
import type { Hono } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import type { ServerState } from "./exchange.ts";
import { type AppEnv, answering } from "./routing.ts";

interface Probes {
  ready(): Promise<boolean>;
  describe(): Promise<string>;
}

/** Serves /healthz, /readyz and /openapi.json, also below `/api`. */
export function addProbes(app: Hono<AppEnv>, state: ServerState, { ready, describe }: Probes): void {
  const ok = JSON.stringify({ status: "ok" });
  const probes: Record<string, () => Promise<string>> = {
    "/healthz": async () => ok,
    "/readyz": async () => {
      if (state.closing) throw new ServiceError("unavailable", "The service is shutting down.");
      const isReady = await Promise.race([ready(), sleep(5000, false, { ref: false })]).catch((cause) => {
        throw notReady(cause);
      });
      if (!isReady) throw notReady();
      return ok;
    },
    "/openapi.json": describe,
  };
  for (const [path, body] of Object.entries(probes)) {
    const handler = answering(state, path, async (exchange) => exchange.respond(200, await body()));
    app.get(path, handler).get(`/api${path}`, handler);
  }
}

const notReady = (cause?: unknown) =>
  new ServiceError("unavailable", "The service cannot reach its database, or cannot write to it.", { cause });
