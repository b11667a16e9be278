import cluster from "node:cluster";
import type { Registry } from "prom-client";
import { ServiceError } from "../../../contract/errors.ts";
import type { ShutdownStep } from "../../../http/server/shutdown.ts";

/** Tells a worker the port of the others. */
export const portVariable = "WCS_WORKER_PORT";

/** Messages between the main process of `wcs serve --workers` and a worker. prom-client has messages of its own. */
export type ToWorker =
  | { readonly type: "deliver" }
  | { readonly type: "step-done"; readonly step: ShutdownStep }
  | { readonly type: "ping" }
  | { readonly type: "metrics"; readonly text: string }
  | { readonly type: "metrics-failed"; readonly message: string };
export type FromWorker =
  | { readonly type: "ready"; readonly url: string }
  | { readonly type: "step-reached"; readonly step: ShutdownStep }
  | { readonly type: "pong" }
  | { readonly type: "metrics-wanted" };

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
      worker.on("message", ({ type }: ToWorker) => {
        if (type === "deliver") deliver();
        else if (type === "ping") send({ type: "pong" });
      });
      send({ type: "ready", url });
    },
    /** Tells the main process that this worker has reached a step of the shutdown. Resolves when all have reached it. */
    inStep(step: ShutdownStep): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      worker.on("message", (message: ToWorker) => {
        if (message.type === "step-done" && message.step === step) resolve();
      });
      send({ type: "step-reached", step });
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
        if (message.type === "metrics") asked?.resolve(message.text);
        else if (message.type === "metrics-failed") asked?.reject(notReported(message.message));
        else return;
        asked = undefined;
      });
      return () => {
        if (asked === undefined) send({ type: "metrics-wanted" });
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
