import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { leaseMilliseconds } from "../../src/delivery/queue/leased-queue.ts";
import { type Child, startChild } from "../support/child.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";
import { type Receiver, receiverOfTest } from "../support/receiver.ts";
import { jobs, kills, timeFor } from "./counts.ts";
import { killedSessionsEnd, targetToKill } from "./killed-sessions.ts";

/** Seconds after which what a dead worker held is free. */
const lease = leaseMilliseconds / 1000 + 1;

describeOnDatabases("kill -9", (open, kind) => {
  let instance: Instance;
  let receiver: Receiver;
  let children: Child[] = [];
  beforeEach(async () => {
    instance = await open();
    receiver = await receiverOfTest();
    children = [];
  });
  afterEach(async () => {
    await Promise.all(children.map((child) => child.kill()));
  });
  const start = (script: string, ...args: (string | number)[]) => {
    const child = startChild(`faults/${script}`, [targetToKill(instance), ...args.map(String)]);
    children.push(child);
    return child;
  };
  const drain = () => newEngine(instance).drain({ maxSeconds: 60 });
  /** Holds up all commits of deliveries, until the returned function is called. */
  const holdCommits = async () => {
    const { promise: over, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    void instance.database.writeLocking(async (tx) => {
      if (kind === "postgres") await sql`lock table deliveries in share row exclusive mode`.execute(tx);
      hold();
      await over;
    });
    await held;
    return release;
  };

  it("R2: a change and its event are both there or neither, whenever the writer is killed", {
    timeout: timeFor(kills),
  }, async () => {
    await newWebhook(instance, "http://receiver.invalid/");
    let acknowledged = 0;
    for (let i = 0; i < kills; i++) {
      const writer = start("webhooks-writer.ts");
      await writer.next();
      // Kills it at a different point of its work each time.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
      await writer.kill();
      // The next process builds on what the killed one has committed.
      await killedSessionsEnd(instance);
      acknowledged = Math.max(acknowledged, ...writer.lines.map(Number));
    }
    const db = instance.database.reader;
    const events = await db.selectFrom("webhook_events").select(["id", "payload"]).orderBy("id").execute();
    const told = events.map(({ payload }) => JSON.parse(payload).data);
    const numberOf = (thing: { meta_field_0?: string; description?: string }) =>
      Number(thing.meta_field_0 ?? thing.description);
    const numbers = told.map(numberOf).sort((a, b) => a - b);
    // Every change is told once, and no change is missing.
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThanOrEqual(acknowledged);
    // The last event about each thing describes its present state.
    const last = new Map(told.map((thing) => [thing.url, numberOf(thing)]));
    const users = await db.selectFrom("users").select(["id", "meta_field_0"]).where("id", ">", 1).execute();
    const units = await db.selectFrom("units").select(["id", "description"]).where("id", ">", 1).execute();
    const present = [
      ...users.map((user) => [`/users/${user.id}`, Number(user.meta_field_0)] as const),
      ...units.map((unit) => [`/units/${unit.id}`, Number(unit.description)] as const),
    ];
    expect(last).toEqual(new Map(present));
    const { deliveries } = await db
      .selectFrom("deliveries as d")
      .innerJoin("webhook_events as e", "e.id", "d.event_id")
      .select((eb) => eb.fn.countAll<number>().as("deliveries"))
      .executeTakeFirstOrThrow();
    expect(deliveries).toBe(events.length);
  });

  it("R3: killed between a receiver's 200 and the commit: delivered again, under the same ID, and logged", {
    timeout: timeFor(kills),
  }, async () => {
    const { id } = await newWebhook(instance, receiver.url);
    const answered = new Map<string, number>();
    for (let i = 0; i < kills; i++) {
      const { promise: over, resolve: killed } = Promise.withResolvers<void>();
      let release = () => {};
      receiver.answer = async ({ headers }, response) => {
        const message = String(headers["webhook-id"]);
        answered.set(message, (answered.get(message) ?? 0) + 1);
        // The commits of others are faster at times; the first one is not.
        if (i === 0) release = await holdCommits();
        response.end("ok", () => void worker.kill().then(killed));
      };
      await makeUsers(instance);
      const worker = start("webhooks-worker.ts", i * lease);
      await over;
      release();
      instance.wait(lease);
    }
    receiver.answer = ({ headers }, response) => {
      const message = String(headers["webhook-id"]);
      answered.set(message, (answered.get(message) ?? 0) + 1);
      response.end();
    };
    expect(await drain()).toMatchObject({ due: 0, later: 0 });
    const events = await instance.database.reader.selectFrom("webhook_events").select("message_id").execute();
    expect([...answered.keys()].sort()).toEqual(events.map((event) => event.message_id).sort());
    const entries = await logOf(instance, id);
    expect(new Set(entries.map((entry) => entry.webhook_event_id)).size).toBe(kills);
    expect(new Set(entries.map((entry) => entry.status))).toEqual(new Set(["200"]));
    expect(Math.max(...answered.values())).toBeGreaterThan(1);
  });

  it("R4: what a killed worker held is taken over when the lease ends; nothing is lost", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 40);
    receiver.answer = () => {};
    const first = start("webhooks-worker.ts");
    await receiver.until(4);
    await first.kill();
    receiver.answer = (_, response) => void response.end();
    expect(await drain()).toMatchObject({ due: 0, later: 40 });
    instance.wait(lease);
    expect(await drain()).toMatchObject({ due: 0, later: 0 });
    expect((await logOf(instance, id)).map((entry) => entry.status)).toEqual(Array(40).fill("200"));
  });

  it("R4: four workers in processes of their own: none lost, none twice", async () => {
    await newWebhook(instance, receiver.url);
    const workers = Array.from({ length: 4 }, () => start("webhooks-worker.ts"));
    await Promise.all(workers.map((worker) => worker.next()));
    await makeUsers(instance, jobs);
    await receiver.until(jobs);
    await expect.poll(() => newEngine(instance).waiting()).toMatchObject({ due: 0, later: 0 });
    const messages = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(messages).toHaveLength(jobs);
    expect(new Set(messages).size).toBe(jobs);
  });
});
