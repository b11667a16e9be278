import { randomBytes } from "node:crypto";
import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import { stopInactive } from "./disabling.ts";
import { Endpoint } from "./endpoint.ts";
import type { Resolve } from "./guard.ts";
import type { Log } from "./log.ts";
import {
  claim,
  extend,
  findReceivers,
  findReceiversDue,
  giveBack,
  type Job,
  leaseMilliseconds,
  type Receiver,
  type Wish,
} from "./queue.ts";
import { ResultWriter } from "./result-writer.ts";
import type { Result } from "./results.ts";
import { createSender, type Sender } from "./send.ts";
import { signatureHeaders } from "./sign.ts";
import { timerFor } from "./timer.ts";

/** Deliveries in memory at most, over all receivers. */
const mostHeld = 6000;
/** Requests under way at most, over all receivers. */
const mostSending = 256;
/** Receivers served by one round of claims; the others come first in the next. */
const receiversInRound = 50;
/** Webhooks whose speed is remembered while there is nothing to send to them. */
const endpointsKept = 1000;
const heartbeatMilliseconds = leaseMilliseconds / 3;

export interface WorkerOptions {
  readonly database: Database;
  readonly settings: () => Promise<Settings>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly log: Log;
  readonly userAgent: string;
  readonly resolve?: Resolve | undefined;
  /** It works until nothing is due, so that the last results need not wait for others. */
  readonly untilEmpty?: boolean;
}

/**
 * Sends what is due. Everything that it takes it holds by a lease, so a worker that dies loses nothing.
 */
export class WebhookWorker {
  readonly #options: WorkerOptions;
  readonly #onProgress: () => void;
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #results: ResultWriter;
  #way: { sender: Sender; open: boolean; timeout: number } | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #sending = 0;
  #stopping = false;
  /** Somebody waits because all connections are taken. */
  #crowded = false;

  /** `onProgress` is called when there is room for more. */
  constructor(options: WorkerOptions, onProgress: () => void) {
    this.#options = options;
    this.#onProgress = onProgress;
    this.#results = new ResultWriter({ ...options, isLast: () => this.#isLast() }, (results) => this.#written(results));
  }

