import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { isSea } from "node:sea";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { AggregatorRegistry } from "prom-client";
import { requireFreePort } from "../../../http/server/listen.ts";
import { ReportedElsewhere } from "../../errors/cli-errors.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ServeOptions } from "./serve-options.ts";
import { type FromWorker, portVariable, type ToWorker } from "./worker-process.ts";

/** Milliseconds before a worker that ended is replaced, so that one that fails at once does not take all the time. */
const pause = 1000;

/**
 * Runs this command line in several processes that share its port, until the program is interrupted. One of them delivers;
 * when it ends, another one takes over at once. Throws when the first one cannot start.
 */
export async function superviseWorkers(
  { workers: count, host, port }: ServeOptions,
  { log, terminal }: { log: Logger; terminal: Terminal },
): Promise<void> {
  await requireFreePort({ host, port });
  const [, file = "", ...args] = process.argv;
  const [first = "", ...others] = args;
  // A single executable takes no file of a program as its first argument.
  cluster.setupPrimary(isSea() ? { exec: first, args: others } : { exec: file, args });
  const metrics = new AggregatorRegistry();
  const running = new Set<Worker>();
  const ready = new Set<Worker>();
  /** Workers that do not listen any more. */
  const closed = new Set<Worker>();
  let delivering: Worker | undefined;
  let isStopping = false;
  let url: string | undefined;

  const send = (worker: Worker, message: ToWorker) => {
    if (worker.isConnected()) worker.send(message);
  };
  const assignDelivery = () => {
    if (delivering !== undefined || isStopping) return;
    [delivering] = ready;
    if (delivering === undefined) return;
    log.info({ worker: delivering.process.pid }, "a worker delivers webhooks and mail");
    send(delivering, { to: "deliver" });
  };
  /** Lets workers answer once none listens: the system would reset connections that it accepts after that. */
  const answer = () => {
    if ([...running].every((each) => closed.has(each))) for (const each of closed) send(each, { to: "answer" });
  };
  const receive = async (worker: Worker, message: FromWorker) => {
    if (message.to === "be-ready") {
      ready.add(worker);
      log.info({ worker: worker.process.pid }, "a worker is ready");
      assignDelivery();
      if (url === undefined) {
        url = message.url;
        await terminal.write(`${url}\n`);
        for (let more = 1; more < count; more += 1) keeping.push(keepRunning());
      }
    } else if (message.to === "close-port") {
      closed.add(worker);
      // A worker that was stopped alone does not wait for the others.
      if (isStopping) answer();
      else send(worker, { to: "answer" });
    } else if (message.to === "collect-metrics") {
      await metrics.clusterMetrics().then(
        (text) => send(worker, { to: "show-metrics", text }),
        (error: Error) => send(worker, { to: "fail-metrics", message: error.message }),
      );
    }
  };
  /** Replaces a worker as often as it ends. */
  const keepRunning = async () => {
    while (!isStopping) {
      const worker = cluster.fork(url === undefined ? {} : { [portVariable]: new URL(url).port });
      running.add(worker);
      worker.on("message", (message: FromWorker) => void receive(worker, message));
      const [code, signal] = (await once(worker, "exit")) as [number | null, string | null];
      running.delete(worker);
      ready.delete(worker);
      closed.delete(worker);
      if (isStopping) answer();
      if (delivering === worker) delivering = undefined;
      assignDelivery();
      if (isStopping) return;
      if (url === undefined) throw new ReportedElsewhere(code ?? 1);
      log.error({ worker: worker.process.pid, code, signal }, "a worker ended and will be replaced");
      await sleep(pause);
    }
  };
  terminal.onInterrupt(() => {
    isStopping = true;
    for (const worker of running) worker.process.kill("SIGTERM");
  });
  const keeping = [keepRunning()];
  // Grows while it is awaited: the first worker starts the others.
  for (const each of keeping) await each;
}
