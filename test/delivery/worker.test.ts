import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { defaults, type Settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { maxWaits } from "../../src/contract/waits.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import type { Engine } from "../../src/delivery/delivery.ts";
import { callbackQueue } from "../../src/delivery/webhooks/callback-queue.ts";
import { ResultWriter } from "../../src/delivery/webhooks/result-writer.ts";
import { WebhookWorker } from "../../src/delivery/webhooks/webhook-worker.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { isFull } from "../support/effort.ts";
import { describeOnDatabases, newEngine, observeAttempts, userAgent, whenClaimed } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";
import { type Receiver, receiverOfTest } from "../support/receiver.ts";

/** The documented length of a lease. Not imported, so that a change of it fails here. */
const leaseMilliseconds = 30_000;

describeOnDatabases("workers", (open, kind) => {
  let instance: Instance;
  let receiver: Receiver;
  let engines: Engine[] = [];
  beforeEach(async () => {
    instance = await open();
    receiver = await receiverOfTest();
    engines = [];
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.stop()));
  });
  const start = (options: Parameters<typeof newEngine>[1] = {}) => {
    const engine = newEngine(instance, options);
    engine.start();
    engines.push(engine);
    return engine;
  };
  /** Makes one webhook, copies it in the database, and returns its ID, which is the lowest. */
  const addWebhooks = async (count: number, url = receiver.url) => {
    const { id: first } = await newWebhook(instance, url);
    const { database } = instance;
    const rows = database.reader.selectFrom("webhooks").selectAll().where("id", "=", first);
    const { id: _, ...one } = await rows.executeTakeFirstOrThrow();
    const copies = Array.from({ length: count - 1 }, (_, at) => ({ ...one, name: `copy ${at}` }));
    await database.write((tx) => insertRows(tx, "webhooks", copies));
    return first;
  };
  const claim = (now: number, max: number, webhook: number) =>
    callbackQueue.claim(instance.database, [{ partition: webhook, max }], now);
  const now = () => instance.now() * 1000;
  const newWorker = (database = instance.database, settings: Partial<Settings> = {}) =>
    new WebhookWorker({
      database,
      settings: async () => ({ ...defaults, "webhooks.allow_private": true, "webhooks.timeout": 600, ...settings }),
      clock: now,
      random: Math.random,
      log: { info() {}, error() {} },
      userAgent,
    });
  const idsOf = (requests: { headers: Record<string, unknown> }[]) =>
    requests.map(({ headers }) => headers["webhook-id"]);

  it("a change by another connection wakes engines, and requests that wait for events", async () => {
    start();
    await newWebhook(instance, receiver.url);
    const { administrator } = instance;
    const { last_id: after } = (await administrator.call(webhooks.events, {})).meta;
    const listening = administrator.call(webhooks.events, { after, wait: 20 });
    await makeUsers(instance);
    const { data } = await listening;
    expect(data).toHaveLength(1);
    await receiver.until(1);
    expect(data[0]!.webhook_event_id).toBe(receiver.received[0]!.headers["webhook-id"]);
  });

  it("many waiting requests block neither connections nor each other", async () => {
    const { administrator } = instance;
    const fields = { first_name: "Bo", last_name: "Boss", email: "boss@example.com", unit: 1, admin: true };
    const boss = instance.service.caller({ userId: (await administrator.call(users.create, fields)).id });
    const { last_id: after } = (await administrator.call(webhooks.events, {})).meta;
    // As many requests of each user as may wait at the same time.
    const listening = [administrator, boss].flatMap((caller) =>
      Array.from({ length: maxWaits }, () => caller.call(webhooks.events, { after, wait: 30 })),
    );
    await makeUsers(instance);
    for (const { data } of await Promise.all(listening)) expect(data).toHaveLength(1);
  });

  it("a request that waits in vain gets an empty response", async () => {
    const { administrator } = instance;
    const { last_id: after } = (await administrator.call(webhooks.events, {})).meta;
    expect(await administrator.call(webhooks.events, { after, wait: 1 })).toEqual({
      data: [],
      meta: { last_id: after },
    });
  });

  it("a worker takes at most 6000 deliveries at once, as many for each of 50 receivers", async () => {
    receiver.answer = () => {};
    await addWebhooks(51);
    await makeUsers(instance, 121);
    const worker = newWorker();
    expect(await worker.round()).toBe(6000);
    expect(await worker.round()).toBe(0);
    const { rows } = await sql`select distinct count(*) as taken from deliveries where lease_token is not null
      group by webhook_id`.execute(instance.database.reader);
    expect(rows).toEqual([{ taken: 120 }]);
    await worker.stop(0);
  });

  it("a worker forgets no deliveries of more than 1,000 busy receivers: it releases all that were not sent when it stops", async () => {
    receiver.answer = () => {};
    const first = await addWebhooks(1005);
    const { reader } = instance.database;
    await makeUsers(instance);
    const worker = newWorker();
    for (let claimed = 1; claimed > 0; ) claimed = await worker.round();
    const leased = async () =>
      (await reader.selectFrom("deliveries").select("webhook_id").where("lease_token", "is not", null).execute()).map(
        ({ webhook_id }) => webhook_id,
      );
    expect(await leased()).toHaveLength(1005);
    await worker.stop(0);
    expect((await leased()).length).toBeLessThanOrEqual(256);
    expect((await leased()).filter((id) => id > first + 1000)).toEqual([]);
  });

  it("several workers send every delivery once", async () => {
    const events = 150;
    await newWebhook(instance, receiver.url, "one");
    await newWebhook(instance, receiver.url, "two");
    await makeUsers(instance, events);
    for (let i = 0; i < 4; i++) start();
    await receiver.until(2 * events);
    await expect.poll(() => engines[0]!.waiting()).toMatchObject({ due: 0, later: 0 });
    expect(receiver.received).toHaveLength(2 * events);
    expect(new Set(idsOf(receiver.received)).size).toBe(events);
  });

  it("stopping finishes running requests, and releases the other deliveries at once", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 40);
    const waiting: (() => void)[] = [];
    receiver.answer = (_, response) => void waiting.push(() => response.end());
    const engine = start();
    await receiver.until(4);
    const stopped = engine.stop();
    await expect.poll(() => engine.waiting()).toMatchObject({ due: 36, later: 4 });
    for (const answer of waiting) answer();
    await stopped;
    expect(receiver.received).toHaveLength(4);
    expect((await logOf(instance, id)).map((entry) => entry.status)).toEqual(Array(4).fill("200"));
    expect(await engine.waiting()).toMatchObject({ due: 36, later: 0 });
  });

  it("a lease keeps other workers away until it ends, and its result does not count after that", async () => {
    instance.freeze();
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 3);
    const { database } = instance;
    const first = await claim(now(), 2, id);
    expect(first).toHaveLength(2);
    expect(await claim(now(), 10, id)).toHaveLength(1);
    expect(await claim(now() + leaseMilliseconds - 1000, 10, id)).toEqual([]);
    expect(await callbackQueue.renew(database, first, now() + 20_000)).toEqual(new Set(first.map((job) => job.id)));
    const later = now() + leaseMilliseconds + 1000;
    expect(await claim(later, 10, id)).toHaveLength(1);
    const second = await claim(later + 20_000, 10, id);
    expect(second.map((job) => job.id).toSorted()).toEqual(first.map((job) => job.id).toSorted());
    expect(await callbackQueue.renew(database, first, later)).toEqual(new Set());
    for (const state of ["done", "failed"] as const) {
      const results = first.map((job) => ({ ...job, state, attempt: 1, due_at: later }));
      expect(await database.writeLocking((tx) => callbackQueue.record(tx, results))).toEqual(new Set());
    }
    await callbackQueue.release(database, first, later);
    expect(await claim(later + 20_000, 10, id)).toEqual([]);
    await callbackQueue.release(database, second, later);
    expect(await claim(later, 10, id)).toHaveLength(2);
  });

  it("claims take the delivery that has been due for longest first, whatever its ID", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    const [first] = await claim(now(), 1, id);
    await makeUsers(instance);
    await callbackQueue.release(instance.database, [first!], now() + 5000);
    const [second] = await claim(now() + 10_000, 1, id);
    expect(second!.id).toBeGreaterThan(first!.id);
    expect(await claim(now() + 10_000, 1, id)).toMatchObject([{ id: first!.id }]);
  });

  it("a disabled webhook keeps what a worker is sending until its lease ends, then it is stopped", async () => {
    instance.freeze();
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 2);
    const [sending] = await claim(now(), 1, id);
    await instance.administrator.call(webhooks.update, { id, active: false });
    const states = async () => {
      await newEngine(instance).drain({ maxSeconds: 60 });
      const rows = await instance.database.reader.selectFrom("deliveries").select(["id", "state"]).execute();
      return rows.map((row) => [row.id === sending!.id, row.state]).toSorted();
    };
    expect(await states()).toEqual([
      [false, "failed"],
      [true, "waiting"],
    ]);
    instance.wait(60);
    expect(await states()).toEqual([
      [false, "failed"],
      [true, "failed"],
    ]);
    expect((await logOf(instance, id)).map((entry) => entry.status)).toEqual(["disabled", "disabled"]);
    expect(receiver.received).toEqual([]);
  });

  it("deliveries that are claimed while leases are renewed keep theirs", async () => {
    await newWebhook(instance, receiver.url);
    await makeUsers(instance, 6);
    const waiting: (() => void)[] = [];
    receiver.answer = (_, response) => void waiting.push(() => response.end());
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let prolonging = false;
    let prolonged: Promise<unknown> | undefined;
    const database = { ...instance.database };
    database.writeLocking = (work) => {
      const result = instance.database.writeLocking(work);
      if (!prolonging) return result;
      const late = held.then(() => result);
      prolonged = late;
      return late;
    };
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const worker = newWorker(database);
    try {
      await worker.round();
      await receiver.until(4);
      prolonging = true;
      vi.advanceTimersByTime(leaseMilliseconds / 2);
      prolonging = false;
      await makeUsers(instance, 3);
      await worker.round();
      release();
      await prolonged;
      await turn();
      receiver.answer = (_, response) => void response.end();
      for (const answer of waiting) answer();
      await receiver.until(9);
    } finally {
      vi.useRealTimers();
      await worker.stop(5000);
    }
  });

  it("a queued delivery that another worker took over is not sent", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 8);
    const waiting: (() => void)[] = [];
    receiver.answer = (_, response) => void waiting.push(() => response.end());
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const worker = newWorker();
    try {
      await worker.round();
      await receiver.until(4);
      instance.wait(60);
      expect(await claim(now(), 8, id)).toHaveLength(8);
      vi.advanceTimersByTime(leaseMilliseconds / 2);
      await expect.poll(() => worker.busy).toBe(false);
      receiver.answer = (_, response) => void response.end();
      for (const answer of waiting) answer();
      await expect.poll(() => logOf(instance, id)).toHaveLength(4);
      expect(receiver.received).toHaveLength(4);
    } finally {
      vi.useRealTimers();
      await worker.stop(5000);
    }
  });

  it("a result after the end of its lease is logged, and changes nothing else", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    let answered = () => {};
    receiver.answer = (_, response) => {
      answered = () => response.writeHead(410).end();
    };
    start();
    await receiver.until(1);
    const [taken] = await claim(now() + leaseMilliseconds + 1000, 1, id);
    answered();
    await expect.poll(() => logOf(instance, id)).toHaveLength(1);
    expect((await logOf(instance, id))[0]).toMatchObject({ status: "410", attempt: 1, next_attempt_at: null });
    expect((await instance.administrator.call(webhooks.get, { id })).data).toMatchObject({ active: true });
    const row = await instance.database.reader.selectFrom("deliveries").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: "waiting", attempt: 0, lease_token: taken!.token });
  });

  it("changes of a webhook apply at once to deliveries that were claimed ahead", async () => {
    const { id } = await newWebhook(instance, `${receiver.url}/old`);
    await makeUsers(instance, 40);
    const waiting: (() => void)[] = [];
    receiver.answer = (_, response) => void waiting.push(() => response.end());
    let rounds = 0;
    const clock = () => {
      rounds += 1;
      return now();
    };
    start({ clock, pollInterval: 5 });
    await receiver.until(4);
    await instance.administrator.call(webhooks.update, { id, uri: `${receiver.url}/new` });
    // Each round looks at the clock a few times, after it has read the webhooks.
    const before = rounds;
    await expect.poll(() => rounds).toBeGreaterThan(before + 10);
    receiver.answer = (_, response) => void response.end();
    for (const answer of waiting) answer();
    await receiver.until(40);
    expect(Map.groupBy(receiver.received, (request) => request.path).get("/old")).toHaveLength(4);
  });

  it("a new URL of a webhook applies to deliveries after a pause", async () => {
    const { id } = await newWebhook(instance, `${receiver.url}/old`);
    start({ pollInterval: 5 });
    await instance.administrator.call(users.update, { id: 1, title: "First" });
    await receiver.until(1);
    await instance.administrator.call(webhooks.update, { id, uri: `${receiver.url}/new` });
    await instance.administrator.call(users.update, { id: 1, title: "Second" });
    await receiver.until(2);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/old", "/new"]);
  });

  it("a disabled webhook gets no delivery that was claimed ahead, and a late response changes nothing", async () => {
    const { administrator } = instance;
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 12);
    const waiting: ((status: number) => void)[] = [];
    receiver.answer = (_, response) => void waiting.push((status) => response.writeHead(status).end());
    start({ pollInterval: 5 });
    await receiver.until(4);
    await administrator.call(webhooks.update, { id, active: false });
    const reason = async () => (await administrator.call(webhooks.get, { id })).data.disabled_reason;
    const disabled = await reason();
    await expect.poll(() => logOf(instance, id, { status: "disabled" })).toHaveLength(8);
    for (const [at, answer] of waiting.entries()) answer([200, 500, 410, 500][at] ?? 500);
    await expect.poll(() => logOf(instance, id)).toHaveLength(12);
    await expect.poll(() => engines[0]!.waiting()).toMatchObject({ due: 0, later: 0, mails: 0 });
    const answers = (await logOf(instance, id)).filter(({ status }) => status !== "disabled");
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["200", "410", "500", "500"]);
    expect(answers.map(({ next_attempt_at }) => next_attempt_at)).toEqual([null, null, null, null]);
    expect(await reason()).toBe(disabled);
    expect(receiver.received).toHaveLength(4);
  });

  it("a database that cannot be reached for a while only delays deliveries", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 5);
    let broken = false;
    const database = { ...instance.database };
    database.writeLocking = (work) =>
      broken ? Promise.reject(new Error("the connection is gone")) : instance.database.writeLocking(work);
    let failures = 0;
    const log = {
      info() {},
      error() {
        failures += 1;
        broken = failures < 2;
      },
    };
    receiver.answer = (_, response) => {
      if (failures === 0) broken = true;
      response.end();
    };
    start({ database, log });
    await expect.poll(() => logOf(instance, id)).toHaveLength(5);
    expect(failures).toBeGreaterThanOrEqual(2);
    expect(receiver.received).toHaveLength(5);
  });

  it("a repair of due times that fails is logged", async () => {
    await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    instance.wait(-7200);
    const writeLocking = () => Promise.reject(new Error("the connection is gone"));
    const error = vi.fn();
    start({ database: { ...instance.database, writeLocking }, log: { info() {}, error } });
    await expect.poll(() => error.mock.calls).toContainEqual([expect.anything(), "due times cannot be repaired"]);
  });

  // How a worker sends what it has claimed does not depend on the database.
  if (kind === "postgres" && !isFull) return;

  it("a receiver that hangs delays no other receiver", async () => {
    const hanging = await receiverOfTest();
    let open = 0;
    /** Number of open requests at the start of each. */
    const openAtOnce: number[] = [];
    hanging.answer = (_, response) => {
      open += 1;
      openAtOnce.push(open);
      response.on("close", () => (open -= 1));
    };
    const slow = await newWebhook(instance, hanging.url, "hanging");
    await newWebhook(instance, receiver.url, "good");
    await makeUsers(instance, 60);
    const endAttempts = observeAttempts();
    start();
    await receiver.until(60);
    await hanging.until(4);
    endAttempts();
    expect(new Set(idsOf(receiver.received)).size).toBe(60);
    await expect.poll(() => logOf(instance, slow.id, { status: "timeout" })).not.toEqual([]);
    await hanging.until(5);
    // After a request hung, the receiver gets one at a time, and the deliveries that were claimed ahead are released.
    expect(openAtOnce.slice(0, 5)).toEqual([1, 2, 3, 4, 1]);
    const { due } = await engines[0]!.waiting();
    // All but those that were sent, and the next one.
    expect(due).toBeGreaterThanOrEqual(60 - hanging.received.length - 1);
    const stopped = engines[0]!.stop();
    endAttempts();
    await stopped;
  });

  it("many receivers that hang at once delay others no longer than they hang", async () => {
    const hanging = await receiverOfTest();
    hanging.answer = () => {};
    await addWebhooks(70, hanging.url);
    await newWebhook(instance, receiver.url, "good");
    await makeUsers(instance, 10);
    start({ settings: { "webhooks.timeout": 1 } });
    await receiver.until(10);
    await expect.poll(() => hanging.received.length).toBeGreaterThan(256);
    await makeUsers(instance, 10);
    await receiver.until(20);
    await Promise.all(engines.map((engine) => engine.stop()));
  });

  it("a worker makes at most 256 requests at once, over all receivers", async () => {
    receiver.answer = () => {};
    await addWebhooks(65);
    await makeUsers(instance, 4);
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => void timers.mockRestore());
    const worker = newWorker();
    for (let claimed = 1; claimed > 0; ) claimed = await worker.round();
    // Each request has a timer, of the length that newWorker sets.
    expect(timers.mock.calls.filter(([, milliseconds]) => milliseconds === 600_000)).toHaveLength(256);
    await worker.stop(0);
  });

  it("a delivery that waits for one of the 256 requests is sent once one is free", async () => {
    const held: (() => void)[] = [];
    receiver.answer = (_, response) => {
      if (held.length < 256) held.push(() => response.end());
      else response.end();
    };
    await addWebhooks(70);
    await makeUsers(instance, 6);
    start();
    await receiver.until(256);
    for (const answer of held) {
      answer();
      await turn();
    }
    await receiver.until(420);
    await expect.poll(() => engines[0]!.waiting()).toMatchObject({ due: 0, later: 0 });
    expect(receiver.received).toHaveLength(420);
  });

  it("drain ends in time, and returns the counts of what remains", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 40);
    receiver.answer = () => {};
    const real = performance.now.bind(performance);
    const left = newEngine(instance).drain({ maxSeconds: 1000 });
    await receiver.until(4);
    vi.spyOn(performance, "now").mockImplementation(() => real() + 1_000_000);
    onTestFinished(() => void vi.mocked(performance.now).mockRestore());
    expect(await left).toMatchObject({ due: 36, later: 4 });
    expect((await logOf(instance, id))[0]).toMatchObject({
      status: "timeout",
      error: expect.stringContaining("aborted because its process ended"),
    });
  });

  it("drain does not cut off callbacks that are answered soon, so that none is sent twice", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 200);
    const held: (() => void)[] = [];
    receiver.answer = (_, response) => void held.push(() => response.end("ok"));
    const stop = vi.spyOn(WebhookWorker.prototype, "stop");
    const real = performance.now.bind(performance);
    const drained = newEngine(instance).drain({ maxSeconds: 1000 });
    await receiver.until(4);
    // The time in which requests begin is over, but not the time in which they end.
    const clock = vi.spyOn(performance, "now").mockImplementation(() => real() + 600_000);
    onTestFinished(() => [stop, clock].forEach((each) => void each.mockRestore()));
    await expect.poll(() => stop).toHaveBeenCalled();
    receiver.answer = (_, response) => void response.end("ok");
    for (const answer of held) answer();
    const { due } = await drained;
    expect(due).toBe(200 - receiver.received.length);
    expect(due).toBeGreaterThan(0);
    const statuses = (await logOf(instance, id)).map((entry) => entry.status);
    expect(statuses).toEqual(Array(receiver.received.length).fill("200"));
  });

  it("results wait for further ones until no request is running", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 2);
    const flush = vi.spyOn(ResultWriter.prototype, "flush");
    onTestFinished(() => flush.mockRestore());
    const responses: ServerResponse[] = [];
    receiver.answer = (_, response) => void responses.push(response);
    const drained = newEngine(instance).drain({ maxSeconds: 60 });
    await receiver.until(2);
    responses[0]?.end();
    await expect.poll(() => logOf(instance, id)).toHaveLength(1);
    expect(flush).not.toHaveBeenCalled();
    responses[1]?.end();
    expect(await drained).toMatchObject({ due: 0, later: 0 });
    expect(flush).toHaveBeenCalledOnce();
  });

  it("drain without a limit ends when nothing is due", async () => {
    await newWebhook(instance, receiver.url);
    await makeUsers(instance, 3);
    const engine = newEngine(instance);
    expect(await engine.drain({ maxSeconds: Number.POSITIVE_INFINITY })).toMatchObject({ due: 0, later: 0 });
    expect(receiver.received).toHaveLength(3);
  });

  it("an engine that runs stops calling private addresses once webhooks.allow_private is switched off", async () => {
    const settings = { "webhooks.allow_private": true };
    const { id } = await newWebhook(instance, receiver.url);
    start({ settings });
    const statuses = async () => (await logOf(instance, id)).map((entry) => entry.status);
    await makeUsers(instance);
    await expect.poll(() => statuses()).toEqual(["200"]);
    settings["webhooks.allow_private"] = false;
    await makeUsers(instance);
    await expect.poll(() => statuses()).toHaveLength(2);
    expect(await statuses()).toEqual(["blocked", "200"]);
    expect(receiver.received).toHaveLength(1);
  });

  it("a delivery is not sent to a private address when webhooks.allow_private is switched off until it is claimed", async () => {
    const settings = { "webhooks.allow_private": true };
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    const database = whenClaimed(instance.database, () => {
      settings["webhooks.allow_private"] = false;
    });
    const worker = newWorker(database, settings);
    expect(await worker.round()).toBe(1);
    await expect.poll(() => logOf(instance, id)).toMatchObject([{ status: "blocked" }]);
    await worker.stop(10_000);
    expect(receiver.received).toEqual([]);
  });

  it("a worker that has stopped leaves no timer behind, which would keep its process alive", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await newWorker().stop(5000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("an engine that runs waits for an answer as long as webhooks.timeout says by then", async () => {
    const settings = { "webhooks.timeout": 600 };
    const { id } = await newWebhook(instance, receiver.url);
    start({ settings });
    await makeUsers(instance);
    await expect.poll(() => logOf(instance, id, { status: "200" })).toHaveLength(1);
    receiver.answer = () => {};
    settings["webhooks.timeout"] = 1;
    await makeUsers(instance);
    const error = "There was no answer within 1 seconds.";
    await expect.poll(() => logOf(instance, id, { status: "timeout" })).toMatchObject([{ error }]);
  });

  it("a worker renews no leases once everything is sent", async () => {
    await newWebhook(instance, receiver.url);
    await makeUsers(instance, 2);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const worker = newWorker();
    try {
      await worker.round();
      expect(vi.getTimerCount()).toBe(1);
      await expect.poll(() => worker.busy).toBe(false);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      await worker.stop(5000);
    }
  });
});
