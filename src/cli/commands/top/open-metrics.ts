import { ServiceError } from "../../../contract/errors.ts";
import { type Base, baseOf } from "../../../http/client/base-url.ts";
import { createTransport } from "../../../http/client/transport.ts";
import { readCaFile } from "../../file-io/read-ca-file.ts";
import type { Context } from "../../kit/command-spec.ts";
import type { Target } from "../../session/target.ts";
import { readDuration } from "../../time/parse-time.ts";

const defaultTimeout = "10s";

/** Returns a function that reads GET /metrics of the instance. Disposing of it closes the connection. */
export function openMetrics({ terminal, globals, flags }: Context, target: Target, signal: AbortSignal) {
  const { env } = terminal;
  const url =
    (flags.metricsUrl as string | undefined) ?? (env.WCS_METRICS_URL || (target.remote ? target.address : undefined));
  if (url === undefined) {
    const read = async (): Promise<string> => {
      throw new ServiceError(
        "not_found",
        "Requests and the queue: a database has no metrics; use --url or --metrics-url.",
      );
    };
    return { read, [Symbol.dispose]: () => {} };
  }
  const base = baseOf(url);
  const ca = globals.caFile === undefined ? undefined : readCaFile(globals.caFile);
  const transport = createTransport(base, env, ca);
  const owner = env.WCS_METRICS_TOKEN ? ownerOfToken(env, target) : undefined;
  const isOwner = owner !== undefined && addressOf(baseOf(owner)) === addressOf(base);
  const headers: Record<string, string> = isOwner ? { authorization: `Bearer ${env.WCS_METRICS_TOKEN}` } : {};
  const timeout = readDuration(globals.timeout ?? defaultTimeout, "--timeout") * 1000;
  return {
    async read() {
      const { status, body } = await transport.send("GET", `${pathOf(base)}/metrics`, { headers, timeout, signal });
      if (status === 200) return body.toString();
      if (status === 503) throw new ServiceError("unavailable", `${base.origin} is not available.`);
      const way = isOwner ? "WCS_METRICS_TOKEN is not that of the instance" : wayToRead(base, env);
      throw new ServiceError(
        "not_found",
        `Requests and the queue: ${base.origin} shows no metrics (${status}); ${way}.`,
      );
    },
    [Symbol.dispose]: () => transport.close(),
  };
}

/** Returns the URL that gets WCS_METRICS_TOKEN. One only on the command line does not, since somebody else may have written the line. */
function ownerOfToken({ WCS_METRICS_URL, WCS_URL }: Context["terminal"]["env"], target: Target): string | undefined {
  return WCS_METRICS_URL || WCS_URL || (target.remote ? target.profile?.target : undefined);
}

const wayToRead = ({ origin }: Base, { WCS_METRICS_TOKEN }: Context["terminal"]["env"]): string =>
  WCS_METRICS_TOKEN
    ? `WCS_METRICS_TOKEN is not sent there; set WCS_METRICS_URL=${origin} if the token belongs to it`
    : "set WCS_METRICS_TOKEN, or use --metrics-url";

const pathOf = ({ prefix }: Base) => prefix.replace(/\/metrics$/, "");
const addressOf = (base: Base) => base.origin + pathOf(base);
