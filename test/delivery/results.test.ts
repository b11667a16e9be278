import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { webhooks } from "../../src/contract/webhooks.ts";
import { claimDeliveries } from "../../src/delivery/webhooks/callback-queue.ts";
import { ResultWriter } from "../../src/delivery/webhooks/result-writer.ts";
import { type FinishedAttempt, writeResults } from "../../src/delivery/webhooks/write-results.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { makeUsers, newWebhook } from "../support/outbox.ts";
import { receiverOfTest } from "../support/receiver.ts";

/** Milliseconds of failures only after which a webhook is disabled. */
const fiveDays = 5 * 86_400_000;

describeOnDatabases("results of callbacks", (open) => {
  let instance: Instance;
  let id: number;
  let now: number;
  beforeEach(async () => {
    instance = await open();
    instance.freeze();
    now = instance.now() * 1000;
    ({ id } = await newWebhook(instance, "http://receiver.invalid/"));
  });

  /** Claims deliveries of new events, and returns their results, each with a status and a time after now in milliseconds. */
  async function finish(...answers: readonly (readonly [status: string, after: number])[]): Promise<FinishedAttempt[]> {
    await makeUsers(instance, answers.length);
    const jobs = await claimDeliveries(instance.database, [{ partition: id, max: answers.length }], now);
    expect(jobs).toHaveLength(answers.length);
    return jobs.map((job, at) => {
      const [status = "", after = 0] = answers[at] ?? [];
      const answer = { status, error: null, duration: 1, retryAfter: undefined, response: null };
      return { job, uri: "http://receiver.invalid/", headers: {}, answer, ended: now + after };
    });
  }
  const write = async (...answers: readonly (readonly [status: string, after: number])[]) =>
    writeResults(instance.database, await finish(...answers), () => 0.5);
  const health = async () => {
    const { active, disabled_reason } = (await instance.administrator.call(webhooks.get, { id })).data;
    return [active, disabled_reason];
  };

  it("a webhook is disabled when the latest of several failures comes five days after the first", async () => {
    await write(["500", 0]);
    await write(["500", 1000], ["500", fiveDays - 1000]);
    expect(await health()).toEqual([true, null]);
    await write(["500", fiveDays], ["500", 2000]);
    expect(await health()).toEqual([false, "failing"]);
  });

  it("one success among failures begins the five days again", async () => {
    await write(["500", 0]);
    await write(["500", fiveDays], ["200", fiveDays], ["500", fiveDays]);
    expect(await health()).toEqual([true, null]);
    await write(["500", fiveDays + 1000]);
    expect(await health()).toEqual([true, null]);
  });

  it("one answer among others that the receiver is gone disables the webhook", async () => {
    await write(["200", 0], ["410", 0], ["500", 0]);
    expect(await health()).toEqual([false, "gone"]);
  });

  it("only the result of a test is announced to those who wait for one", async () => {
    const receiver = await receiverOfTest();
    await instance.administrator.call(webhooks.update, { id, uri: receiver.url });
    const announce = vi.spyOn(instance.database, "announce");
    await makeUsers(instance);
    await newEngine(instance).drain({ maxSeconds: 60 });
    expect(announce).not.toHaveBeenCalledWith(["webhook-logs"]);
    await instance.administrator.call(webhooks.test, { id, wait: 0 });
    await makeUsers(instance);
    await newEngine(instance).drain({ maxSeconds: 60 });
    expect(announce).toHaveBeenCalledWith(["webhook-logs"]);
    expect(receiver.received).toHaveLength(3);
  });

  it("waiting callbacks of a deleted webhook are ended without log entries", async () => {
    await makeUsers(instance, 2);
    await instance.administrator.call(webhooks.delete, { id });
    expect(await newEngine(instance).drain({ maxSeconds: 60 })).toMatchObject({ due: 0, later: 0 });
    const rows = instance.database.reader.selectFrom("webhook_logs").select("id").where("webhook_id", "=", id);
    expect(await rows.execute()).toEqual([]);
  });

  it("results that cannot be written are logged and kept until they are given up", async () => {
    const down = new Error("down");
    const database = { ...instance.database, writeLocking: () => Promise.reject(down) };
    const errors: unknown[] = [];
    const log = { info() {}, error: (details: object, message: string) => void errors.push([details, message]) };
    const onEnd = vi.fn();
    const writer = new ResultWriter({ database, random: () => 0.5, log, onEnd });
    const results = await finish(["200", 0]);
    // One was finished.
    writer.add(results[0]!);
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(errors[0]).toEqual([{ err: down }, "results of webhook deliveries cannot be written"]);
    expect(onEnd).not.toHaveBeenCalled();
    writer.giveUp();
    await expect.poll(() => onEnd.mock.calls).toEqual([[results]]);
  });

  it("results wait for further ones after a slow write, unless none will come", async () => {
    const results = await finish(["200", 0], ["200", 0], ["200", 0]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let writes = 0;
    const writeLocking = async (): Promise<never> => {
      vi.advanceTimersByTime(50);
      writes += 1;
      return undefined as never;
    };
    const database = { ...instance.database, writeLocking };
    const onEnd = vi.fn();
    const writer = new ResultWriter({ database, random: () => 0.5, log: { info() {}, error() {} }, onEnd });
    writer.add(results[0]!);
    await vi.runAllTimersAsync();
    expect(onEnd.mock.lastCall).toEqual([results.slice(0, 1)]);
    // Nothing is pending, so this does not concern the results that follow.
    writer.flush();
    writer.add(results[1]!);
    writer.add(results[2]!);
    await vi.advanceTimersByTimeAsync(50);
    expect(writes).toBe(1);
    writer.flush();
    await vi.advanceTimersByTimeAsync(0);
    expect(writes).toBe(2);
    expect(onEnd.mock.lastCall).toEqual([results.slice(1)]);
  });
});
