import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { createService } from "../../src/core/service.ts";
import type { Engine } from "../../src/delivery/delivery.ts";
import { runRounds } from "../../src/delivery/queue/worker-loop.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { Wakeup } from "../../src/store/wakeup.ts";
import { describeOnDatabases, listening, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { mailboxOfTest } from "../support/mailbox.ts";
import { makeUsers, newWebhook } from "../support/outbox.ts";
import { type Receiver, receiverOfTest } from "../support/receiver.ts";

/** Milliseconds; longer than any test. */
const hour = 3_600_000;

describeOnDatabases("announcements", (open, kind) => {
  let instance: Instance;
  let receiver: Receiver;
  let engine: Engine | undefined;
  let endListening = () => {};
  beforeEach(async () => {
    instance = await open();
    // Before the first engine, since the database wakes its first listener only when it is connected.
    endListening = await listening(instance.database, kind);
    receiver = await receiverOfTest();
  });
  afterEach(async () => {
    endListening();
    await engine?.stop();
    engine = undefined;
  });

  /** Starts an engine that checks for deliveries by itself only after an hour, and waits until both of its workers are idle. */
  const rest = async (settings = {}) => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    engine = newEngine(instance, { settings, pollInterval: hour });
    engine.start();
    const rests = () => timers.mock.calls.filter(([, milliseconds]) => milliseconds === hour);
    // There are more when an earlier announcement wakes a worker.
    await expect.poll(() => rests().length).toBeGreaterThanOrEqual(2);
    timers.mockRestore();
  };

  it("an idle engine sends an event by its announcement alone", async () => {
    await newWebhook(instance, receiver.url);
    await rest();
    await makeUsers(instance);
    await receiver.until(1);
  });

  it("an idle engine sends an event of another process as soon as it sees the change", async () => {
    await newWebhook(instance, receiver.url);
    await rest();
    const database = await openDatabase(instance.target);
    const administrator = createService({ database }).caller({ userId: 1 });
    await makeUsers({ ...instance, administrator });
    await receiver.until(1);
    await database.close();
  });

  it("an idle engine sends what a stopping engine releases by the announcement alone", async () => {
    await newWebhook(instance, receiver.url);
    await makeUsers(instance, 12);
    const waiting: (() => void)[] = [];
    receiver.answer = (_, response) => void waiting.push(() => response.end());
    // Its waits are of another length, since `rest` counts those of the second engine.
    const first = newEngine(instance, { pollInterval: 2 * hour });
    first.start();
    await receiver.until(4);
    await rest();
    receiver.answer = (_, response) => void response.end();
    const stopped = first.stop();
    for (const answer of waiting) answer();
    await stopped;
    await receiver.until(12);
  });

  it("an idle engine sends mails of several rounds by one announcement alone", async () => {
    const { promise, resolve: arrived } = Promise.withResolvers<void>();
    let expected = 25;
    const mailbox = await mailboxOfTest({
      onData(stream, _, done) {
        stream.resume().on("end", () => {
          expected -= 1;
          if (expected === 0) arrived();
          done();
        });
      },
    });
    const welcomed = await makeUsers(instance, expected);
    await rest({ "mail.smtp_url": `smtp://127.0.0.1:${mailbox.port}`, "mail.from": "no-reply@example.com" });
    await instance.administrator.call(users.welcome, { users: welcomed });
    await promise;
    await engine?.stop();
    engine = undefined;
  });

  it("the result of a test and an event wake those who wait for them, by their announcements alone", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    engine = newEngine(instance, { pollInterval: hour });
    engine.start();
    const service = createService({ database: instance.database, pollInterval: hour });
    const caller = service.caller({ userId: 1 });
    // Without one of the announcements, six answers take longer than a test may.
    for (let round = 0; round < 6; round++) {
      expect(await caller.call(webhooks.test, { id, wait: 60 })).toMatchObject({ data: { status: "200" } });
      const { last_id: after } = (await caller.call(webhooks.events, {})).meta;
      const waiting = caller.call(webhooks.events, { after, wait: 60 });
      await makeUsers(instance);
      expect((await waiting).data).toHaveLength(1);
    }
  });
});

it("a worker that is woken during a round that finds nothing starts another one", async () => {
  const { promise: again, resolve: start } = Promise.withResolvers<void>();
  const wakeup = new Wakeup();
  let rounds = 0;
  const round = async () => {
    rounds += 1;
    if (rounds === 1) wakeup.raise();
    else start();
    return 0;
  };
  const loop = runRounds({ wakeup, round }, { pollInterval: hour, onError() {} });
  await again;
  await loop.stop();
});

it("a worker whose round fails pauses before the next one, also when it was woken meanwhile", async () => {
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  const wakeup = new Wakeup();
  let rounds = 0;
  const round = async () => {
    rounds += 1;
    if (rounds > 5) return 0;
    wakeup.raise();
    throw new Error("no database");
  };
  const loop = runRounds({ wakeup, round }, { pollInterval: hour, onError: () => fail() });
  await failed;
  await turn();
  expect(rounds).toBe(1);
  await loop.stop();
});
