const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)"/g;

function parseSamples(text: string) {
  return text.split("\n").flatMap((each) => {
    const [, name, labels = "", value] = line.exec(each) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(label)].map(([, key = "", given = ""]) => [key, given.replace(/\\(.)/g, "$1")]);
    const labelled: Record<string, string> = Object.fromEntries(pairs);
    return [{ name, labels: labelled, value: Number(value) }];
  });
}

/** Requests to a route since the instance was started. */
export type RouteRequests = InstanceMetrics["routes"][number];
export type InstanceMetrics = ReturnType<typeof parseMetrics>;

/** Returns the values of an instance from the text of its GET /metrics. Failed requests have a status of 500 or above. */
export function parseMetrics(text: string) {
  const samples = parseSamples(text);
  const one = (name: string, what?: string) =>
    samples.find((sample) => sample.name === name && (what === undefined || sample.labels.what === what))?.value ?? 0;
  const requests = samples.filter(({ name }) => name.startsWith("wcs_http_request_duration_seconds_"));
  const byRoute = Map.groupBy(requests, ({ labels }) => `${labels.method} ${labels.route}`);
  const routes = [...byRoute.values()].map((some) => {
    const sum = (suffix: string, isCounted = (_: (typeof some)[number]) => true) =>
      some
        .filter((sample) => sample.name.endsWith(suffix) && isCounted(sample))
        .reduce((total, { value }) => total + value, 0);
    const { method = "", route = "" } = some[0]?.labels ?? {};
    const failed = sum("_count", ({ labels }) => Number(labels.status) >= 500);
    return { method, route, count: sum("_count"), failed, seconds: sum("_sum") };
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
