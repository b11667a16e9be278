import type { BlockList } from "node:net";
import { z } from "zod";
import { tryParse } from "../../../contract/parse-input.ts";
import { blockListOf, parseNetwork, privateNetworks } from "../../../http/server/client-address.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { kebab } from "../../kit/field-flags.ts";
import { camelCase } from "../../kit/read-input.ts";
import { logFormats, logLevels } from "./log-lines.ts";

export const maxWorkers = 64;

/** More than the largest would not fit into the memory that a server keeps for bodies. */
const range = { smallest: 65_536, largest: 40 * 1024 * 1024 };
const units: Readonly<Record<string, number>> = { "": 1, kib: 1024, mib: 1024 * 1024 };

/** Returns the bytes of a limit, as in `512KiB`; NaN for other texts. */
function limitOf(text: string | number): number {
  const [, digits, unit = ""] = /^(\d+)(|KiB|MiB)$/i.exec(String(text)) ?? [];
  return Number(digits) * (units[unit.toLowerCase()] ?? 0);
}

const text = () => z.string().min(1);
const port = () => z.int().min(0).max(65_535);
const network = () =>
  text().refine((value) => parseNetwork(value) !== undefined, "must be a network like 10.0.0.0/8 or ::1/128");
const size = "must be a size in bytes, KiB or MiB from 64KiB to 40MiB";
const bodyLimit = () =>
  z
    .union([z.string(size), z.int(size)])
    .refine((value) => limitOf(value) >= range.smallest && limitOf(value) <= range.largest, size);
const notice = "must be a number of seconds from 0 to 3600, as in 2s";
const count = `must be auto or a number from 1 to ${maxWorkers}`;

/** Returns the seconds of a shutdown notice, as in `2`, `2s` or `1m`; NaN for other texts. */
export function noticeOf(value: string | number): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([sm]?)$/.exec(String(value)) ?? [];
  return Number(digits) * (unit === "m" ? 60 : 1);
}

/** Options that are flags, and keys of the file of --config. */
export const sharedOptions = () => ({
  host: text().default("127.0.0.1"),
  port: port().default(8420),
  metrics_port: port().optional(),
  workers: z.union([z.int(count).min(1, count).max(maxWorkers, count), z.literal("auto", count)]).default(1),
  behind_proxy: z.union([z.boolean(), z.array(network()).min(1)]).default(false),
  body_limit: bodyLimit().default("1MiB"),
  upload_limit: bodyLimit().default("40MiB"),
  shutdown_notice: z
    .union([z.number(notice), z.string(notice)])
    .refine((value) => noticeOf(value) <= 3600, notice)
    .default(1),
  log_level: z.enum(logLevels).default("info"),
  log_format: z.enum(logFormats).default("auto"),
});

type SharedOptions = ReturnType<typeof defaultOptions>;

export const defaultOptions = () => z.object(sharedOptions()).parse({});

/** Returns the options that are given as flags. Throws a `UsageError` for a wrong value. */
export function optionsIn(flags: Readonly<Record<string, unknown>>): Partial<SharedOptions> {
  const { behind_proxy, ...schemas } = sharedOptions();
  const given: Record<string, unknown> = networksIn(flags.behindProxy as string | true | undefined);
  for (const [key, schema] of Object.entries(schemas)) {
    const typed = flags[camelCase(kebab(key))] as string | undefined;
    if (typed === undefined) continue;
    const value = /^\d+(\.\d+)?$/.test(typed) && key !== "host" ? Number(typed) : typed;
    const result = tryParse(schema, value);
    if (!result.ok) throw new UsageError(`--${kebab(key)} ${Object.values(result.fields)[0]?.[0]}, not '${typed}'`);
    given[key] = value;
  }
  return given;
}

/** Parses --behind-proxy, which takes networks, or no value for the usual ones. */
function networksIn(flag: string | true | undefined): Partial<SharedOptions> {
  if (flag === undefined || flag === true) return flag ? { behind_proxy: true } : {};
  const networks = flag.split(",").map((each) => each.trim());
  const wrong = networks.find((each) => parseNetwork(each) === undefined);
  if (wrong === undefined) return { behind_proxy: networks };
  throw new UsageError(`--behind-proxy must be networks like 10.0.0.0/8,::1/128, not '${wrong}'`);
}

/** Returns the networks of trusted proxies: loopback and private ones for `true`, and none for `false`. */
export function trustedProxiesOf(proxies: SharedOptions["behind_proxy"]): BlockList | undefined {
  if (proxies === false) return undefined;
  const networks = proxies === true ? privateNetworks : proxies;
  return blockListOf(networks.map(parseNetwork).filter((network) => network !== undefined));
}

export function bodyLimitsOf({ body_limit: body, upload_limit: upload }: SharedOptions) {
  const [bodyLimit, uploadLimit] = [limitOf(body), limitOf(upload)];
  if (bodyLimit <= uploadLimit) return { bodyLimit, uploadLimit };
  throw new UsageError(`the body limit (${body}) must not be larger than the upload limit (${upload})`, {
    hint: "use --body-limit and --upload-limit, or body_limit and upload_limit in the file of --config",
  });
}
