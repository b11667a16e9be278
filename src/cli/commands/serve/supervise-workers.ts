import cluster, { type Worker } from "node:cluster";
import { isSea } from "node:sea";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { AggregatorRegistry } from "prom-client";
import { requireFreePort } from "../../../http/server/listen.ts";
import type { ShutdownStep } from "../../../http/server/shutdown.ts";
import { ReportedElsewhere } from "../../errors/cli-errors.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ServeOptions } from "./serve-options.ts";
import { type FromWorker, portVariable, type ToWorker } from "./worker-process.ts";

/** Milliseconds before a worker that ended is replaced, so that one that fails at once does not take all the time. */
const pause = 1000;
/** Milliseconds that a worker has to end after `stopWithin`. */
const killDelay = 1200;

/** Milliseconds between two pings of a worker. */
const checkInterval = 10_000;
/** Pings that a worker may leave unanswered. They are counted, because time also passes while a machine is suspended. */
const maxUnanswered = 3;

interface WorkerState {
  isReady: boolean;
  /** Steps of the shutdown that it has reached. */
  readonly steps: Set<ShutdownStep>;
  /** Pings that it has not answered yet. */
  unanswered: number;
}

/**
 * Runs this command line in several processes that share its port, until the program is interrupted. One of them delivers;
 * when it ends, another one takes over at once. Throws when the first one cannot start.
 */
export async function superviseWorkers(
  { workers: count, host, port, stopWithin }: ServeOptions,
  log: Logger,
  terminal: Terminal,
): Promise<void> {
  await requireFreePort({ host, port });
  const [, file = "", ...args] = process.argv;
  const [first = "", ...others] = args;
  // A single executable takes no file of a program as its first argument.
  cluster.setupPrimary(isSea() ? { exec: first, args: others } : { exec: file, args });
  const metrics = new AggregatorRegistry();
  const running = new Map<Worker, WorkerState>();
  /** One promise for each worker that is kept running. */
  const keeping: Promise<void>[] = [];
  let delivering: Worker | undefined;
  let isStopping = false;
  let url: string | undefined;
  /** Why the URL could not be written. */
  let failure: unknown;
  terminal.signals.take(() => {
    isStopping = true;
    const stop = (signal: NodeJS.Signals) => {
      for (const worker of running.keys()) worker.process.kill(signal);
    };
    stop("SIGTERM");
    setTimeout(stop, stopWithin + killDelay, "SIGKILL").unref();
  });
  setInterval(check, checkInterval).unref();
  keeping.push(keepRunning());
  // Grows while it is awaited: the first worker starts the others.
  for (const each of keeping) await each;

  async function keepRunning(): Promise<void> {
    while (!isStopping) {
      const worker = cluster.fork(url === undefined ? {} : { [portVariable]: new URL(url).port });
      const state = { isReady: false, steps: new Set<ShutdownStep>(), unanswered: 0 };
      running.set(worker, state);
      worker.on("message", (message: FromWorker) => void receive(worker, state, message));
      const end = await endOf(worker);
      running.delete(worker);
      if (delivering === worker) delivering = undefined;
      if (isStopping) return finishSteps();
      assignDelivery();
      if (url === undefined) throw failure ?? end.err ?? new ReportedElsewhere(end.code ?? 1);
      log.error({ worker: worker.process.pid, ...end }, "a worker ended and will be replaced");
      await sleep(pause);
    }
  }

  /** Kills workers that hang, because the system still gives them connections, which would get no answer. */
  function check(): void {
    for (const [worker, state] of isStopping ? [] : running) {
      if (!state.isReady) continue;
      state.unanswered += 1;
      if (state.unanswered <= maxUnanswered) {
        send(worker, { type: "ping" });
        continue;
      }
      log.error({ worker: worker.process.pid }, "a worker does not respond and is killed");
      worker.process.kill("SIGKILL");
    }
  }

  async function receive(worker: Worker, state: WorkerState, message: FromWorker): Promise<void> {
    if (message.type === "ready") await markReady(worker, state, message.url);
    else if (message.type === "pong") state.unanswered = 0;
    else if (message.type === "step-reached") {
      state.steps.add(message.step);
      // A worker that was stopped alone does not wait for the others.
      if (isStopping) finishSteps();
      else send(worker, { type: "step-done", step: message.step });
    } else if (message.type === "metrics-wanted") {
      await metrics.clusterMetrics().then(
        (text) => send(worker, { type: "metrics", text }),
        (error: Error) => send(worker, { type: "metrics-failed", message: error.message }),
      );
    }
  }

  /** Starts the other workers once the first one is ready. */
  async function markReady(worker: Worker, state: WorkerState, servedAt: string): Promise<void> {
    state.isReady = true;
    log.info({ worker: worker.process.pid }, "a worker is ready");
    if (url === undefined) {
      try {
        await terminal.write(`${servedAt}\n`);
      } catch (error) {
        failure = error;
        worker.process.kill("SIGTERM");
        return;
      }
      url = servedAt;
      for (let more = 1; more < count; more += 1) keeping.push(keepRunning());
    }
    assignDelivery();
  }

  function assignDelivery(): void {
    if (delivering !== undefined || isStopping) return;
    delivering = [...running.keys()].find((worker) => running.get(worker)?.isReady);
    if (delivering === undefined) return;
    log.info({ worker: delivering.process.pid }, "a worker delivers webhooks and mail");
    send(delivering, { type: "deliver" });
  }

  /** Lets workers continue once all have reached a step: otherwise the system would reset connections of clients that were answered before. */
  function finishSteps(): void {
    for (const step of ["hold", "close"] as const)
      if ([...running.values()].every(({ steps }) => steps.has(step)))
        for (const each of running.keys()) send(each, { type: "step-done", step });
  }
}

/** How a worker ended; with `err` when it could not be started. */
interface WorkerEnd {
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly err?: Error;
}

function endOf(worker: Worker): Promise<WorkerEnd> {
  const { promise, resolve } = Promise.withResolvers<WorkerEnd>();
  worker.on("exit", (code, signal) => resolve({ code, signal }));
  // A message to a worker that has just ended fails, too.
  worker.on("error", (err) => {
    if (worker.process.pid === undefined) resolve({ err });
  });
  return promise;
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
