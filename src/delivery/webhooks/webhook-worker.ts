import { randomBytes } from "node:crypto";
import type { Settings } from "../../contract/settings.ts";
import type { Database } from "../../store/database.ts";
import type { DeliveryLog } from "../delivery-log.ts";
import {
  type ClaimedDelivery,
  type ClaimQuota,
  claim,
  extend,
  findReceivers,
  findReceiversDue,
  giveBack,
  leaseMilliseconds,
  type Receiver,
} from "../queue/delivery-queue.ts";
import { timerFor } from "../queue/unref-timer.ts";
import type { Resolve } from "../ssrf/guarded-lookup.ts";
import { stopInactive } from "./disable-webhooks.ts";
import { Endpoint } from "./endpoint.ts";
import { ResultWriter } from "./result-writer.ts";
import { type CallbackSender, createSender } from "./send-callback.ts";
import { signatureHeaders } from "./sign-callback.ts";
import type { FinishedAttempt } from "./write-results.ts";

/** Maximum number of deliveries in memory, over all receivers. */
const mostHeld = 6000;
/** Maximum number of concurrent requests, over all receivers. */
const mostSending = 256;
/** Maximum number of receivers in one round of claims; the others come first in the next. */
const receiversInRound = 50;
/** Maximum number of webhooks whose speed is remembered while nothing is to be sent to them. */
const endpointsKept = 1000;
const heartbeatMilliseconds = leaseMilliseconds / 3;

export interface WorkerOptions {
  readonly database: Database;
  readonly settings: () => Promise<Settings>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly log: DeliveryLog;
  readonly userAgent: string;
  readonly resolve?: Resolve | undefined;
  /** Stops when nothing is due, so the last results are written without waiting for more. */
  readonly untilEmpty?: boolean;
}

/** Delivers due callbacks. Holds each by a lease, so that other workers take over the deliveries of a crashed worker. */
export class WebhookWorker {
  readonly #options: WorkerOptions;
  readonly #onProgress: () => void;
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #results: ResultWriter;
  #way: { sender: CallbackSender; open: boolean; timeout: number } | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #sending = 0;
  #stopping = false;
  /** True while an endpoint waits because the maximum of concurrent requests is reached. */
  #crowded = false;

  /** `onProgress` runs when there is room for more deliveries. */
  constructor(options: WorkerOptions, onProgress: () => void) {
    this.#options = options;
    this.#onProgress = onProgress;
    this.#results = new ResultWriter({ ...options, isLast: () => this.#isLast() }, (results) => this.#written(results));
  }

  /** Number of deliveries that are held: queued, being sent, or not yet written. */
  get held(): number {
    let held = 0;
    for (const endpoint of this.#endpoints.values()) held += endpoint.held;
    return held;
  }

  /**
   * Claims due deliveries and starts to send them. Returns the number of claimed and ended deliveries; more may be due
   * unless it is 0.
   */
  async round(): Promise<number> {
    if (this.#stopping) return 0;
    const { database, clock } = this.#options;
    await this.#refresh();
    const stopped = await stopInactive(database, clock());
    const due = await findReceiversDue(database, clock());
    const quotas = this.#quotas(due);
    if (quotas.length === 0) return stopped;
    await this.#prepare();
    const jobs = await claim(database, quotas, { now: clock(), token: randomBytes(12).toString("base64url") });
    if (jobs.length > 0) this.#beat();
    const taken = Map.groupBy(jobs, (job) => job.webhook_id);
    for (const receiver of due) {
      const endpoint = this.#endpoint(receiver);
      endpoint.add(taken.get(receiver.id) ?? [], performance.now());
      this.#sendMore(endpoint);
    }
    return stopped + jobs.length;
  }

  /** Applies changes of URL and secret to queued deliveries, and releases those of inactive webhooks. */
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

  /** Divides the free room evenly among receivers with due deliveries, preferring those with the fewest held. */
  #quotas(due: readonly Receiver[]): ClaimQuota[] {
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

  /** Creates a new sender when the setting changes, because open connections were checked against the old one. */
  async #prepare(): Promise<void> {
    const { clock, resolve } = this.#options;
    const settings = await this.#options.settings();
    const open = settings["webhooks.allow_private"];
    const timeout = settings["webhooks.timeout"] * 1000;
    const old = this.#way;
    if (old?.open === open) this.#way = { ...old, timeout };
    else {
      this.#way = { sender: await createSender({ settings, resolve, clock }), open, timeout };
      // Running requests on the old connections may finish.
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

  /** Serves endpoints that waited for a free request. Each that gets one moves to the end of the order. */
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

  async #send(endpoint: Endpoint, job: ClaimedDelivery): Promise<void> {
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

  #headers(receiver: Receiver, { message_id, payload }: ClaimedDelivery): Record<string, string> {
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

  /** Returns true when this worker expects no further result. */
  #isLast(): boolean {
    if (!this.#options.untilEmpty || this.#sending > 0) return false;
    return [...this.#endpoints.values()].every(({ queued }) => queued === 0);
  }

  #written(results: readonly FinishedAttempt[]): void {
    for (const { job } of results) this.#settled(job);
    if (this.held === 0) this.#stopBeating();
    this.#onProgress();
  }

  #settled({ id, webhook_id }: ClaimedDelivery): void {
    this.#endpoints.get(webhook_id)?.settled(id);
  }

  async #giveBack(jobs: readonly ClaimedDelivery[]): Promise<void> {
    const { database, clock, log } = this.#options;
    // Deliveries that cannot be released become free when their leases end.
    await giveBack(database, jobs, clock()).catch((error) =>
      log.error({ err: error }, "webhook deliveries cannot be released"),
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
      // Ignores deliveries that were claimed meanwhile.
      const lost = new Set(jobs.filter((job) => !mine.has(job.id)));
      if (lost.size > 0) for (const endpoint of this.#endpoints.values()) endpoint.forget((job) => lost.has(job));
    } catch (error) {
      log.error({ err: error }, "leases of webhook deliveries cannot be renewed");
    }
  }

  /** Claims no more, releases queued deliveries and waits for running ones; aborts those that exceed the time. */
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
