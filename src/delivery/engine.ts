import type { Settings } from "../contract/settings.ts";
import type { Database } from "../store/database.ts";
import { repairClock } from "./clock.ts";
import { countWaiting, type Waiting } from "./counts.ts";
import type { Resolve } from "./guard.ts";
import type { Log } from "./log.ts";
import { Loop } from "./loop.ts";
import { MailWorker } from "./mail.ts";
import { removeExpired } from "./retention.ts";
import { timerFor } from "./timer.ts";
import { WebhookWorker } from "./worker.ts";

export interface EngineOptions {
  readonly database: Database;
  /** As they are now. */
  readonly settings: () => Promise<Settings>;
  readonly log: Log;
  /** What callbacks say of the sender: `wcs/<version>`. */
  readonly userAgent: string;
  /** Where the service is served, for links in mail when the setting `base_url` is not set. */
  readonly servedAt?: () => string | undefined;
  /** Unix milliseconds, as `Date.now`. */
  readonly clock?: () => number;
  /** From 0 up to 1, as `Math.random`. */
  readonly random?: () => number;
  /** Finds the addresses of receivers, in place of the system's resolver. */
  readonly resolve?: Resolve;
}

/** Sends what the service has put out: callbacks of webhooks and mails. Any number may work on one database. */
export interface Engine {
  /** Sends from now on, and removes what is past its time once an hour. */
  start(): void;
  /** Looks for something to send at once; changes of the database do that by themselves. */
  wake(): void;
  /** Finishes what is under way, within 20 seconds, and leaves the rest to others. */
  stop(): Promise<void>;
  /** Without `start`: sends what is due now, for so long at most, and tells what is left. */
  drain(limit: { readonly maxSeconds: number }): Promise<Waiting>;
  waiting(): Promise<Waiting>;
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
        // A mail server that takes longer is not waited for: the mail comes free with its lease.
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

/** Sends until nothing is due, or until the deadline (as `performance.now`). */
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
