import pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import { auth } from "../../src/contract/auth.ts";
import { events } from "../../src/contract/events.ts";
import { posts } from "../../src/contract/posts.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { password } from "../support/actors.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { codeOf, refusal } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { enrol, totpCode } from "../support/second-factor.ts";

useQuickPasswords();

let instance: Instance;
let client: pg.Client;
beforeAll(async () => {
  instance = await newInstance({ database: "postgres", caller: "local" });
  for (const name of ["Ada", "Bob"]) {
    const email = `${name}@example.org`;
    await instance.administrator.call(users.create, { first_name: name, last_name: "Lee", email, unit: 1 });
  }
});
afterAll(() => instance.close());

const [crowd, other] = [2, 3];
const many = Array.from({ length: 30 });

/** Holds locks until the test has ended. Returns a function that counts the transactions which wait for them. */
async function lock(statement: string) {
  client = new pg.Client({ connectionString: instance.target });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`begin; ${statement}`);
  return async () => {
    // A transaction does not see connections that were opened after it first looked.
    await client.query("select pg_stat_clear_snapshot()");
    const { rows } = await client.query(`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return rows[0].count as number;
  };
}

it("Lists that one user sends at once take few connections: another user need not wait for them", async () => {
  const [first, second] = [await instance.as(crowd), await instance.as(other)];
  for (const each of [first, second]) await each.call(users.get, { id: 1 });
  const waiting = await lock("lock table posts in access exclusive mode");
  // On a busy machine, some may wait for so long that they are refused.
  const lists = Promise.all(many.map(() => codeOf(first.call(posts.list, {}))));
  await expect.poll(waiting).toBe(2);
  for (let round = 0; round < 20; round += 1) await second.call(users.get, { id: crowd });
  await second.call(events.list, {});
  expect(await waiting()).toBe(2);
  await client.query("rollback");
  await lists;
});

it("Exports of their data that one user sends at once take few connections: another user need not wait for them", async () => {
  const first = await instance.as(crowd);
  const page = (cursor?: string | null) => first.call(users.exportData, { id: crowd, ...(cursor && { cursor }) });
  const profile = await page();
  const memberships = await page(profile.meta.next_cursor);
  const waiting = await lock("lock table posts in access exclusive mode");
  const pages = Promise.all(many.map(() => codeOf(page(memberships.meta.next_cursor))));
  await expect.poll(waiting).toBe(2);
  await instance.administrator.call(tokens.list, {});
  expect(await waiting()).toBe(2);
  await client.query("rollback");
  await pages;
});

it("Changes that one user sends at once take few connections: another user need not wait for them", async () => {
  const first = await instance.as(crowd);
  const waiting = await lock(`select 1 from users where id = ${crowd} for update`);
  const changes = Promise.all(
    many.map((_, at) => codeOf(first.call(users.update, { id: crowd, phone: `+4512345${at + 100}` }))),
  );
  await expect.poll(waiting).toBe(4);
  await instance.administrator.call(units.create, { name: "Meanwhile", parent: 1 });
  expect(await waiting()).toBe(4);
  await client.query("rollback");
  await changes;
});

it("Requests without a sign-in that arrive at once take few connections: users who are signed in need not wait for them", async () => {
  const waiting = await lock("lock table rate_limit_events in share row exclusive mode");
  const stranger = instance.withToken(undefined);
  const requests = Promise.all(
    many.map((_, at) => codeOf(stranger.call(auth.passwordRequest, { email: `${at}@example.org` }))),
  );
  await expect.poll(waiting).toBe(4);
  await instance.administrator.call(units.create, { name: "Signed in", parent: 1 });
  expect(await waiting()).toBe(4);
  await client.query("rollback");
  await requests;
});

it("A sign-in whose right code cannot be used up, because no place becomes free, is refused but does not count as failed", async () => {
  const signIns = [];
  for (const name of ["Cleo", "Dan", "Eve", "Finn", "Gro"]) {
    const email = `${name}@example.org`;
    const user = { first_name: name, last_name: "Lee", email, unit: 1, password };
    const { id } = await instance.administrator.call(users.create, user);
    signIns.push({ username: email, ...(await enrol(await instance.as(id), instance)) });
  }
  instance.wait(30);
  const waiting = await lock("select 1 from two_factors for update");
  const stranger = instance.withToken(undefined);
  const calls = signIns.map(({ username, secret }) =>
    stranger.call(auth.authenticate, { username, password, otp: totpCode(secret, instance.now()) }),
  );
  const outcomes = Promise.all(calls.map(codeOf));
  await expect.poll(waiting).toBe(4);
  const message = "Too many sign-ins and password requests are running; try again.";
  expect(await refusal(Promise.race(calls))).toMatchObject({ code: "unavailable", message, retryAfter: 1 });
  await client.query("rollback");
  expect((await outcomes).sort()).toEqual(["ok", "ok", "ok", "ok", "unavailable"]);
  const { data } = await instance.administrator.call(audit.list, { operation: "auth.authenticate" });
  expect(data.map(({ outcome }) => outcome)).toEqual(["done", "done", "done", "done"]);
});

it("Changes for which no place becomes free are refused, and not made later", async () => {
  const first = await instance.as(crowd);
  const waiting = await lock(`select 1 from users where id = ${crowd} for update`);
  const change = (at: number) => first.call(users.update, { id: crowd, phone: `+4523456${at}` });
  const running = [1, 2, 3, 4].map((at) => codeOf(change(at)));
  await expect.poll(waiting).toBe(4);
  const message = "Other requests of yours are still running; send fewer at once.";
  const refused = { code: "unavailable", message, retryAfter: 1 };
  expect(await Promise.all([5, 6].map((at) => refusal(change(at))))).toMatchObject([refused, refused]);
  await client.query("rollback");
  expect(await Promise.all(running)).toEqual(["ok", "ok", "ok", "ok"]);
  expect((await first.call(users.get, { id: crowd })).phone).toMatch(/[1-4]$/);
});
