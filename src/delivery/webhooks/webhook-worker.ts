import { validSecrets } from "../../store/previous-secrets.ts";
import { timerDelay, Wakeup } from "../../store/wakeup.ts";
import type { DeliveryOptions } from "../delivery-options.ts";
import type { ClaimQuota } from "../queue/leased-queue.ts";
import { Leases } from "../queue/leases.ts";
import type { Worker } from "../queue/worker-loop.ts";
import {
  type ClaimedDelivery,
  callbackQueue,
  claimDeliveries,
  findReceivers,
  findReceiversDue,
  type Receiver,
} from "./callback-queue.ts";
import { stopInactive } from "./disable-webhooks.ts";
import { Endpoint } from "./endpoint.ts";
import { ResultWriter } from "./result-writer.ts";
import { type CallbackSender, createSender } from "./send-callback.ts";
import { signatureHeaders } from "./sign-callback.ts";
import type { FinishedAttempt } from "./write-results.ts";

/** Maximum number of deliveries in memory, over all receivers. */
const maxLeases = 6000;
/** Maximum number of concurrent requests, over all receivers. */
const maxSending = 256;
/** Maximum number of receivers in one round of claims; the others come first in the next. */
const receiversInRound = 50;
/** Maximum number of idle webhooks whose speed is remembered. */
const maxEndpoints = 1000;

type WorkerOptions = Omit<DeliveryOptions, "servedAt" | "pollInterval">;

