import { sql } from "kysely";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { createService } from "../../src/core/service.ts";
import type { Engine } from "../../src/delivery/delivery.ts";
import { isFull } from "../support/effort.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";
import { type Receiver, receiverOfTest, verify } from "../support/receiver.ts";

describeOnDatabases("operations on deliveries", (open, kind) => {
  let instance: Instance;
  let receiver: Receiver;
  let engine: Engine | undefined;
  beforeEach(async () => {
    instance = await open();
    // The clock stands still, so that a wait of seconds is not over after a few slow steps.
    instance.freeze();
    receiver = await receiverOfTest();
  });
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
  });
  const drain = () => newEngine(instance).drain({ maxSeconds: 60 });
  const start = () => {
    engine = newEngine(instance);
    engine.start();
  };

  it("webhooks.test makes one attempt of an event that is marked as a test, and returns its log entry", async () => {
    start();
    const { id, secret } = await newWebhook(instance, receiver.url, "mine");
    const answer = await instance.administrator.call(webhooks.test, { id });
    const [request] = receiver.received;
    expect(verify(secret, request!)).toMatchObject({ type: "webhook.test", data: { id, name: "mine" } });
    expect(answer.webhook_event_id).toBe(request!.headers["webhook-id"]);
    expect(answer.data).toMatchObject({ event: "webhook.test", status: "200", attempt: 1 });
    expect(await logOf(instance, id, { event: "webhook.test" })).toEqual([answer.data]);
  });

  it("webhooks.resend sends an event at once that waits for its next attempt", async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    await drain();
    expect(receiver.received).toHaveLength(1);
    const [entry] = await logOf(instance, id);
    await instance.administrator.call(webhooks.resend, { id, log: entry!.id });
    await drain();
    expect(receiver.received).toHaveLength(2);
  });

  it("webhooks.resend does not send an event twice that is being sent", async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    const [entry] = await logOf(instance, id);
    const resend = () => instance.administrator.call(webhooks.resend, { id, log: entry!.id });
    await resend();
    receiver.answer = (_, response) => {
      receiver.answer = (__, next) => void next.end();
      void resend().finally(() => response.end());
    };
    await drain();
    expect(await drain()).toMatchObject({ due: 0, later: 0 });
    expect(receiver.received).toHaveLength(2);
  });

  it("webhooks.recover sends an event that failed after it was resent, by the time of the event", async () => {
    const { administrator } = instance;
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    instance.wait(100);
    const [entry] = await logOf(instance, id);
    await administrator.call(webhooks.resend, { id, log: entry!.id });
    await administrator.call(webhooks.update, { id, active: false });
    await drain();
    await administrator.call(webhooks.update, { id, active: true });
    expect(await administrator.call(webhooks.recover, { id, since: instance.now() - 50 })).toEqual({ recovered: 0 });
    expect(await administrator.call(webhooks.recover, { id, since: instance.now() - 150 })).toEqual({ recovered: 1 });
    await drain();
    expect(receiver.received).toHaveLength(2);
  });

  it("webhooks.recover sends only events that failed permanently since the time", async () => {
    const { administrator } = instance;
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 2);
    await administrator.call(webhooks.update, { id, active: false });
    await drain();
    await administrator.call(webhooks.update, { id, active: true });
    instance.wait(100);
    await makeUsers(instance);
    await drain();
    instance.wait(100);
    expect(await administrator.call(webhooks.recover, { id, since: instance.now() - 199 })).toEqual({ recovered: 0 });
    expect(await administrator.call(webhooks.recover, { id, since: instance.now() - 200 })).toEqual({ recovered: 2 });
    await drain();
    expect(receiver.received).toHaveLength(3);
  });

  it("webhooks.logs has pages and filters, and lists the newest entries first", async () => {
    const { administrator } = instance;
    const { id } = await newWebhook(instance, receiver.url);
    receiver.answer = (_, response) => void response.writeHead(receiver.received.length > 20 ? 500 : 200).end();
    const ids = await makeUsers(instance, 20);
    await drain();
    instance.wait(3600);
    for (const user of ids.slice(0, 5)) await administrator.call(users.update, { id: user, title: "x" });
    await drain();
    const first = await administrator.call(webhooks.logs, { id });
    expect(first.data).toHaveLength(20);
    expect(first.meta).toMatchObject({ current_page: 1, last_page: 2, per_page: 20, from: 1, to: 20, total: 25 });
    expect(first.links).toMatchObject({
      prev: null,
      next: expect.stringMatching(/\/api\/webhooks\/1\/logs\?.*page=2/),
    });
    const second = await administrator.call(webhooks.logs, { id, page: 2 });
    const all = [...first.data, ...second.data].map((entry) => entry.id);
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    const count = async (filter: object) => (await administrator.call(webhooks.logs, { id, ...filter })).meta.total;
    expect(await count({ event: "user.update" })).toBe(5);
    expect(await count({ status: "500" })).toBe(5);
    expect(await count({ status: "timeout" })).toBe(0);
    expect(await count({ since: instance.now() - 1800 })).toBe(5);
    expect(await count({ after: all.at(-4)! })).toBe(21);
    expect(await count({ before: all.at(-4)! })).toBe(3);
    expect(await count({ before: all.at(-4)!, after: all.at(-2)! })).toBe(1);
    expect(await count({ event: "user.create", status: "500" })).toBe(0);
    const { data } = await administrator.call(webhooks.stats, { id, since: instance.now() - 7200, parts: 4 });
    expect(data.map(({ succeeded, failed }) => [succeeded, failed])).toEqual([
      [0, 0],
      [0, 0],
      [20, 0],
      [0, 5],
    ]);
    expect(data[1]!.start - data[0]!.start).toBe(1800);
  });

  it("the waiting deliveries of a webhook end when it is deleted or disabled", async () => {
    const { administrator } = instance;
    const kept = await newWebhook(instance, receiver.url, "inactive");
    const gone = await newWebhook(instance, receiver.url, "deleted");
    await makeUsers(instance, 3);
    await administrator.call(webhooks.update, { id: kept.id, active: false });
    await administrator.call(webhooks.delete, { id: gone.id });
    expect(await drain()).toMatchObject({ due: 0, later: 0 });
    expect(receiver.received).toEqual([]);
    const stopped = { status: "disabled", created_at: instance.now() };
    expect(await logOf(instance, kept.id)).toMatchObject(Array(3).fill(stopped));
    await makeUsers(instance);
    await drain();
    expect(await logOf(instance, kept.id), "a change after that").toHaveLength(3);
  });

  it("webhooks.test, repeated at another server before the first has queued it, does not wait for the attempt", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    const { database } = instance;
    const other = createService({ database, clock: () => instance.now() * 1000 });
    const write = vi.spyOn(database, "write");
    const input = { id, wait: 60 };
    const options = { idempotencyKey: "twice" };
    let both: Promise<{ webhook_event_id: string }>[] | undefined;
    await database.writeLocking(async (tx) => {
      if (kind === "postgres") await sql`lock table idempotency_keys in share row exclusive mode`.execute(tx);
      both = [
        instance.service.caller({ userId: 1 }).call(webhooks.test, input, options),
        other.caller({ userId: 1 }).call(webhooks.test, input, options),
      ];
      await expect.poll(() => write.mock.calls.length).toBe(2);
    });
    expect(await Promise.race(both!)).toMatchObject({ data: null });
    start();
    const answers = await Promise.all(both!);
    expect(answers).toContainEqual(expect.objectContaining({ data: expect.objectContaining({ status: "200" }) }));
    expect(answers[0]).toMatchObject({ webhook_event_id: answers[1]?.webhook_event_id });
    expect(receiver.received.length).toBe(1);
  });

  // The rest is the same on each database, so that it runs on PostgreSQL only in the longer form.
  if (kind === "postgres" && !isFull) return;

  it("webhooks.test does not repeat a failure, and does not count it against the webhook", async () => {
    start();
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const { id } = await newWebhook(instance, receiver.url);
    const { data } = await instance.administrator.call(webhooks.test, { id });
    expect(data).toMatchObject({ status: "500", next_attempt_at: null });
    expect(await engine?.waiting()).toMatchObject({ due: 0, later: 0 });
    expect(await instance.administrator.call(webhooks.recover, { id, since: 0 })).toEqual({ recovered: 0 });
    receiver.answer = (_, response) => void response.writeHead(410).end();
    await instance.administrator.call(webhooks.test, { id });
    const { active, disabled_reason } = (await instance.administrator.call(webhooks.get, { id })).data;
    expect({ active, disabled_reason }, "unless the receiver is gone").toEqual({
      active: false,
      disabled_reason: "gone",
    });
  });

  it("webhooks.test returns null when no engine runs, sends nothing in a dry run, and is refused for an inactive webhook", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    const { administrator } = instance;
    expect(await administrator.call(webhooks.test, { id, wait: 0 })).toMatchObject({ data: null });
    expect(await administrator.call(webhooks.test, { id, wait: 60 }, { dryRun: true })).toMatchObject({ data: null });
    expect(await newEngine(instance).waiting()).toMatchObject({ due: 1 });
    await administrator.call(webhooks.update, { id, active: false });
    await expect(administrator.call(webhooks.test, { id })).rejects.toMatchObject({ code: "conflict" });
  });

  it("webhooks.test with the same Idempotency-Key returns the first response, and sends nothing", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    const test = (wait: number) => {
      const idempotencyKey = `test-${wait}`;
      return instance.administrator.call(webhooks.test, { id, wait }, { idempotencyKey });
    };
    const unsent = await test(0);
    expect(unsent.data).toBeNull();
    start();
    const sent = await test(20);
    expect(sent.data).toMatchObject({ status: "200" });
    await expect.poll(() => receiver.received.length).toBe(2);
    await expect.poll(async () => (await logOf(instance, id, {})).length).toBe(2);
    expect([await test(0), await test(20)]).toEqual([unsent, sent]);
    expect(await newEngine(instance).waiting()).toMatchObject({ due: 0, later: 0 });
  });

  it("webhooks.events leaves out tests", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await instance.administrator.call(webhooks.test, { id, wait: 0 });
    expect((await instance.administrator.call(webhooks.events, { after: 0 })).data).toEqual([]);
  });

  it("webhooks.resend sends only the event of the entry again, under the same ID", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 2);
    await drain();
    const [entry] = await logOf(instance, id);
    const first = receiver.received.find(({ headers }) => headers["webhook-id"] === entry!.webhook_event_id);
    receiver.received.length = 0;
    await instance.administrator.call(webhooks.resend, { id, log: entry!.id });
    await drain();
    const [second, ...others] = receiver.received;
    expect(others).toEqual([]);
    expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
    expect(second!.body).toBe(first!.body);
    expect((await logOf(instance, id)).map((each) => each.attempt)).toEqual([1, 1, 1]);
  });

  it("webhooks.resend does not find unknown entries and those of other webhooks, and is refused for an inactive webhook", async () => {
    const { administrator } = instance;
    const { id } = await newWebhook(instance, receiver.url);
    const other = await newWebhook(instance, receiver.url, "other");
    await makeUsers(instance);
    await drain();
    const [entry] = await logOf(instance, other.id);
    const notFound = { code: "not_found" };
    await expect(administrator.call(webhooks.resend, { id, log: 999 })).rejects.toMatchObject(notFound);
    await expect(administrator.call(webhooks.resend, { id, log: entry!.id })).rejects.toMatchObject(notFound);
    await expect(administrator.call(webhooks.log, { id, log: entry!.id })).rejects.toMatchObject(notFound);
    await administrator.call(webhooks.update, { id: other.id, active: false });
    await expect(administrator.call(webhooks.resend, { id: other.id, log: entry!.id })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("webhooks.rotateSecret gives callbacks two signatures for 24 hours, then one", async () => {
    const { id, secret: old } = await newWebhook(instance, receiver.url);
    const { secret = "" } = (await instance.administrator.call(webhooks.rotateSecret, { id })).data;
    await makeUsers(instance);
    await drain();
    const [during] = receiver.received;
    expect(verify(old, during!)).toMatchObject({ type: "user.create" });
    expect(verify(secret, during!)).toMatchObject({ type: "user.create" });
    const forged = { ...during!, body: during!.body.replace("user.create", "user.creatf") };
    expect(() => verify(secret, forged)).toThrow("No matching signature");
    expect(() => verify(old, forged)).toThrow("No matching signature");
    const signaturesAfter = async (seconds: number) => {
      instance.wait(seconds);
      await makeUsers(instance);
      await drain();
      return String(receiver.received.at(-1)!.headers["webhook-signature"]).split(" ").length;
    };
    expect(await signaturesAfter(86_399)).toBe(2);
    expect(await signaturesAfter(1)).toBe(1);
    expect(receiver.received).toHaveLength(3);
  });

  it("rotateSecret: each of five earlier secrets stays valid for its 24 hours", async () => {
    const { id, secret: first } = await newWebhook(instance, receiver.url);
    const secrets = [first];
    const rotate = async () => {
      instance.wait(1);
      secrets.unshift((await instance.administrator.call(webhooks.rotateSecret, { id })).data.secret!);
    };
    const next = async () => {
      await makeUsers(instance);
      await drain();
      return receiver.received.at(-1)!;
    };
    const signatures = async () => String((await next()).headers["webhook-signature"]).split(" ").length;
    await rotate();
    await rotate();
    const message = await next();
    for (const secret of secrets) expect(verify(secret, message).type).toBe("user.create");
    for (let times = 0; times < 4; times++) await rotate();
    const last = await next();
    for (const secret of secrets.slice(0, 6)) expect(verify(secret, last).type).toBe("user.create");
    expect(() => verify(first, last)).toThrow("No matching signature");
    // The latest rotation was a second after the one before it.
    instance.wait(86_399);
    expect(await signatures()).toBe(2);
    await rotate();
    expect(await signatures()).toBe(2);
  });
});
