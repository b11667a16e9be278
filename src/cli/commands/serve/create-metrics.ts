import type { Engine } from "../../../delivery/delivery.ts";
import type { Metrics } from "../../../http/server/metrics-endpoint.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** Creates the Prometheus metrics of this process; with a worker, those of all workers together. */
export async function createMetrics(
  engine: Pick<Engine, "waiting">,
  token: string | undefined,
  worker: WorkerProcess | undefined,
): Promise<Metrics> {
  const { collectDefaultMetrics, Gauge, Histogram, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // By default left out with workers. That of the newest shows each replaced worker, too.
  Object.assign(registry.getSingleMetric("process_start_time_seconds") ?? {}, { aggregator: "max" });
  const requests = new Histogram({
    name: "wcs_http_request_duration_seconds",
    help: "Time to answer, by route of the contract",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [registry],
  });
  new Gauge({
    name: "wcs_waiting",
    help: "Callbacks and mails that wait to be sent",
    labelNames: ["what"],
    // Every worker reads the same number from the database.
    aggregator: "first",
    registers: [registry],
    async collect() {
      const { due, later, mails, failedMails } = await engine.waiting();
      for (const [what, count] of Object.entries({ due, later, mails, failed_mails: failedMails }))
        this.set({ what }, count);
    },
  });
  return {
    contentType: registry.contentType,
    render: worker ? await worker.shareMetrics(registry) : () => registry.metrics(),
    observe: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    ...(token !== undefined && { token }),
  };
}
