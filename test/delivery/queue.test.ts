import { beforeEach, describe, expect, it, vi } from "vitest";
import { countCallbacksSince } from "../../src/delivery/delivery.ts";
import { Leases } from "../../src/delivery/queue/leases.ts";
import { repairClock } from "../../src/delivery/queue/repair-clock.ts";
import { callbackRetries, failedAttempt } from "../../src/delivery/queue/retry-schedule.ts";
import { callbackQueue } from "../../src/delivery/webhooks/callback-queue.ts";
import { timerDelay, Wakeup } from "../../src/store/wakeup.ts";
import { describeOnDatabases } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { makeUsers, newWebhook } from "../support/outbox.ts";

/** The documented length of a lease, and how far clocks of servers may differ. */
const leaseMilliseconds = 30_000;
const tolerated = 60_000;

describeOnDatabases("the queue of callbacks", (open) => {
  let instance: Instance;
  let webhook: number;
  let now: number;
  const claim = (at: number) => callbackQueue.claim(instance.database, [{ partition: webhook, max: 10 }], at);
  beforeEach(async () => {
    instance = await open();
    instance.freeze();
    now = instance.now() * 1000;
    webhook = (await newWebhook(instance, "http://receiver.invalid/")).id;
    await makeUsers(instance);
  });

  it("counts the callbacks that were created since a time", async () => {
    const since = (seconds: number) => countCallbacksSince(instance.database, seconds);
    expect([await since(now / 1000), await since(now / 1000 + 1)]).toEqual([1, 0]);
  });

  it("announces released deliveries, and nothing when none is released", async () => {
    const announced: unknown[] = [];
    const database = { ...instance.database, announce: (topics: unknown) => void announced.push(topics) };
    await callbackQueue.release(database, await claim(now), now);
    await callbackQueue.release(database, [], now);
    expect(announced).toEqual([["outbox"]]);
    expect(await claim(now)).toHaveLength(1);
  });

  it("keeps a lease while the clocks of servers differ by no more than is tolerated", async () => {
    await claim(now);
    await repairClock(instance.database, now - tolerated);
    expect(await claim(now)).toEqual([]);
    await repairClock(instance.database, now - tolerated - 1);
    expect(await claim(now - tolerated - 1)).toHaveLength(1);
  });

  /** Claims the callback, and records that its next attempt is due at that time. */
  const record = async (due_at: number) => {
    const retry = { attempt: 1, state: "waiting", due_at } as const;
    const [job] = await claim(now);
    await instance.database.writeLocking((tx) => callbackQueue.record(tx, [{ ...job!, ...retry }]));
  };

  it("makes a retry due that is further away than the longest pause", async () => {
    const longest = 86_400_000 * 1.1 + tolerated;
    await record(now + longest);
    await repairClock(instance.database, now);
    expect(await claim(now)).toEqual([]);
    await repairClock(instance.database, now - 1);
    expect(await claim(now - 1)).toHaveLength(1);
  });

  it("ends the lease of a retry when the clock was set back, but keeps the time of a retry that nobody has claimed", async () => {
    await record(now);
    await claim(now);
    await repairClock(instance.database, now - 7_200_000);
    expect(await claim(now - 7_200_000)).toHaveLength(1);
    await repairClock(instance.database, now);
    await record(now + 7_200_000);
    await repairClock(instance.database, now);
    expect(await claim(now)).toEqual([]);
  });

  it("logs that leases cannot be renewed or released, renews them later, and ends those that were lost", async () => {
    const errors: unknown[] = [];
    let isDown = true;
    const down = new Error("down");
    const { promise: renewed, resolve } = Promise.withResolvers<void>();
    const queue = {
      renew: async () => {
        if (isDown) throw down;
        resolve();
        return new Set<number>();
      },
      release: () => Promise.reject(down),
    };
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const log = { info() {}, error: (details: object, message: string) => void errors.push([details, message]) };
      const leases = new Leases(queue, { database: instance.database, clock: () => now, log });
      leases.add([]);
      expect(vi.getTimerCount()).toBe(0);
      const [first, second] = [1, 2].map((id) => ({ id, token: "a" }));
      leases.add([first!, second!]); // Two were made.
      vi.advanceTimersByTime(leaseMilliseconds / 3);
      await expect.poll(() => errors).toEqual([[{ err: down }, "leases of deliveries cannot be renewed"]]);
      expect(leases.size).toBe(2);
      await leases.release([first!]);
      expect(errors.slice(1)).toEqual([[{ err: down }, "deliveries cannot be released"]]);
      expect([leases.has(first!), leases.has(second!)]).toEqual([false, true]);
      isDown = false;
      vi.advanceTimersByTime(leaseMilliseconds / 3);
      await renewed;
      await expect.poll(() => leases.size).toBe(0);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the pause of a worker", () => {
  it("is limited to the maximum of timers", () => {
    const given = [-1, 0, 5, 2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY];
    expect(given.map(timerDelay)).toEqual([0, 0, 5, 2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1]);
  });

  it("ends by a wake-up, at once when that came before, and leaves no timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const wakeup = new Wakeup();
      const rest = wakeup.wait(1000);
      expect(vi.getTimerCount()).toBe(1);
      wakeup.raise();
      await rest;
      await wakeup.wait(1000);
      expect(vi.getTimerCount()).toBe(0);
      wakeup.clear();
      const next = wakeup.wait(1000);
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(1000);
      await next;
    } finally {
      vi.useRealTimers();
    }
  });

  it("follows Retry-After for at most a day", () => {
    const next = (retryAfter: number) =>
      failedAttempt(callbackRetries, { id: 1, token: "a", attempt: 1, now: 7, retryAfter }, () => 0.5);
    const waiting = { id: 1, token: "a", attempt: 1, state: "waiting" };
    expect(next(90_000_000)).toEqual({ ...waiting, due_at: 86_400_007 });
    expect(next(0)).toEqual({ ...waiting, due_at: 5007 });
    const ended = failedAttempt(callbackRetries, { id: 1, token: "a", attempt: 10, now: 7 });
    expect(ended).toEqual({ ...waiting, attempt: 10, state: "failed", due_at: 7 });
  });
});
