import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { type Instance, newInstance } from "../support/instance.ts";

let instance: Instance;
beforeAll(async () => {
  instance = await newInstance({ database: "postgres", caller: "local" });
});
afterAll(() => instance.close());

it("webhooks.events: a listener misses no event of a transaction that is committed later than the next one", async () => {
  const { administrator, database } = instance;
  const person = { first_name: "Bo", last_name: "Berg", email: "bo@example.com", unit: 1 };
  const uri = "http://receiver.invalid/";
  await administrator.call(webhooks.create, { name: "creations", uri, triggers: ["user.create"] });
  const { last_id } = (await administrator.call(webhooks.events, {})).meta;
  /** Resolves when that many sessions wait for locks. */
  const blocked = (count: number) =>
    expect
      .poll(async () => {
        const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(database.reader);
        return rows[0]!.count;
      })
      .toBe(count);
  // Holds up the first transaction between its event and its delivery; the second one has no delivery.
  const holder = await openDatabase(instance.target);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: holding, resolve: locked } = Promise.withResolvers<void>();
  const lock = holder.writeLocking(async (tx) => {
    await sql`lock table deliveries in share row exclusive mode`.execute(tx);
    locked();
    await held;
  });
  await holding;
  const first = administrator.call(users.create, person);
  await blocked(1);
  let isSecondDone = false;
  const second = administrator.call(users.update, { id: 1, title: "Boss" }).finally(() => {
    isSecondDone = true;
  });
  await Promise.race([second, blocked(2)]);
  const early = await administrator.call(webhooks.events, { after: last_id });
  release();
  await Promise.all([lock, first, second]);
  const late = await administrator.call(webhooks.events, { after: early.meta.last_id });
  expect([...early.data, ...late.data].map(({ payload }) => payload.type)).toEqual(["user.create", "user.update"]);
  expect(isSecondDone).toBe(true);
  await holder.close();
});