/** Delivers due callbacks. Claims each by a lease, so that other workers take over the deliveries of a crashed worker. */
export class WebhookWorker implements Worker {
  /** Raised when there is room for more deliveries. */
  readonly wakeup = new Wakeup();
  readonly #options: WorkerOptions;
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #leases: Leases<ClaimedDelivery>;
  readonly #results: ResultWriter;
  #connection: { sender: CallbackSender; allowPrivate: boolean; timeout: number } | undefined;
  #sending = 0;
  /** Number of deliveries that are being sent or whose results are not written yet. */
  #unfinished = 0;
  /** True while an endpoint waits because the maximum of concurrent requests is reached. */
  #crowded = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#leases = new Leases(callbackQueue, options);
    this.#results = new ResultWriter({ ...options, onEnd: (results) => this.#end(results) });
  }

  /** True while deliveries are queued, being sent, or not yet written. */
  get busy(): boolean {
    return this.#leases.size > 0;
  }

  /** Starts to send due deliveries. Returns the number of claimed and ended ones; more may be due unless it is 0. */
  async round(): Promise<number> {
    const { database, clock } = this.#options;
    await this.#refresh();
    const stopped = await stopInactive(database, clock());
    const due = await findReceiversDue(database, clock());
    const quotas = this.#quotas(due);
    if (quotas.length === 0) return stopped;
    const jobs = await claimDeliveries(database, quotas, clock());
    // Settings that were read before the claim may be older than these deliveries.
    await this.#connect();
    this.#leases.add(jobs);
    const claimed = Map.groupBy(jobs, (job) => job.webhook_id);
    for (const receiver of due) {
      const endpoint = this.#endpoint(receiver);
      endpoint.add(claimed.get(receiver.id) ?? [], performance.now());
      this.#sendMore(endpoint);
    }
    return stopped + jobs.length;
  }

  /** Applies changes of URL and secret to queued deliveries, and releases those of inactive webhooks. */
  async #refresh(): Promise<void> {
    const filled = [...this.#endpoints.values()].filter((endpoint) => endpoint.queued > 0);
    if (filled.length === 0) return;
    const ids = filled.map((endpoint) => endpoint.receiver.id);
    const receivers = await findReceivers(this.#options.database, ids);
    const active = new Map(receivers.map((receiver) => [receiver.id, receiver]));
    for (const endpoint of filled) {
      const receiver = active.get(endpoint.receiver.id);
      if (receiver) endpoint.receiver = receiver;
      else await this.#leases.release(endpoint.clear());
    }
  }

  /** Divides the free room evenly among receivers with due deliveries, preferring those with the fewest deliveries here. */
  #quotas(due: readonly Receiver[]): ClaimQuota[] {
    const room = Math.max(maxLeases - this.#leases.size, 0);
    const hungry = due
      .map((receiver) => this.#endpoint(receiver))
      .filter((endpoint) => endpoint.room > 0)
      .sort((a, b) => a.size - b.size)
      .slice(0, Math.min(receiversInRound, room));
    const share = Math.floor(room / hungry.length);
    return hungry.map((endpoint) => ({ partition: endpoint.receiver.id, max: Math.min(endpoint.room, share) }));
  }

  #endpoint(receiver: Receiver): Endpoint {
    const known = this.#endpoints.get(receiver.id);
    if (known) known.receiver = receiver;
    // Before it is added: it has no deliveries yet, and would be forgotten with those that it gets.
    else if (this.#endpoints.size >= maxEndpoints)
      for (const [id, { size }] of this.#endpoints) if (size === 0) this.#endpoints.delete(id);
    const endpoint = known ?? new Endpoint(receiver);
    this.#endpoints.set(receiver.id, endpoint);
    return endpoint;
  }

  /** Creates a new sender when the setting changes, because open connections were checked against the old one. */
  async #connect(): Promise<void> {
    const { clock, resolve } = this.#options;
    const settings = await this.#options.settings();
    const allowPrivate = settings["webhooks.allow_private"];
    const timeout = settings["webhooks.timeout"] * 1000;
    const old = this.#connection;
    if (old?.allowPrivate === allowPrivate) this.#connection = { ...old, timeout };
    else {
      this.#connection = { sender: await createSender({ settings, resolve, clock }), allowPrivate, timeout };
      // Running requests on the old connections may finish.
      void old?.sender.close();
    }
  }

  #sendMore(endpoint: Endpoint): void {
    for (;;) {
      if (this.#sending >= maxSending) {
        this.#crowded = true;
        return;
      }
      const job = endpoint.next(this.#leases);
      if (job === undefined) return;
      void this.#deliver(endpoint, job);
      if (endpoint.runsLow) this.wakeup.raise();
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

  async #deliver(endpoint: Endpoint, job: ClaimedDelivery): Promise<void> {
    this.#sending += 1;
    this.#unfinished += 1;
    // Each round connects before it claims.
    const { sender, timeout } = this.#connection!;
    const headers = this.#headers(endpoint.receiver, job);
    const { uri } = endpoint.receiver;
    const answer = await sender.send({ url: uri, headers, body: job.payload, timeout });
    this.#sending -= 1;
    const result = { job, uri, headers, answer, ended: this.#options.clock() };
    const hung = answer.status === "timeout";
    const left = endpoint.ended(hung);
    if (hung) await this.#leases.release(left);
    this.#results.add(result);
    if (this.#crowded) this.#sendOthers();
    else this.#sendMore(endpoint);
    if (this.#sending === 0) this.#results.flush();
  }

  #end(results: readonly FinishedAttempt[]): void {
    for (const { job } of results) this.#leases.end(job);
    this.#unfinished -= results.length;
    this.wakeup.raise();
  }

  #headers(receiver: Receiver, { message_id, payload }: ClaimedDelivery): Record<string, string> {
    const timestamp = Math.floor(this.#options.clock() / 1000);
    const previous = validSecrets(receiver.previous_secrets, timestamp).map(({ secret }) => secret);
    const secrets = [receiver.secret, ...previous];
    return {
      "content-type": "application/json",
      "user-agent": this.#options.userAgent,
      ...signatureHeaders({ id: message_id, timestamp, body: payload }, secrets),
    };
  }

  /** Releases queued deliveries and waits for running ones; aborts those that exceed the time. Call it after the last round. */
  async stop(milliseconds: number): Promise<void> {
    await this.#leases.release([...this.#endpoints.values()].flatMap((endpoint) => endpoint.clear()));
    const timer = setTimeout(() => {
      this.#results.giveUp();
      this.#connection?.sender.cut();
    }, timerDelay(milliseconds));
    while (this.#unfinished > 0) {
      this.wakeup.clear();
      await this.wakeup.wait(Number.POSITIVE_INFINITY);
    }
    clearTimeout(timer);
    // Connections that are still being opened, to names that do not resolve, would take a minute to close.
    this.#connection?.sender.cut();
    await this.#connection?.sender.close();
  }
}
