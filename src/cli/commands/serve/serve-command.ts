import { isatty } from "node:tty";
import type { LoggerOptions, pino } from "pino";
import type { Context, TopLevelCommand } from "../../kit/command-spec.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { smtpFlag } from "../smtp-option.ts";
import { createLogLines, logFormats, logLevels, warnLevel } from "./log-lines.ts";
import { readServeOptions, type ServeOptions } from "./serve-options.ts";

const maxUnwritten = 16 * 1024 * 1024;

export const serve: TopLevelCommand = {
  description:
    "Prints its base URL on stdout when it is ready; logs go to stderr. SIGTERM, Ctrl-C and the end of its\nterminal shut it down after running requests: /readyz returns 503 at once, and new connections are refused after the shutdown notice\nand a moment without new ones. Exits with 8 when the port is in use.\n\nThe file of --config has the flags as keys (db, host, port, metrics_port, workers, behind_proxy, body_limit, upload_limit,\nshutdown_notice, log_level, log_format, smtp_url), and secret_key_file, secret_key, token_key, metrics_token and\nsettings (by name). A file with a secret must have the mode 0600.\n\nBehind a reverse proxy use --behind-proxy; see wcs help proxy.",
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

/** Signals of programs that rotate logs; without a terminal, SIGHUP is one, too. Node would end the process, or open a debugger to all users of the machine. */
const ignored = ["SIGUSR1", "SIGUSR2"] as const;
const ignore = () => {};

async function run(context: Context): Promise<void> {
  const { terminal } = context;
  for (const signal of [0, 1, 2].some(isatty) ? ignored : [...ignored, "SIGHUP"])
    process.removeAllListeners(signal).on(signal, ignore);
  if (context.flags.check) return (await import("./check-serve.ts")).checkServe(context);
  const options = await readServeOptions(context);
  const { log, flush } = await createLog(options, terminal);
  const isOnly = options.workers === 1;
  const worker = isOnly ? undefined : (await import("./worker-process.ts")).thisWorker();
  try {
    if (isOnly || worker) await (await import("./serve-database.ts")).serveHere({ options, log, terminal, worker });
    else await (await import("./supervise-workers.ts")).superviseWorkers(options, log, terminal);
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
    maxLength: maxUnwritten,
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
  // Pino adds the messages of causes to the message, which ends with a full stop, and takes the type from a name that is minified.
  const err = (error: Error) => ({ ...pino.stdSerializers.err(error), type: error.name, message: error.message });
  return { log: pino({ level, hooks, serializers: { err } }, lines), flush: () => flushLog(destination) };
}

/**
 * Keeps lines that cannot be written, to a full disk for example, up to `maxUnwritten`, and drops those after them. Without a
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
