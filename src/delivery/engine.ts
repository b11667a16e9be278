import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import type { DeliveryLog } from "./delivery-log.ts";
import { MailWorker } from "./mail/mail-worker.ts";
import { countWaiting, type WaitingCounts } from "./queue/count-waiting.ts";
import { repairClock } from "./queue/repair-clock.ts";
import { timerFor } from "./queue/unref-timer.ts";
import { Loop } from "./queue/worker-loop.ts";
import { removeExpired } from "./retention.ts";
import type { Resolve } from "./ssrf/guarded-lookup.ts";
import { WebhookWorker } from "./webhooks/webhook-worker.ts";

export interface EngineOptions {
  readonly database: Database;
  /** Returns the current settings. */
  readonly settings: () => Promise<Settings>;
  readonly log: DeliveryLog;
  /** User-Agent of callbacks: `wcs/<version>`. */
  readonly userAgent: string;
  /** Returns the URL of the service, for links in mail when the setting `base_url` is not set. */
  readonly servedAt?: () => string | undefined;
  /** Unix milliseconds, as `Date.now`. */
  readonly clock?: () => number;
  /** Returns a number from 0 up to 1, as `Math.random`. */
  readonly random?: () => number;
  /** Resolves the host names of receivers. Default: the system's resolver. */
  readonly resolve?: Resolve;
}

/** Delivers callbacks and mails. Any number of engines may work on one database. */
export interface Engine {
  /** Starts delivering, and removes expired data once an hour. */
  start(): void;
  /** Checks for due deliveries at once. Changes of the database trigger this by themselves. */
  wake(): void;
  /** Finishes running deliveries within 20 seconds and releases the rest to other engines. */
  stop(): Promise<void>;
  /** Delivers what is due now, without `start`, for a limited time. Returns the counts of what remains. */
  drain(limit: { readonly maxSeconds: number }): Promise<WaitingCounts>;
  waiting(): Promise<WaitingCounts>;
}

const graceMilliseconds = 20_000;
const hour = 3_600_000;
const clockMilliseconds = 30_000;

export function createEngine(given: EngineOptions): Engine {
  const options = { clock: Date.now, random: Math.random, ...given };
  const { database, log, clock, settings } = options;
  let running: ReturnType<typeof run> | undefined;

  function run() {
    const webhooks = new WebhookWorker(options, () => webhookLoop.wake());
    const mails = new MailWorker(options);
    const webhookLoop = new Loop(
      () => webhooks.round(),
      (error) => log.error({ err: error }, "webhooks cannot be sent"),
    );
    const mailLoop = new Loop(
      () => mails.round(),
      (error) => log.error({ err: error }, "mails cannot be sent"),
    );
    const wake = () => {
      webhookLoop.wake();
      mailLoop.wake();
    };
    const unsubscribe = database.onChange((topics) => {
      if (topics === undefined || topics.includes("outbox")) wake();
    });
    const chores = startChores();
    webhookLoop.start();
    mailLoop.start();
    return {
      wake,
      async stop() {
        unsubscribe();
        const deadline = performance.now() + graceMilliseconds;
        mails.stop();
        const mailsEnded = mailLoop.stop();
        await Promise.all([webhookLoop.stop(), chores.stop()]);
        await webhooks.stop(deadline - performance.now());
        // Does not wait for a slow mail server: the mail's lease expires.
        await Promise.race([mailsEnded, sleep(deadline - performance.now())]);
        mails.close();
      },
    };
  }

  function startChores() {
    let stopped = false;
    let last: Promise<void> = Promise.resolve();
    const chore = (what: string, work: () => Promise<void>) => {
      last = last.then(work).catch((error) => log.error({ err: error }, what));
    };
    const repair = () => chore("due times cannot be repaired", () => repairClock(database, clock()));
    const remove = () =>
      chore("expired rows cannot be removed", async () => {
        await removeExpired(database, await settings(), Math.floor(clock() / 1000), () => stopped);
      });
    repair();
    remove();
    const timers = [setInterval(repair, clockMilliseconds), setInterval(remove, hour)];
    return {
      async stop() {
        stopped = true;
        for (const timer of timers) clearInterval(timer);
        await last;
      },
    };
  }

  return {
    start() {
      running ??= run();
    },
    wake: () => running?.wake(),
    async stop() {
      const ending = running;
      running = undefined;
      await ending?.stop();
    },
    async drain({ maxSeconds }) {
      const deadline = performance.now() + maxSeconds * 1000;
      await drainAll(options, deadline);
      return countWaiting(database, clock());
    },
    waiting: () => countWaiting(database, clock()),
  };
}

/** Delivers until nothing is due, or until the deadline (as `performance.now`). */
async function drainAll(
  options: EngineOptions & { clock: () => number; random: () => number },
  deadline: number,
): Promise<void> {
  let progress = () => {};
  const webhooks = new WebhookWorker({ ...options, untilEmpty: true }, () => progress());
  const left = () => deadline - performance.now();
  const mails = new MailWorker({ ...options, patience: left() });
  const drainWebhooks = async () => {
    while (left() > 0) {
      const moved = new Promise<void>((resolve) => {
        progress = resolve;
      });
      if ((await webhooks.round()) > 0) continue;
      if (webhooks.held === 0) break;
      await Promise.race([moved, sleep(Math.min(Math.max(left(), 0), 100))]);
    }
    await webhooks.stop(left());
  };
  const drainMails = async () => {
    while (left() > 0 && (await mails.round()) > 0);
  };
  const timer = setTimeout(() => mails.stop(), timerFor(left()));
  try {
    await Promise.all([drainWebhooks(), Promise.race([drainMails(), sleep(left())])]);
  } finally {
    clearTimeout(timer);
    mails.stop();
    mails.close();
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timerFor(milliseconds)).unref());
}
