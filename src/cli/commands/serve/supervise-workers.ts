import cluster, { type Worker } from "node:cluster";
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
/** Milliseconds that a worker has to end, after what it did not finish in time. */
const longestEnding = 1200;

/** Milliseconds between two questions whether a worker still runs. */
const checkInterval = 10_000;
/** Questions that a worker may leave without an answer. Their number, not the time, survives a machine that was suspended. */
const mostUnanswered = 3;

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
  await new Supervisor(count, log, terminal).run(stopWithin + longestEnding);
}

class Supervisor {
  readonly #count: number;
  readonly #log: Logger;
  readonly #terminal: Terminal;
  readonly #metrics = new AggregatorRegistry();
  readonly #running = new Set<Worker>();
  readonly #ready = new Set<Worker>();
  /** Questions that a worker has not answered yet. */
  readonly #unanswered = new Map<Worker, number>();
  /** Workers that do not listen any more. */
  readonly #closed = new Set<Worker>();
  /** One promise for each worker that is kept running. */
  readonly #keeping: Promise<void>[] = [];
  #delivering: Worker | undefined;
  #isStopping = false;
  #url: string | undefined;
  /** Why the URL could not be written. */
  #failure: unknown;

  constructor(count: number, log: Logger, terminal: Terminal) {
    this.#count = count;
    this.#log = log;
    this.#terminal = terminal;
  }

  /** Runs until the program is interrupted. Kills workers that have not ended so many milliseconds later. */
  async run(longestStop: number): Promise<void> {
    this.#terminal.signals.take(() => {
      this.#isStopping = true;
      const stop = (signal: NodeJS.Signals) => {
        for (const worker of this.#running) worker.process.kill(signal);
      };
      stop("SIGTERM");
      setTimeout(stop, longestStop, "SIGKILL").unref();
    });
    setInterval(() => this.#check(), checkInterval).unref();
    this.#keeping.push(this.#keepRunning());
    // Grows while it is awaited: the first worker starts the others.
    for (const each of this.#keeping) await each;
  }

  async #keepRunning(): Promise<void> {
    while (!this.#isStopping) {
      const worker = cluster.fork(this.#url === undefined ? {} : { [portVariable]: new URL(this.#url).port });
      this.#running.add(worker);
      worker.on("message", (message: FromWorker) => void this.#receive(worker, message));
      const end = await endOf(worker);
      this.#forget(worker);
      if (this.#isStopping) return;
      if (this.#url === undefined) throw this.#failure ?? end.err ?? new ReportedElsewhere(end.code ?? 1);
      this.#log.error({ worker: worker.process.pid, ...end }, "a worker ended and will be replaced");
      await sleep(pause);
    }
  }

  /** Kills workers that hang: the system goes on giving them connections, which nobody answers. */
  #check(): void {
    for (const worker of this.#isStopping ? [] : this.#ready) {
      const unanswered = this.#unanswered.get(worker) ?? 0;
      this.#unanswered.set(worker, unanswered + 1);
      if (unanswered < mostUnanswered) {
        send(worker, { to: "confirm" });
        continue;
      }
      this.#log.error({ worker: worker.process.pid }, "a worker does not respond and is killed");
      worker.process.kill("SIGKILL");
    }
  }

  #forget(worker: Worker): void {
    for (const each of [this.#running, this.#ready, this.#unanswered, this.#closed]) each.delete(worker);
    if (this.#isStopping) this.#answer();
    if (this.#delivering === worker) this.#delivering = undefined;
    this.#assignDelivery();
  }

  async #receive(worker: Worker, message: FromWorker): Promise<void> {
    if (message.to === "be-ready") await this.#welcome(worker, message.url);
    else if (message.to === "go-on") this.#unanswered.delete(worker);
    else if (message.to === "close-port") {
      this.#closed.add(worker);
      // A worker that was stopped alone does not wait for the others.
      if (this.#isStopping) this.#answer();
      else send(worker, { to: "answer" });
    } else if (message.to === "collect-metrics") {
      await this.#metrics.clusterMetrics().then(
        (text) => send(worker, { to: "show-metrics", text }),
        (error: Error) => send(worker, { to: "fail-metrics", message: error.message }),
      );
    }
  }

  /** Starts the other workers once the first one is ready. */
  async #welcome(worker: Worker, url: string): Promise<void> {
    this.#ready.add(worker);
    this.#log.info({ worker: worker.process.pid }, "a worker is ready");
    if (this.#url === undefined) {
      try {
        await this.#terminal.write(`${url}\n`);
      } catch (error) {
        this.#failure = error;
        worker.process.kill("SIGTERM");
        return;
      }
      this.#url = url;
      for (let more = 1; more < this.#count; more += 1) this.#keeping.push(this.#keepRunning());
    }
    this.#assignDelivery();
  }

  #assignDelivery(): void {
    if (this.#delivering !== undefined || this.#isStopping) return;
    [this.#delivering] = this.#ready;
    if (this.#delivering === undefined) return;
    this.#log.info({ worker: this.#delivering.process.pid }, "a worker delivers webhooks and mail");
    send(this.#delivering, { to: "deliver" });
  }

  /** Lets workers answer once none listens: the system would reset connections that it accepts after that. */
  #answer(): void {
    if ([...this.#running].some((each) => !this.#closed.has(each))) return;
    for (const each of this.#closed) send(each, { to: "answer" });
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
