import { beforeEach, describe, expect, it } from "vitest";
import { webhooks } from "../../src/contract/webhooks.ts";
import { callbackRetries, type FailedAttempt, failedAttempt } from "../../src/delivery/queue/retry-schedule.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";
import { type Receiver, receiverOfTest } from "../support/receiver.ts";

const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

describe("the schedule", () => {
  const next = (failed: Partial<FailedAttempt>, random: () => number) =>
    failedAttempt(callbackRetries, { id: 1, token: "a", attempt: 1, now: 0, ...failed }, random).due_at;

  it("varies by a tenth", () => {
    const at = (random: number) => next({ attempt: 2 }, () => random);
    expect([at(0), at(0.5), at(1)]).toEqual([270_000, 300_000, 330_000]);
  });

  it("never comes before the receiver wants it", () => {
    expect(next({ retryAfter: 60_000 }, () => 0)).toBe(60_000);
  });
});

describeOnDatabases("attempts over days", (open) => {
  let instance: Instance;
  let receiver: Receiver;
  beforeEach(async () => {
    instance = await open();
    // Steps of a test may be minutes apart on a busy machine.
    instance.freeze();
    receiver = await receiverOfTest();
    receiver.answer = (_, response) => void response.writeHead(500).end();
  });
  const drain = () => newEngine(instance, { random: () => 0.5 }).drain({ maxSeconds: 60 });
  const webhook = async (id: number) => (await instance.administrator.call(webhooks.get, { id })).data;

  it("has 10 attempts over 75 hours under one ID", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    const began = instance.now();
    await drain();
    for (const pause of pauses) {
      instance.wait(pause - 2);
      await drain();
      instance.wait(3);
      await drain();
    }
    const entries = (await logOf(instance, id)).reverse();
    expect(entries.map((entry) => entry.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(entries.map((entry) => (entry.next_attempt_at ?? 0) - entry.created_at)).toEqual([
      ...pauses,
      -entries.at(-1)!.created_at,
    ]);
    expect(entries.at(-1)!.created_at - began).toBeGreaterThan(75 * 3600);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10);
    expect(await drain()).toMatchObject({ due: 0, later: 0 });
    instance.wait(30 * 86_400);
    await drain();
    expect(receiver.received).toHaveLength(10);
  });

  it("ends with a success", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    receiver.answer = (_, response) => void response.end();
    instance.wait(6);
    expect(await drain()).toMatchObject({ due: 0, later: 0 });
    expect((await logOf(instance, id)).map((entry) => [entry.attempt, entry.status])).toEqual([
      [2, "200"],
      [1, "500"],
    ]);
  });

  it("5 days of failures disable the webhook with a mail to its author; waiting deliveries end, and can be recovered", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    for (let day = 0; day < 5; day++) {
      await makeUsers(instance);
      await drain();
      instance.wait(86_390);
      await drain();
      expect(await webhook(id)).toMatchObject({ active: true });
    }
    instance.wait(60);
    await makeUsers(instance, 3);
    await drain();
    expect(await webhook(id)).toMatchObject({ active: false, disabled_reason: "failing" });
    expect(await drain()).toMatchObject({ due: 0, later: 0, mails: 1 });
    const stopped = await logOf(instance, id, { status: "disabled" });
    expect(stopped.length).toBeGreaterThan(0);
    expect(stopped[0]).toMatchObject({ error: "Not sent: the webhook was disabled.", next_attempt_at: null });
    const mails = await instance.database.reader.selectFrom("mails").selectAll().execute();
    const due_at = instance.now() * 1000;
    expect(mails).toMatchObject([{ kind: "webhook_disabled", recipient: "admin@example.com", due_at }]);

    await expect(instance.administrator.call(webhooks.recover, { id, since: 0 })).rejects.toMatchObject({
      code: "conflict",
    });
    await instance.administrator.call(webhooks.update, { id, active: true });
    await makeUsers(instance);
    await drain();
    expect(await webhook(id), "the five days begin again").toMatchObject({ active: true });

    receiver.answer = (_, response) => void response.end();
    receiver.received.length = 0;
    const { recovered } = await instance.administrator.call(webhooks.recover, { id, since: 0 });
    expect(recovered).toBe(8);
    await drain();
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(8);
    expect(await instance.administrator.call(webhooks.recover, { id, since: 0 })).toEqual({ recovered: 0 });
  });

  it("failing tests do not disable a webhook, even over many days", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    for (let n = 0; n < 2; n++) {
      await instance.administrator.call(webhooks.test, { id, wait: 0 });
      await drain();
      instance.wait(5 * 86_400);
    }
    expect(receiver.received).toHaveLength(2);
    expect(await webhook(id)).toMatchObject({ active: true });
  });

  it("one success begins the five days again", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    instance.wait(4 * 86_400);
    receiver.answer = (_, response) => void response.end();
    await drain();
    receiver.answer = (_, response) => void response.writeHead(500).end();
    for (let day = 0; day < 4; day++) {
      await makeUsers(instance);
      await drain();
      instance.wait(86_400);
    }
    await drain();
    expect(await webhook(id)).toMatchObject({ active: true });
  });

  it("a clock that is set back delays nothing, and sends nothing twice", async () => {
    await newWebhook(instance, receiver.url);
    receiver.answer = (_, response) => void response.end();
    await makeUsers(instance, 2);
    instance.wait(-7200);
    const engine = newEngine(instance);
    engine.start();
    await receiver.until(2);
    await engine.stop();
    expect(await drain()).toMatchObject({ due: 0, later: 0 });
    expect(receiver.received).toHaveLength(2);
  });
});
