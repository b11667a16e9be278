import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { allOperations } from "../../../contract/all-operations.ts";
import { loggedError } from "../../../contract/logged-error.ts";
import { missingForMail } from "../../../contract/settings.ts";
import { createService } from "../../../core/service.ts";
import { createEngine } from "../../../delivery/delivery.ts";
import { createApp } from "../../../http/app.ts";
import { listen } from "../../../http/server/listen.ts";
import { createMetricsApp } from "../../../http/server/metrics-endpoint.ts";
import type { Database } from "../../../store/database.ts";
import { requireRights } from "../../../store/missing-rights.ts";
import { limitHeap } from "../../file-io/heap-limit.ts";
import { openWithKey } from "../../session/open-with-key.ts";
import { version } from "../../session/version.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { noMail } from "../smtp-option.ts";
import { createMetrics } from "./create-metrics.ts";
import type { ServeOptions } from "./serve-options.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** Bytes that the young generation of a server may grow to. */
const young = 16 * 1024 * 1024;
/** Maximum milliseconds for closing the database, which waits for running statements. */
const closeTimeout = 500;

interface Server {
  readonly options: ServeOptions;
  readonly log: Logger;
  readonly terminal: Terminal;
  /** Missing for a server that is the only process. */
  readonly worker: WorkerProcess | undefined;
}

/** Opens the database and serves it in this process, until it is interrupted. What is not finished in time ends with the process. */
export async function serveHere(server: Server): Promise<void> {
  const { target, environment, stopWithin } = server.options;
  const { signals } = server.terminal;
  const database = await openWithKey(target.address, environment);
  signals.delayStop(database.isWriting);
  try {
    await requireRights(database);
    database.limitAnswers();
    const ended = new Promise<void>((resolve) => signals.take(resolve));
    const overdue = ended.then(() => sleep(stopWithin, undefined, { ref: false }));
    await Promise.race([serveDatabase({ ...server, database, ended }), overdue]);
  } finally {
    await Promise.race([database.close(), sleep(closeTimeout, undefined, { ref: false })]);
  }
}

interface Serving extends Server {
  readonly database: Database;
  readonly ended: Promise<void>;
}

async function serveDatabase({ database, log, terminal, options, worker, ended }: Serving): Promise<void> {
  const { environment, host, port, metricsPort, timeouts, requests } = options;
  const service = createService({ database, environment });
  const servers: Awaited<ReturnType<typeof listen>>[] = [];
  const userAgent = `wcs/${version}`;
  const servedAt = () => servers[0]?.url;
  const engine = createEngine({ database, settings: service.settings, log, userAgent, servedAt });
  keepServerChunks();
  const metrics = await createMetrics(engine, environment.WCS_METRICS_TOKEN || undefined, worker);
  const app = createApp({
    operations: await allOperations(),
    invoke: service.invoke,
    admit: service.admit,
    ...requests,
    log,
    baseUrl: service.baseUrl,
    instance: service.instance,
    metrics,
    version,
    ready: () => service.ready().then(() => true),
  });
  const { inStep } = worker ?? {};
  const shared = { host, timeouts, reusePort: worker !== undefined };
  const server = await listen(app, { ...shared, port: worker?.port ?? port, inStep });
  servers.push(server);
  if (metricsPort !== undefined)
    servers.push(await listen(createMetricsApp(metrics, log), { ...shared, port: metricsPort }));
  /** Goes on during an outage of the database. */
  const deliver = async () => {
    engine.start();
    try {
      const missing = missingForMail(await service.settings());
      if (missing.length > 0) log.warn(noMail(missing));
    } catch (error) {
      log.error(loggedError(error), "the settings of mail cannot be read");
    }
  };
  if (worker) worker.ready(server.url, () => void deliver());
  else {
    await terminal.write(`${server.url}\n`);
    await deliver();
  }
  // A young generation as small as at the start costs a seventh more processor time.
  setInterval(limitHeap, 1000, young).unref();
  await ended;
  log.info("finishing");
  service.endWaits();
  await Promise.all([...servers.map((each) => each.close()), engine.stop()]);
}

/**
 * Reads the files of the bundle that operations load on demand, because an upgrade removes them below a running server. Loading them all
 * at once would take a third of a second. Sources and an executable have no list of them, and nothing is done.
 */
function keepServerChunks(): void {
  const list = join(import.meta.dirname, "server-chunks.json");
  if (!existsSync(list)) return;
  const { keep } = createRequire(list)("../bin/bundle.js") as { keep(names: readonly string[]): void };
  keep(JSON.parse(readFileSync(list, "utf8")));
}
