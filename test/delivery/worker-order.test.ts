import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { defaults } from "../../src/contract/settings.ts";
import { WebhookWorker } from "../../src/delivery/webhooks/webhook-worker.ts";
import type { Database } from "../../src/store/database.ts";
import { isFull } from "../support/effort.ts";
import { describeOnDatabases, observeAttempts, userAgent } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { makeUsers, newWebhook } from "../support/outbox.ts";
import { type Receiver, receiverOfTest } from "../support/receiver.ts";

describeOnDatabases("the order of a worker", (open, kind) => {
  let instance: Instance;
  let receiver: Receiver;
  let worker: WebhookWorker;
  /** Answers to the requests that are held, by path. */
  let held: Map<string, (() => void)[]>;
  beforeEach(async () => {
    instance = await open();
    instance.freeze();
    receiver = await receiverOfTest();
    held = new Map();
    receiver.answer = ({ path }, response) => {
      held.set(path, [...(held.get(path) ?? []), () => response.end()]);
    };
    worker = newWorker();
  });
  afterEach(async () => {
    await worker.stop(0);
  });

  const newWorker = (database: Database = instance.database) =>
    new WebhookWorker({
      database,
      settings: async () => ({ ...defaults, "webhooks.allow_private": true, "webhooks.timeout": 600 }),
      clock: () => instance.now() * 1000,
      random: Math.random,
      log: { info() {}, error() {} },
      userAgent,
    });
  const newWebhooks = async (path: string, count = 1) => {
    for (let n = 0; n < count; n++) await newWebhook(instance, `${receiver.url}${path}`);
  };
  const roundUntilEmpty = async () => {
    while ((await worker.round()) > 0);
  };
  const countOf = (path: string) => receiver.received.filter((request) => request.path === path).length;

  it("claims first for the receivers with the fewest deliveries here, whatever their IDs", async () => {
    await newWebhooks("/busy", 50);
    await makeUsers(instance);
    expect(await worker.round()).toBe(50);
    await newWebhooks("/idle");
    await makeUsers(instance);
    expect(await worker.round()).toBe(50);
    await receiver.until(100);
    expect(countOf("/idle")).toBe(1);
  });

  it("leaves out receivers without room, so that they take no place from others", async () => {
    const endAttempts = observeAttempts();
    await newWebhooks("/hanging", 50);
    await makeUsers(instance);
    expect(await worker.round()).toBe(50);
    endAttempts();
    await expect.poll(() => worker.busy).toBe(false);
    // Each that has hung gets one request at a time.
    await makeUsers(instance);
    expect(await worker.round()).toBe(50);
    await newWebhooks("/good");
    await makeUsers(instance, 3);
    expect(await worker.round()).toBe(3);
    await makeUsers(instance);
    expect(await worker.round()).toBe(1);
    await expect.poll(() => countOf("/good")).toBe(4);
  });

  it("claims more as soon as half of what it has claimed is sent, before the results are written", async () => {
    receiver.answer = (_, response) => void response.end();
    const { promise: open, resolve: unblock } = Promise.withResolvers<void>();
    let isClaimed = false;
    const database: Database = {
      ...instance.database,
      writeLocking: (work) =>
        isClaimed ? open.then(() => instance.database.writeLocking(work)) : instance.database.writeLocking(work),
    };
    worker = newWorker(database);
    const raise = vi.spyOn(worker.wakeup, "raise");
    await newWebhooks("/");
    await makeUsers(instance, 130);
    expect(await worker.round()).toBe(128);
    isClaimed = true;
    const raisedAtOnce = raise.mock.calls.length;
    await receiver.until(128);
    const raisedByHalf = raise.mock.calls.length;
    unblock();
    expect([raisedAtOnce, raisedByHalf]).toEqual([0, 1]);
    await expect.poll(() => worker.busy).toBe(false);
    expect(await worker.round()).toBe(2);
  });

  // How a worker sends what it has claimed does not depend on the database.
  if (kind === "postgres" && !isFull) return;

  it("gives free requests in turn to the receivers that wait for one", async () => {
    await newWebhooks("/first", 64);
    await newWebhooks("/a");
    await newWebhooks("/b");
    // PostgreSQL puts a changed row behind the others.
    await instance.database.write((tx) =>
      tx.updateTable("webhooks").set({ name: "moved" }).where("id", "<", 60).execute(),
    );
    await makeUsers(instance, 4);
    await roundUntilEmpty();
    await receiver.until(256);
    for (const [at, answer] of held.get("/first")!.slice(0, 4).entries()) {
      answer();
      await receiver.until(257 + at);
    }
    expect(receiver.received.slice(256).map(({ path }) => path)).toEqual(["/a", "/b", "/a", "/b"]);
  });

  it("gives a free request to the next receiver when the first may get no further one", async () => {
    await newWebhooks("/a");
    await makeUsers(instance, 6);
    await newWebhooks("/first", 63);
    await newWebhooks("/b");
    await makeUsers(instance, 4);
    await roundUntilEmpty();
    await receiver.until(256);
    expect(countOf("/a")).toBe(4);
    held.get("/first")![0]!(); // 252 of these are held.
    await receiver.until(257);
    expect(countOf("/b")).toBe(1);
  });

  it("stops in time although its results cannot be written", async () => {
    receiver.answer = (_, response) => void response.end();
    let isDown = false;
    const database: Database = {
      ...instance.database,
      writeLocking: (work) => (isDown ? Promise.reject(new Error("down")) : instance.database.writeLocking(work)),
    };
    const failing = newWorker(database);
    await newWebhooks("/");
    await makeUsers(instance);
    expect(await failing.round()).toBe(1);
    isDown = true;
    await receiver.until(1);
    await failing.stop(0);
    expect(failing.busy).toBe(false);
  });
});
