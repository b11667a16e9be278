import { CompiledQuery, sql } from "kysely";
import { expect, it, onTestFinished, vi } from "vitest";
import { waitForTurn } from "../../src/store/dialect.ts";
import { copyInstance } from "../../src/store/move/copy-instance.ts";
import { migrateSchema, openDatabase, openToMigrate } from "../../src/store/open-database.ts";
import { PostgresWritingDriver } from "../../src/store/postgres/postgres-driver.ts";
import { prepared } from "../../src/store/prepared.ts";
import { get, put, useDatabase } from "../store/support.ts";
import { listening } from "../support/engine.ts";
import { startFreezingProxy } from "../support/freezing-proxy.ts";
import { newDatabase } from "../support/instance.ts";

const open = useDatabase("postgres");
const limit = 30_000;
const everything = prepared((db) => db.selectFrom("settings").selectAll());

it("Statements on connections that PostgreSQL answers no longer fail, and those after them use new ones", async () => {
  const proxy = await startFreezingProxy(open().target);
  const database = await openDatabase(proxy.target);
  onTestFinished(proxy.close);
  database.limitAnswers();
  onTestFinished(await listening(database, "postgres"));
  // As many as the pool has connections.
  await Promise.all(Array.from({ length: 10 }, () => get(database, "none")));
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => void timers.mockRestore());
  const due = () => timers.mock.calls.filter(([, milliseconds]) => milliseconds === limit);
  proxy.freeze();
  const statements = [
    // The server sends several of these over each of four connections.
    ...Array.from({ length: 20 }, () => everything(database.reader, {})),
    ...Array.from({ length: 5 }, () => get(database, "none")),
    database.write((tx) => put(tx, "meanwhile", 1)),
  ];
  const results = Promise.all(
    statements.map((each: Promise<unknown>) => each.catch((error) => database.explain(error))),
  );
  await expect.poll(() => due().length).toBe(10);
  for (const [end] of due()) end();
  for (const result of await results) expect(result).toMatchObject({ code: "unavailable" });
  await database.write((tx) => put(tx, "after", 1));
  expect([await get(database, "meanwhile"), await get(database, "after")]).toEqual([undefined, "1"]);
  // Does not wait for the connection that listens.
  await database.close();
});

for (const parameters of ["", "?pgbouncer=true"]) {
  it(`The locks of a server that vanished within a transaction end, and nobody waits for long (URL with "${parameters}")`, async () => {
    const [vanishing, direct] = [await startFreezingProxy(open().target), await startFreezingProxy(open().target)];
    onTestFinished(direct.close);
    const [vanished, other] = await Promise.all(
      [vanishing, direct].map(({ target }) => openDatabase(`${target}${parameters}`)),
    );
    const { promise: end, reject } = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holding = vanished!.write(async (tx) => {
      await put(tx, "held", "by the vanished");
      held.resolve();
      await end;
    });
    await held.promise;
    vanishing.freeze();
    const write = () =>
      other!.writeLocking((tx) => put(tx, "held", "by another")).catch((error) => other!.explain(error));
    expect(await write()).toMatchObject({
      code: "unavailable",
      retryAfter: 1,
      message: expect.stringContaining("busy"),
    });
    await expect.poll(write).toBeUndefined();
    expect(await get(other!, "held")).toBe("by another");
    vanishing.close();
    reject(new Error("ended"));
    await expect(holding).rejects.toThrow();
    await Promise.all([vanished!.close(), other!.close()]);
  });
}

it("A transaction that went on too late fails, and leaves nothing", async () => {
  const { database } = open();
  const late = database.write(async (tx) => {
    await put(tx, "late", 1);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await sql`set local idle_in_transaction_session_timeout = 10`.execute(tx);
    const process = sql`select 1 from pg_stat_activity where pid = ${rows[0]!.pid}`;
    await expect.poll(async () => (await process.execute(database.reader)).rows.length).toBe(0);
    await put(tx, "late", 2);
  });
  expect(await late.catch(database.explain)).toMatchObject({ code: "unavailable" });
  expect(await get(database, "late")).toBeUndefined();
});

it("A migration waits for another one, and a copy for its source, for longer than changes may", async () => {
  const [source, { target, remove }] = [open(), await newDatabase("postgres")];
  const [waiting, filled] = [await startFreezingProxy(source.target), await startFreezingProxy(target)];
  const limits = "set local lock_timeout = '100ms'; set local idle_in_transaction_session_timeout = '3s'";
  const begin = vi.spyOn(PostgresWritingDriver.prototype, "beginTransaction");
  onTestFinished(() => void begin.mockRestore());
  begin.mockImplementation(async (connection) => {
    await connection.executeQuery(CompiledQuery.raw(`begin; ${limits}`));
  });
  const held = Promise.withResolvers<void>();
  const holding = source.database.writeLocking(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    await waitForTurn(tx, 0x7763736d);
    await sql`lock table messages in access exclusive mode`.execute(tx);
    held.resolve();
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and state_change < clock_timestamp() - interval '4 seconds'`;
    await expect.poll(async () => (await waiting.execute(source.database.reader)).rows.length).toBe(2);
  });
  await held.promise;
  const migrating = await openToMigrate(waiting.target);
  const watch = { signal: new AbortController().signal, progress: () => {} };
  const copying = copyInstance({ from: source.target, to: filled.target, wordsOf: () => [], watch });
  expect(await migrateSchema(migrating, true)).toEqual([]);
  await Promise.all([copying, holding]);
  await migrating.close();
  for (const proxy of [waiting, filled]) proxy.close();
  await remove();
});

it("The error of a transaction is that of its work, also when its connection has broken meanwhile", async () => {
  const { database } = open();
  const failing = database.write(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 10000)`.execute(database.reader);
    throw new Error("refused by the work");
  });
  await expect(failing).rejects.toThrow("refused by the work");
  await database.write((tx) => put(tx, "next", 1));
  expect(await get(database, "next")).toBe("1");
});
