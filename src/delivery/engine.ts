import { setTimeout as sleep } from "node:timers/promises";
import { loggedError } from "../contract/logged-error.ts";
import { timerDelay } from "../store/wakeup.ts";
import type { DeliveryOptions } from "./delivery-options.ts";
import { MailWorker } from "./mail/mail-worker.ts";
import { outboxState } from "./queue/outbox-state.ts";
import { repairClock } from "./queue/repair-clock.ts";
import { runRounds, type Worker } from "./queue/worker-loop.ts";
import { removeExpired } from "./retention/remove-expired.ts";
import { WebhookWorker } from "./webhooks/webhook-worker.ts";

const defaults = { clock: Date.now, random: Math.random, pollInterval: 1000 };

export type EngineOptions = Omit<DeliveryOptions, keyof typeof defaults> & Partial<DeliveryOptions>;

export type Engine = ReturnType<typeof createEngine>;

const graceMilliseconds = 20_000;
const hour = 3_600_000;
const clockMilliseconds = 30_000;
/** Part of the time of `drain` in which it begins to send callbacks. */
const sendingPart = 0.6;

/** Delivers callbacks and mails. Any number of engines may work on one database. */
export function createEngine(given: EngineOptions) {
  const { database } = given;
  const log: EngineOptions["log"] = {
    info: (fields, message) => given.log.info(fields, message),
    error: ({ err, ...fields }: { err?: unknown }, message) =>
      given.log.error(err ? { ...fields, ...loggedError(database.explain(err)) } : fields, message),
  };
  const options = { ...defaults, ...given, log };
  const { clock, settings } = options;
  let running: ReturnType<typeof run> | undefined;

  function run() {
    const webhooks = new WebhookWorker(options);
    const mails = new MailWorker(options);
    const unsubscribe = database.onChange((topics) => {
      if (topics !== undefined && !topics.includes("outbox")) return;
      webhooks.wakeup.raise();
      mails.wakeup.raise();
    });
    const chores = startChores();
    const loop = (worker: Worker, message: string) =>
      runRounds(worker, { ...options, onError: (error) => log.error({ err: error }, message) });
    const webhookLoop = loop(webhooks, "webhooks cannot be sent");
    const mailLoop = loop(mails, "mails cannot be sent");
    return {
      async stop() {
        unsubscribe();
        const deadline = performance.now() + graceMilliseconds;
        mails.stop();
        const mailsEnded = mailLoop.stop();
        await Promise.all([webhookLoop.stop(), chores.stop()]);
        await webhooks.stop(deadline - performance.now());
        // Does not wait for a slow mail server: the mail's lease expires.
        await Promise.race([mailsEnded, pause(deadline - performance.now())]);
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
    let before = clock();
    // A clock that is wrong after the start, or jumps, has at least an hour to be corrected before it makes data expire.
    const remove = () => {
      const elapsed = clock() - before;
      before += elapsed;
      if (elapsed > 2 * hour) return;
      chore("expired rows cannot be removed", async () => {
        const now = Math.floor(clock() / 1000);
        await removeExpired(database, { now, settings: await settings(), stopped: () => stopped });
      });
    };
    repair();
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
    /** Starts delivering, and removes expired data once an hour, first after an hour. */
    start() {
      running ??= run();
    },
    /** Finishes running deliveries within 20 seconds and releases the rest to other engines. */
    async stop() {
      const ending = running;
      running = undefined;
      await ending?.stop();
    },
    /** Delivers what is due now, without `start`, for a limited time. Returns the counts of what remains. */
    async drain({ maxSeconds }: { readonly maxSeconds: number }) {
      await drainAll(options, maxSeconds * 1000);
      return outboxState(database, clock());
    },
    waiting: () => outboxState(database, clock()),
  };
}

/** Delivers until nothing is due, or for a limited time. Its last part is for the callbacks that are being sent. */
async function drainAll(options: DeliveryOptions, milliseconds: number): Promise<void> {
  const began = performance.now();
  const left = (part = 1) => began + milliseconds * part - performance.now();
  const webhooks = new WebhookWorker(options);
  const mails = new MailWorker(options);
  const drainWebhooks = async () => {
    while (left(sendingPart) > 0) {
      webhooks.wakeup.clear();
      if ((await webhooks.round()) > 0) continue;
      if (!webhooks.busy) break;
      await webhooks.wakeup.wait(Math.min(left(sendingPart), 100));
    }
    await webhooks.stop(left());
  };
  const drainMails = async () => {
    while (left() > 0 && (await mails.round()) > 0);
  };
  try {
    await Promise.all([drainWebhooks(), Promise.race([drainMails(), pause(left())])]);
  } finally {
    mails.stop();
    mails.close();
  }
}

/** Waits without keeping the process alive. */
const pause = (milliseconds: number) => sleep(timerDelay(milliseconds), undefined, { ref: false });
