import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Caller } from "../../src/contract/operation.ts";
import { defaults } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks as ops } from "../../src/contract/webhooks.ts";
import { createService } from "../../src/core/service.ts";
import { createEngine } from "../../src/delivery/delivery.ts";
import { insertRows } from "../../src/store/bulk.ts";
import type { Database } from "../../src/store/database.ts";
import { openNewInstance } from "../support/new-instance.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Figure, median } from "./figure.ts";

const deliveries = 10_000;
const many = Number(process.env.WCS_BENCH_DELIVERIES ?? 100_000);
/** Requests under way at once, for one receiver. */
const concurrency = 16;
const rounds = 5;

interface Receiver {
  readonly url: string;
  /** When each title came, in Unix milliseconds. */
  readonly arrivals: Map<string, number>;
  stop(): void;
}

/** W1, W2, draining of 100 k, and how long a change takes to be called out. */
export async function webhooks(): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true });
  const receiver = await startReceiver();
  const figures: Figure[] = [];
  const file = join(tmpdir(), `wcs-bench-webhooks-${process.pid}.db`);
  const targets = { SQLite: file, PostgreSQL: `${postgres.url}/postgres` };
  try {
    for (const [where, target] of Object.entries(targets)) {
      const database = await open(target);
      figures.push(await speed(where, database, receiver));
      figures.push(await hanging(where, target, database, receiver));
      figures.push(await backlog(where, target, database, receiver));
      await database.close();
    }
  } finally {
    receiver.stop();
    await postgres.stop();
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  }
  return figures;
}

async function open(target: string): Promise<Database> {
  return openNewInstance(target);
}

async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL("./webhook-receiver.ts", import.meta.url));
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const arrivals = new Map<string, number>();
  child.on("message", (message) => {
    const { title, at } = message as { title: string; at: number };
    arrivals.set(title, at);
  });
  return { url: `http://127.0.0.1:${port}`, arrivals, stop: () => void child.kill() };
}

