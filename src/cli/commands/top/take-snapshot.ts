import { ServiceError } from "../../../contract/errors.ts";
import type { Caller } from "../../../contract/operation.ts";
import { webhooks } from "../../../contract/webhooks.ts";

/** Numbers of webhooks and errors that are looked at, and of routes that are shown. */
const [maxWebhooks, maxErrors, maxRoutes] = [10, 8, 6];
const hour = 3600;

/** The state of an instance at one moment. What cannot be read is null, and `missing` says why. */
export type Snapshot = Awaited<ReturnType<ReturnType<typeof createSnapshots>>>;

/** Takes snapshots, each with the rates since the one before. */
export function createSnapshots(caller: Caller, readMetrics: () => Promise<string>) {
  let before: { metrics: InstanceMetrics; at: number } | undefined;
  return async () => {
    const missing: string[] = [];
    const metrics = await unlessMissing(missing, async () => parseMetrics(await readMetrics()));
    const deliveries = await unlessMissing(missing, () => readDeliveries(caller));
    const at = Date.now() / 1000;
    const requests = metrics && requestsOf(metrics, before && { ...before, seconds: at - before.at });
    before = metrics && { metrics, at };
    return {
      at: Math.floor(at),
      requests: requests ?? null,
      queue: metrics?.queue ?? null,
      process: metrics ? { memory_bytes: metrics.memory_bytes, started_at: metrics.started_at } : null,
      webhooks: deliveries?.webhooks ?? null,
      errors: deliveries?.errors ?? [],
      missing,
    };
  };
}

/** Returns undefined, and adds the reason, for what this user or this instance does not show. */
async function unlessMissing<T>(missing: string[], read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ServiceError) || !["forbidden", "not_found"].includes(error.code)) throw error;
    missing.push(error.message);
    return undefined;
  }
}

/** Returns the requests since the snapshot before; since the start when there is none, or the instance was restarted. */
function requestsOf(
  { routes, started_at }: InstanceMetrics,
  before: { metrics: InstanceMetrics; seconds: number } | undefined,
) {
  const sum = (some: readonly RouteRequests[], key: "count" | "failed" | "seconds") =>
    some.reduce((total, route) => total + route[key], 0);
  const earlier = before?.metrics.started_at === started_at ? before.metrics.routes : [];
  const count = sum(routes, "count") - sum(earlier, "count");
  const seconds = sum(routes, "seconds") - sum(earlier, "seconds");
  return {
    count: sum(routes, "count"),
    failed: sum(routes, "failed"),
    ...(earlier.length > 0 && before && { per_second: round(count / before.seconds) }),
    average_ms: count === 0 ? 0 : round((seconds / count) * 1000),
    routes: routes.slice(0, maxRoutes),
  };
}

const round = (value: number) => Math.round(value * 10) / 10;

async function readDeliveries(caller: Caller) {
  const { data } = await caller.call(webhooks.list, {});
  const since = Math.floor(Date.now() / 1000) - hour;
  const found = await Promise.all(
    data.slice(0, maxWebhooks).map(async ({ id, name, active }) => {
      const [counts = { succeeded: 0, failed: 0 }] = (await caller.call(webhooks.stats, { id, since, parts: 1 })).data;
      const { succeeded, failed } = counts;
      const log = failed === 0 ? [] : (await caller.call(webhooks.logs, { id, since, limit: 100 })).data;
      const errors = log
        .filter(({ status }) => !/^2\d\d$/.test(status))
        .map(({ id: entry, event, status, error, created_at }) => {
          return { webhook: name, id: entry, event, status, error, created_at };
        });
      return { webhook: { id, name, active, succeeded, failed }, errors };
    }),
  );
  return {
    webhooks: found.map(({ webhook }) => webhook),
    errors: found
      .flatMap(({ errors }) => errors)
      .toSorted((a, b) => b.created_at - a.created_at || b.id - a.id)
      .slice(0, maxErrors),
  };
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
// Begins at a word, or a long one would be tried from each of its letters.
const label = /(?<!\w)([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)"/g;

function parseSamples(text: string) {
  return text.split("\n").flatMap((each) => {
    const [, name, labels = "", value] = line.exec(each) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(label)].map(([, key = "", given = ""]) => [key, given.replace(/\\(.)/g, "$1")]);
    const labelled: Record<string, string> = Object.fromEntries(pairs);
    return [{ name, labels: labelled, value: Number(value) }];
  });
}

const total = (samples: readonly { readonly value: number }[]) => samples.reduce((sum, { value }) => sum + value, 0);

/** Requests to a route since the instance was started. */
type RouteRequests = InstanceMetrics["routes"][number];
type InstanceMetrics = ReturnType<typeof parseMetrics>;

/** Returns the values of an instance from the text of its GET /metrics. Failed requests have a status of 500 or above. */
function parseMetrics(text: string) {
  const samples = parseSamples(text);
  const one = (name: string, what?: string) =>
    samples.find((sample) => sample.name === name && (what === undefined || sample.labels.what === what))?.value ?? 0;
  const requests = samples.filter(({ name }) => name.startsWith("wcs_http_request_duration_seconds_"));
  const byRoute = Map.groupBy(requests, ({ labels }) => `${labels.method} ${labels.route}`);
  const routes = [...byRoute.values()].map((some) => {
    const { method = "", route = "" } = some[0]?.labels ?? {};
    const counts = some.filter(({ name }) => name.endsWith("_count"));
    const failed = counts.filter(({ labels }) => Number(labels.status) >= 500);
    const seconds = some.filter(({ name }) => name.endsWith("_sum"));
    return { method, route, count: total(counts), failed: total(failed), seconds: total(seconds) };
  });
  return {
    routes: routes.toSorted((a, b) => b.count - a.count),
    queue: {
      due: one("wcs_waiting", "due"),
      later: one("wcs_waiting", "later"),
      mails: one("wcs_waiting", "mails"),
      failed_mails: one("wcs_waiting", "failed_mails"),
    },
    memory_bytes: one("process_resident_memory_bytes"),
    started_at: Math.floor(one("process_start_time_seconds")),
  };
}
