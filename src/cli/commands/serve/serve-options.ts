import { availableParallelism } from "node:os";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findTarget } from "../../session/target.ts";
import { environmentWithSmtp } from "../smtp-option.ts";

/** Milliseconds after the shutdown notice until a server drops unfinished work; with the default notice it ends within 30 seconds. */
const stopMilliseconds = 27_500;

export type ServeOptions = Awaited<ReturnType<typeof readServeOptions>>;

/** Reads the options of `wcs serve`: from flags, else from the environment, else from the file of --config. */
export async function readServeOptions({ flags, globals, terminal }: Context) {
  const { bodyLimitsOf, maxWorkers, noticeOf, optionsIn, defaultOptions, trustedProxiesOf } = await import(
    "./serve-schema.ts"
  );
  const file =
    flags.config === undefined ? undefined : (await import("./serve-config.ts")).readServeConfig(String(flags.config));
  const env = file ? await file.addTo(terminal.env) : terminal.env;
  const given = { ...(file?.options ?? defaultOptions()), ...optionsIn(flags) };
  const notice = noticeOf(given.shutdown_notice) * 1000;
  const options = {
    port: given.port,
    metricsPort: given.metrics_port,
    workers: given.workers === "auto" ? Math.min(availableParallelism(), maxWorkers) : given.workers,
    timeouts: { notice },
    stopWithin: notice + stopMilliseconds,
    host: given.host,
    requests: { ...bodyLimitsOf(given), trustedProxies: trustedProxiesOf(given.behind_proxy) },
    environment: environmentWithSmtp(env, flags),
    target: findTarget(globals, env),
    level: given.log_level,
    logFormat: given.log_format,
  };
  if (options.target.remote)
    throw new UsageError("wcs serve needs a database, not the URL of an instance", { hint: "use --db" });
  return options;
}