  /** Deliveries that are held: waiting for a connection, under way, or not yet written. */
  get held(): number {
    let held = 0;
    for (const endpoint of this.#endpoints.values()) held += endpoint.held;
    return held;
  }

  /** Takes what is due and begins to send it. How much was done; there may be more as long as it is something. */
  async round(): Promise<number> {
    if (this.#stopping) return 0;
    const { database, clock } = this.#options;
    await this.#refresh();
    const stopped = await stopInactive(database, clock());
    const due = await findReceiversDue(database, clock());
    const wishes = this.#wishes(due);
    if (wishes.length === 0) return stopped;
    await this.#prepare();
    const jobs = await claim(database, wishes, { now: clock(), token: randomBytes(12).toString("base64url") });
    if (jobs.length > 0) this.#beat();
    const taken = Map.groupBy(jobs, (job) => job.webhook_id);
    for (const receiver of due) {
      const endpoint = this.#endpoint(receiver);
      endpoint.add(taken.get(receiver.id) ?? [], performance.now());
      this.#sendMore(endpoint);
    }
    return stopped + jobs.length;
  }

  /** What was taken ahead follows changes of its webhook: of URL and secret, and whether it is wanted at all. */
  async #refresh(): Promise<void> {
    const ids = [...this.#endpoints].filter(([, endpoint]) => endpoint.queued > 0).map(([id]) => id);
    if (ids.length === 0) return;
    const receivers = await findReceivers(this.#options.database, ids);
    const active = new Map(receivers.map((receiver) => [receiver.id, receiver]));
    for (const id of ids) {
      const endpoint = this.#endpoints.get(id);
      const receiver = active.get(id);
      if (endpoint && receiver) endpoint.receiver = receiver;
      else if (endpoint) await this.#giveBack(endpoint.drop());
    }
  }

  /** As much as fits, evenly for all who have something due, those first who have least under way. */
  #wishes(due: readonly Receiver[]): Wish[] {
    const room = Math.max(mostHeld - this.held, 0);
    const hungry = due
      .map((receiver) => this.#endpoint(receiver))
      .filter((endpoint) => endpoint.room > 0)
      .sort((a, b) => a.held - b.held)
      .slice(0, Math.min(receiversInRound, room));
    const share = Math.floor(room / Math.max(hungry.length, 1));
    return hungry.map((endpoint) => ({ webhook_id: endpoint.receiver.id, most: Math.min(endpoint.room, share) }));
  }

  #endpoint(receiver: Receiver): Endpoint {
    const endpoint = this.#endpoints.get(receiver.id) ?? new Endpoint(receiver);
    endpoint.receiver = receiver;
    this.#endpoints.set(receiver.id, endpoint);
    if (this.#endpoints.size > endpointsKept) this.#forgetIdle();
    return endpoint;
  }

  #forgetIdle(): void {
    for (const [id, endpoint] of this.#endpoints) if (endpoint.held === 0) this.#endpoints.delete(id);
  }

  /** Connections that are kept were let through by what the settings said when they were made. */
  async #prepare(): Promise<void> {
    const { clock, resolve } = this.#options;
    const settings = await this.#options.settings();
    const open = settings["webhooks.allow_private"];
    const timeout = settings["webhooks.timeout"] * 1000;
    const old = this.#way;
    if (old?.open === open) this.#way = { ...old, timeout };
    else {
      this.#way = { sender: await createSender({ settings, resolve, clock }), open, timeout };
      // What is under way on the old connections may end.
      void old?.sender.close();
    }
  }

  #sendMore(endpoint: Endpoint): void {
    while (!this.#stopping) {
      if (this.#sending >= mostSending) {
        this.#crowded = true;
        return;
      }
      const job = endpoint.next();
      if (job === undefined) return;
      void this.#send(endpoint, job);
      if (endpoint.runsLow) this.#onProgress();
    }
  }

  /** While all connections were taken, others may have waited for one; whoever gets one goes to the end of the row. */
  #sendOthers(): void {
    this.#crowded = false;
    for (const [id, endpoint] of [...this.#endpoints]) {
      if (endpoint.queued === 0) continue;
      this.#endpoints.delete(id);
      this.#endpoints.set(id, endpoint);
      this.#sendMore(endpoint);
      if (this.#crowded) return;
    }
  }

  async #send(endpoint: Endpoint, job: Job): Promise<void> {
    this.#sending += 1;
    const { sender, timeout } = this.#way!;
    const headers = this.#headers(endpoint.receiver, job);
    const { uri } = endpoint.receiver;
    const answer = await sender.send({ url: uri, headers, body: job.payload, timeout });
    this.#sending -= 1;
    this.#results.add({ job, uri, headers, answer, ended: this.#options.clock() });
    const left = endpoint.ended(answer.status === "timeout");
    if (left.length > 0) await this.#giveBack(left);
    if (this.#crowded) this.#sendOthers();
    else this.#sendMore(endpoint);
  }

  #headers(receiver: Receiver, { message_id, payload }: Job): Record<string, string> {
    const timestamp = Math.floor(this.#options.clock() / 1000);
    const { secret, previous_secret, previous_secret_until } = receiver;
    const rotating = previous_secret !== null && (previous_secret_until ?? 0) > timestamp;
    const secrets = rotating ? [secret, previous_secret] : [secret];
    return {
      "content-type": "application/json",
      "user-agent": this.#options.userAgent,
      ...signatureHeaders({ id: message_id, timestamp, body: payload }, secrets),
    };
  }

  /** Whether no result will follow, as far as this worker knows. */
  #isLast(): boolean {
    if (!this.#options.untilEmpty || this.#sending > 0) return false;
    return [...this.#endpoints.values()].every(({ queued }) => queued === 0);
  }

  #written(results: readonly Result[]): void {
    for (const { job } of results) this.#settled(job);
    if (this.held === 0) this.#stopBeating();
    this.#onProgress();
  }

  #settled({ id, webhook_id }: Job): void {
    this.#endpoints.get(webhook_id)?.settled(id);
  }

  async #giveBack(jobs: readonly Job[]): Promise<void> {
    const { database, clock, log } = this.#options;
    // Those that cannot be given back come free with their leases.
    await giveBack(database, jobs, clock()).catch((error) =>
      log.error({ err: error }, "webhook deliveries cannot be given back"),
    );
    for (const job of jobs) this.#settled(job);
  }

  #beat(): void {
    this.#heartbeat ??= setInterval(() => void this.#extend(), heartbeatMilliseconds);
  }

  #stopBeating(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  async #extend(): Promise<void> {
    const { database, clock, log } = this.#options;
    const jobs = [...this.#endpoints.values()].flatMap((endpoint) => endpoint.jobs());
    try {
      const mine = await extend(database, jobs, clock());
      // Not what was taken meanwhile.
      const lost = new Set(jobs.filter((job) => !mine.has(job.id)));
      if (lost.size > 0) for (const endpoint of this.#endpoints.values()) endpoint.forget((job) => lost.has(job));
    } catch (error) {
      log.error({ err: error }, "leases of webhook deliveries cannot be prolonged");
    }
  }

  /** Takes no more, gives back what was not begun, and waits for the rest; what is not over in time is cut short. */
  async stop(milliseconds: number): Promise<void> {
    this.#stopping = true;
    await this.#giveBack([...this.#endpoints.values()].flatMap((endpoint) => endpoint.drop()));
    const timer = setTimeout(() => {
      this.#results.giveUp();
      this.#way?.sender.cut();
    }, timerFor(milliseconds));
    while (this.#sending > 0 || this.#results.writing) {
      await (this.#results.writing ?? new Promise((resolve) => setTimeout(resolve, 10)));
    }
    clearTimeout(timer);
    this.#stopBeating();
    await this.#way?.sender.close();
  }
}
