import type { BlockList } from "node:net";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findTarget } from "../../session/target.ts";
import { bodyLimitsOf, parseWorkerCount } from "./serve-limits.ts";
import { environmentWithSmtp } from "./smtp-option.ts";

/** Milliseconds after the shutdown notice until a server gives up what is not finished; with the default notice it ends within 30 seconds. */
const stopMilliseconds = 27_500;

export type ServeOptions = Awaited<ReturnType<typeof readServeOptions>>;

/** Reads the options of `wcs serve`: from flags, else from the environment, else from the file of --config. */
export async function readServeOptions(context: Context) {
  const { env, flags } = await configured(context);
  const given = (name: string) => flags[name] as string | undefined;
  const metricsPort = given("metricsPort");
  const notice = noticeOf(given("shutdownNotice") ?? "1");
  const options = {
    port: portOf("--port", given("port") ?? "8420"),
    metricsPort: metricsPort === undefined ? undefined : portOf("--metrics-port", metricsPort),
    workers: parseWorkerCount(given("workers") ?? "1"),
    timeouts: { notice },
    stopWithin: notice + stopMilliseconds,
    host: given("host") ?? "127.0.0.1",
    requests: {
      ...bodyLimitsOf(given("bodyLimit") ?? "1MiB", given("uploadLimit") ?? "40MiB"),
      trustedProxies: await trustedProxiesOf(flags.behindProxy as string | true | undefined),
    },
    environment: environmentWithSmtp(env, flags),
    target: findTarget(context.globals, env),
    level: given("logLevel") ?? "info",
    logFormat: given("logFormat") ?? "auto",
  };
  if (options.target.remote)
    throw new UsageError("wcs serve needs a database, not the URL of an instance", { hint: "use --db" });
  return options;
}

async function configured({ terminal, flags }: Context) {
  if (flags.config === undefined) return { env: terminal.env, flags };
  const { checkSecretKey, readServeConfig, underEnvironment } = await import("./serve-config.ts");
  const path = String(flags.config);
  const file = readServeConfig(path);
  const env = underEnvironment(terminal.env, file.env);
  await checkSecretKey(path, file.env, env);
  return { env, flags: { ...file.flags, ...flags } };
}

function portOf(flag: string, text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`${flag} must be a port number, not '${text}'`);
  return port;
}

/** Parses --behind-proxy: without a value loopback and private networks, without the flag no networks. */
async function trustedProxiesOf(value: string | true | undefined): Promise<BlockList | undefined> {
  if (value === undefined) return undefined;
  const { blockListOf, parseNetwork, privateNetworks } = await import("../../../http/server/client-address.ts");
  const texts = value === true ? privateNetworks : value.split(",").map((text) => text.trim());
  return blockListOf(
    texts.map((text) => {
      const network = parseNetwork(text);
      if (network) return network;
      throw new UsageError(`--behind-proxy must be networks like 10.0.0.0/8,::1/128, not '${text}'`);
    }),
  );
}

function noticeOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > 3600) {
    throw new UsageError(`--shutdown-notice must be a number of seconds from 0 to 3600, not '${text}'`);
  }
  return seconds * 1000;
}
