import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Logger, LoggerOptions, pino } from "pino";
import type { Database } from "../../../store/database.ts";
import { limitHeap } from "../../file-io/heap-limit.ts";
import type { Context, TopLevelCommand } from "../../kit/command-spec.ts";
import { openWithKey } from "../../session/open-with-key.ts";
import { version } from "../../session/version.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { createMetrics } from "./create-metrics.ts";
import { createLogLines, logFormats, logLevels, warnLevel } from "./log-lines.ts";
import { readServeOptions, type ServeOptions } from "./serve-options.ts";
import { noMail, smtpFlag } from "./smtp-option.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** Bytes that the young generation of a server may grow to. */
const young = 16 * 1024 * 1024;
const mostUnwritten = 16 * 1024 * 1024;
/** Maximum milliseconds for closing the database, which waits for running statements. */
const longestClosing = 500;

export const serve: TopLevelCommand = {
  description:
    "Prints its base URL on stdout when it is ready; logs go to stderr. SIGTERM, SIGHUP and Ctrl-C shut it\ndown after running requests: /readyz returns 503 at once, and new connections are refused after the shutdown notice\nand a moment without new ones. Exits with 8 when the port is in use.\n\nThe file of --config has the flags as keys (db, host, port, metrics_port, workers, behind_proxy, body_limit, upload_limit,\nshutdown_notice, log_level, log_format, smtp_url), and secret_key_file, secret_key, token_key, metrics_token and\nsettings (by name). A file with a secret must have the mode 0600.\n\nBehind a reverse proxy use --behind-proxy; see wcs help proxy.",
  flags: [
    {
      flags: "--config <path>",
      description: "Read options from a YAML file; flags and the environment take precedence",
    },
    { flags: "--check", description: "Check options, ports, database and rights, start nothing; exit 9 on a problem" },
    { flags: "--port <n>", description: "Port to listen on, 0 for a free one (default 8420)" },
    { flags: "--host <address>", description: "Address to listen on (default 127.0.0.1)" },
    {
      flags: "--metrics-port <n>",
      description: "Serve /metrics for Prometheus on this port; with WCS_METRICS_TOKEN it is also on --port",
    },
    {
      flags: "--workers <n|auto>",
      description: "Number of processes that share the port, or auto for one per core (default 1)",
      completes: ["auto"],
    },
    smtpFlag,
    {
      flags: "--behind-proxy [networks]",
      description:
        "Trust X-Forwarded-For from proxies in these networks (for example 10.0.0.0/8,::1; without a value, loopback and private networks)",
    },
    {
      flags: "--body-limit <size>",
      description: "Maximum size of a request body, from 64KiB (default 1MiB; without a sign-in 64KiB)",
    },
    {
      flags: "--upload-limit <size>",
      description: "Maximum size of a request body with files in base64, up to 40MiB (default 40MiB)",
    },
    {
      flags: "--shutdown-notice <seconds>",
      description: "Time between /readyz returning 503 and refusing new connections, for load balancers (default 1)",
    },
    {
      flags: "--log-level <level>",
      description: "Log level: debug, info, warn, error or silent (default info)",
      choices: logLevels,
    },
    {
      flags: `--log-format <${logFormats.join("|")}>`,
      description: "Format of logs (default auto: readable lines on a terminal, else JSON)",
      choices: logFormats,
    },
  ],
  examples: [
    "wcs serve --port 8420",
    "wcs serve --db postgres://localhost/wcs --host 0.0.0.0",
    "wcs serve --smtp-url smtp://mail.example.com:25",
    "wcs serve --behind-proxy 10.1.2.0/24,2001:db8:7::/48",
    "wcs serve --workers auto",
    "wcs serve --config /etc/wcs/wcs.yaml --check",
  ],
  prints: true,
  run,
};

async function run(context: Context): Promise<void> {
  const { terminal } = context;
  if (context.flags.check) return (await import("./check-serve.ts")).checkServe(context);
  const options = await readServeOptions(context);
  const { log, flush } = await createLog(options, terminal);
  if (options.workers === 1) return serveHere({ options, log, terminal, worker: undefined }).finally(flush);
  const worker = (await import("./worker-process.ts")).thisWorker();
  try {
    if (worker) return await serveHere({ options, log, terminal, worker });
    const { superviseWorkers } = await import("./supervise-workers.ts");
    await superviseWorkers(options, log, terminal);
  } finally {
    await flush();
    worker?.release();
  }
}

