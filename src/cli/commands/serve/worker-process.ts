import cluster from "node:cluster";
import type { Registry } from "prom-client";
import { ServiceError } from "../../../contract/errors.ts";
import type { ShutdownStep } from "../../../http/server/shutdown.ts";

/** Tells a worker the port of the others. */
export const portVariable = "WCS_WORKER_PORT";

/** Messages between the main process of `wcs serve --workers` and a worker. prom-client has messages of its own. */
export type ToWorker =
  | { readonly to: "deliver" }
  | { readonly to: "go-on-after"; readonly step: ShutdownStep }
  | { readonly to: "confirm" }
  | { readonly to: "show-metrics"; readonly text: string }
  | { readonly to: "fail-metrics"; readonly message: string };
export type FromWorker =
  | { readonly to: "be-ready"; readonly url: string }
  | { readonly to: "wait-at"; readonly step: ShutdownStep }
  | { readonly to: "go-on" }
  | { readonly to: "collect-metrics" };

export type WorkerProcess = NonNullable<ReturnType<typeof thisWorker>>;

/** Returns the worker that this process is, one of several that share a port and a database; undefined for a server of its own. */
export function thisWorker() {
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  const send = (message: FromWorker) => void worker.send(message);
  const { [portVariable]: port } = process.env;
  return {
    /** The port on which the first worker listens; undefined for that one. */
    port: port === undefined ? undefined : Number(port),
    /** Tells the main process that requests are answered. Calls `deliver` when this worker is the one to deliver. */
    ready(url: string, deliver: () => void): void {
      worker.on("message", ({ to }: ToWorker) => {
        if (to === "deliver") deliver();
        else if (to === "confirm") send({ to: "go-on" });
      });
      send({ to: "be-ready", url });
    },
    /** Tells the main process that this worker has reached a step of the shutdown. Resolves when all have reached it. */
    inStep(step: ShutdownStep): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      worker.on("message", (message: ToWorker) => {
        if (message.to === "go-on-after" && message.step === step) resolve();
      });
      send({ to: "wait-at", step });
      return promise;
    },
    /** Returns a function that renders the metrics of all workers together. */
    async shareMetrics(registry: Registry): Promise<() => Promise<string>> {
      const { AggregatorRegistry } = await import("prom-client");
      AggregatorRegistry.setRegistries([registry]);
      // Creating one makes this process answer when the main process collects.
      new AggregatorRegistry();
      let asked: PromiseWithResolvers<string> | undefined;
      worker.on("message", (message: ToWorker) => {
        if (message.to === "show-metrics") asked?.resolve(message.text);
        else if (message.to === "fail-metrics") asked?.reject(notReported(message.message));
        else return;
        asked = undefined;
      });
      return () => {
        if (asked === undefined) send({ to: "collect-metrics" });
        asked ??= Promise.withResolvers();
        return asked.promise;
      };
    },
    /** Lets the process end although the main process could send more. */
    release: () => process.channel?.unref(),
  };
}

const notReported = (reason: string) =>
  new ServiceError("unavailable", "A worker did not report its metrics.", { cause: new Error(reason) });