const callerOf = (database: Database): Caller => createService({ database }).caller({ userId: 1 });
const engineOn = (database: Database) =>
  createEngine({
    database,
    settings: async () => ({ ...defaults, "webhooks.allow_private": true }),
    log: { info() {}, error: (fields, message) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`) },
    userAgent: "wcs/bench",
  });

async function newWebhook(caller: Caller, uri: string): Promise<number> {
  return (await caller.call(ops.create, { name: "bench", uri })).data.id;
}

/** Memory of a process that sends 100 k waiting callbacks (SQLite). */
export async function* memoryOfDeliveries(): AsyncGenerator<Figure> {
  const receiver = await startReceiver();
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-deliveries-"));
  try {
    const target = join(folder, "wcs.db");
    const database = await open(target);
    const { measured, note = "", ...figure } = await backlog("SQLite", target, database, receiver);
    yield { ...figure, measured, floor: 200, target: "<= 1 x", note: `floor: the limit; ${note}` };
    await database.close();
  } finally {
    receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts out as many events of one webhook, as an import would. */
async function fill(database: Database, webhook_id: number, count: number): Promise<string> {
  const [user] = (await callerOf(database).call(users.list, { limit: 1 })).data;
  const payload = JSON.stringify({ type: "user.update", timestamp: new Date().toISOString(), data: user });
  const created_at = Math.floor(Date.now() / 1000);
  for (let done = 0; done < count; done += 1000) {
    await database.write(async (tx) => {
      const events = Array.from({ length: 1000 }, (_, index) => ({
        message_id: `msg_${created_at}_${done + index}`,
        type: "user.update",
        payload,
        created_at,
      }));
      const made = await insertRows(tx, "webhook_events", events, ["id"]);
      const due_at = created_at * 1000;
      const rows = made.map(({ id }) => ({ event_id: id, webhook_id, state: "waiting", due_at, created_at }));
      await insertRows(tx, "deliveries", rows);
    });
  }
  return payload;
}

/** W1: deliveries to a fast receiver, against a loop that does nothing but POST. */
async function speed(where: string, database: Database, receiver: Receiver): Promise<Figure> {
  const caller = callerOf(database);
  const measured: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const id = await newWebhook(caller, `${receiver.url}/fast`);
    const payload = await fill(database, id, deliveries);
    const seconds = await time(() => engineOn(database).drain({ maxSeconds: 600 }));
    const { meta } = await caller.call(ops.logs, { id, status: "200" });
    if (meta.total !== deliveries) throw new Error(`${meta.total} of ${deliveries} arrived`);
    measured.push(deliveries / seconds);
    floors.push(deliveries / (await time(() => postAll(`${receiver.url}/fast`, payload))));
    await caller.call(ops.delete, { id });
  }
  const what = `${deliveries} deliveries to a fast receiver (${where})`;
  const figure = { id: "W1", what, measured: median(measured), floor: median(floors) };
  return { ...figure, unit: "/s", target: ">= 0.5 x", higher: true };
}

async function postAll(url: string, body: string): Promise<void> {
  const dispatcher = new Agent({ connections: concurrency });
  let left = deliveries;
  const loop = async () => {
    while (left-- > 0) {
      const answer = await request(url, { method: "POST", body, dispatcher });
      await answer.body.text();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  await dispatcher.close();
}

/** W2: how long after its commit a change arrives by another process, with a receiver beside that hangs, against without it. */
async function hanging(where: string, target: string, database: Database, receiver: Receiver): Promise<Figure> {
  const caller = callerOf(database);
  const good = await newWebhook(caller, `${receiver.url}/timed`);
  const engine = fork(new URL("./webhook-engine.ts", import.meta.url), [target, "start"]);
  await once(engine, "message");
  // The first loads what it takes to send at all.
  await latencies(caller, receiver, "first", 20);
  const without: number[] = [];
  const beside: number[] = [];
  // In turns, since others load the machine now more and now less.
  for (let round = 0; round < rounds; round++) {
    without.push(...(await latencies(caller, receiver, `without ${round}`)));
    const bad = await newWebhook(caller, `${receiver.url}/hang`);
    beside.push(...(await latencies(caller, receiver, `beside ${round}`)));
    await caller.call(ops.delete, { id: bad });
  }
  await caller.call(ops.delete, { id: good });
  engine.disconnect();
  await once(engine, "exit");
  const p95 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
  const what = `p95 from commit to arrival beside a hanging receiver (${where})`;
  const note = `median ${median(without).toFixed(0)} ms, the longest ${Math.max(...without).toFixed(0)} ms without it`;
  return { id: "W2", what, measured: p95(beside), floor: p95(without), unit: "ms", target: "<= 1.1 x", note };
}

/** Milliseconds from the commit of a change to its arrival, for changes every 20 ms. */
async function latencies(caller: Caller, receiver: Receiver, name: string, count = 100): Promise<number[]> {
  const committed = new Map<string, number>();
  for (let n = 0; n < count; n++) {
    const title = `${name} ${n}`;
    await caller.call(users.update, { id: 1, title });
    committed.set(title, performance.timeOrigin + performance.now());
    await sleep(20);
  }
  for (let wait = 0; wait < 200 && !receiver.arrivals.has(`${name} ${count - 1}`); wait++) await sleep(50);
  return [...committed].map(([title, at]) => (receiver.arrivals.get(title) ?? Number.NaN) - at);
}

/** 100 k that wait: the most memory that a process takes for the second half of them, against the first. */
async function backlog(where: string, target: string, database: Database, receiver: Receiver): Promise<Figure> {
  const caller = callerOf(database);
  const id = await newWebhook(caller, `${receiver.url}/fast`);
  await fill(database, id, many);
  const engine = fork(new URL("./webhook-engine.ts", import.meta.url), [target]);
  const [{ first, second, seconds }] = (await once(engine, "message")) as [Record<string, number>];
  await caller.call(ops.delete, { id });
  const what = `memory while ${many} deliveries drain (${where})`;
  const note = `${(many / seconds!).toFixed(0)} /s`;
  return { id: "W", what, measured: second!, floor: first!, unit: "MiB", target: "flat", note };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