async function createLog({ logFormat, level, workers }: ServeOptions, terminal: Terminal) {
  const { pino } = await import("pino");
  // Lines are written together, because each write takes about a tenth of a request. Larger ones of several processes
  // could mix in a pipe: POSIX keeps 4,096 bytes together.
  const portion = workers === 1 ? { minLength: 8192 } : { minLength: 2048, maxWrite: 4096 };
  const destination = pino.destination({
    fd: 2,
    sync: false,
    ...portion,
    periodicFlush: 100,
    maxLength: mostUnwritten,
    // As text, all that waits would be copied for each line that is added.
    contentMode: "buffer",
  });
  dropUnwritable(destination);
  const isPretty = logFormat === "pretty" || (logFormat === "auto" && isatty(2));
  // The types of the destination lack `contentMode: "buffer"`, with which it takes bytes.
  const target: { write(bytes: Uint8Array | string): unknown } = destination;
  const write = (line: string) => target.write(Buffer.from(line));
  const lines = isPretty ? createLogLines(await terminal.errorPaint(), write) : { write };
  const hooks: LoggerOptions["hooks"] = {
    logMethod(line, method, severity) {
      method.apply(this, line);
      if (severity >= warnLevel) destination.flush();
    },
  };
  return { log: pino({ level, hooks }, lines), flush: () => flushLog(destination) };
}

/**
 * Keeps lines that cannot be written, to a full disk for example, up to `mostUnwritten`, and drops those after them. Without a
 * listener the error would end the process, which would then try for ever to write its last lines.
 */
function dropUnwritable(destination: Destination): void {
  const { flushSync } = destination;
  destination.on("error", () => {
    destination.flushSync = () => {};
  });
  destination.on("write", () => {
    destination.flushSync = flushSync;
  });
}

/** Writes the last lines, unless they cannot be written. */
async function flushLog(destination: Destination): Promise<void> {
  await new Promise<unknown>((resolve) => destination.flush(resolve));
  destination.flushSync();
}

type Destination = ReturnType<typeof pino.destination>;

interface Server {
  readonly options: ServeOptions;
  readonly log: Logger;
  readonly terminal: Terminal;
  /** Missing for a server that is the only process. */
  readonly worker: WorkerProcess | undefined;
}

/** Opens the database and serves it in this process, until it is interrupted. What is not finished in time ends with the process. */
async function serveHere(server: Server): Promise<void> {
  const { target, environment, stopWithin } = server.options;
  const { signals } = server.terminal;
  const modules = await loadModules();
  const database = await openWithKey(target.address, environment);
  signals.delayStop(database.isWriting);
  try {
    await modules.requireRights(database);
    database.limitAnswers();
    const ended = new Promise<void>((resolve) => signals.take(resolve));
    const overdue = ended.then(() => sleep(stopWithin, undefined, { ref: false }));
    await Promise.race([serveDatabase({ ...server, modules, database, ended }), overdue]);
  } finally {
    await Promise.race([database.close(), sleep(longestClosing, undefined, { ref: false })]);
  }
}

async function loadModules() {
  const [service, app, listen, metrics, operations, delivery, rights] = await Promise.all([
    import("../../../core/service.ts"),
    import("../../../http/server/app.ts"),
    import("../../../http/server/listen.ts"),
    import("../../../http/server/metrics-endpoint.ts"),
    import("../../../contract/all-operations.ts"),
    import("../../../delivery/delivery.ts"),
    import("../../../store/missing-rights.ts"),
  ]);
  return { ...service, ...app, ...listen, ...metrics, ...operations, ...delivery, ...rights };
}

interface Serving extends Server {
  readonly modules: Awaited<ReturnType<typeof loadModules>>;
  readonly database: Database;
  readonly ended: Promise<void>;
}

async function serveDatabase({ modules, database, log, terminal, options, worker, ended }: Serving): Promise<void> {
  const { environment, host, port, metricsPort, timeouts, requests } = options;
  const service = modules.createService({ database, environment });
  const servers: Awaited<ReturnType<typeof modules.listen>>[] = [];
  const userAgent = `wcs/${version}`;
  const servedAt = () => servers[0]?.url;
  const engine = modules.createEngine({ database, settings: service.settings, log, userAgent, servedAt });
  keepServerChunks();
  const metrics = await createMetrics(engine, environment.WCS_METRICS_TOKEN || undefined, worker);
  const app = modules.createApp({
    operations: await modules.allOperations(),
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
  const { othersClosed } = worker ?? {};
  const shared = { host, timeouts, reusePort: worker !== undefined };
  const server = await modules.listen(app, { ...shared, port: worker?.port ?? port, othersClosed });
  servers.push(server);
  if (metricsPort !== undefined)
    servers.push(await modules.listen(modules.createMetricsApp(metrics, log), { ...shared, port: metricsPort }));
  /** Goes on during an outage of the database. */
  const deliver = async () => {
    engine.start();
    try {
      const missing = modules.missingForMail(await service.settings());
      if (missing.length > 0) log.warn(noMail(missing));
    } catch (err) {
      log.error({ err }, "the settings of mail cannot be read");
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
