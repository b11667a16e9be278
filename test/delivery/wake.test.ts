import { afterEach, beforeEach, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import type { Database } from "../../src/store/database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { describeOnDatabases, listening, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";

describeOnDatabases("waking up", (open, kind) => {
  let instance: Instance;
  let other: Database;
  beforeEach(async () => {
    instance = await open();
    other = await openDatabase(instance.target);
  });
  afterEach(async () => {
    await other.close();
  });

  /** Resolves when another connection hears of a change that is made once it listens. */
  const heard = async (change: () => Promise<unknown>) => {
    const end = await listening(other, kind);
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    const stop = other.onChange(() => wake());
    await change();
    await woken;
    stop();
    end();
  };

  it("by an event", async () => {
    await newWebhook(instance, "http://receiver.invalid/");
    await heard(() => makeUsers(instance));
  });

  it("by an event that nobody but a listener wants", async () => {
    await instance.administrator.call(webhooks.events, {});
    await heard(() => makeUsers(instance));
  });

  it("by a mail", async () => {
    const [user] = await makeUsers(instance);
    await heard(() => instance.administrator.call(users.welcome, { users: [user!] }));
  });

  it("by a test, by what is sent again, and by a webhook that is switched off or deleted", async () => {
    const { administrator } = instance;
    const { id } = await newWebhook(instance, "http://receiver.invalid/");
    await heard(() => administrator.call(webhooks.test, { id, wait: 0 }));
    await heard(() => administrator.call(webhooks.recover, { id, since: 0 }));
    await newEngine(instance).drain({ maxSeconds: 60 });
    const [entry] = await logOf(instance, id);
    await heard(() => administrator.call(webhooks.resend, { id, log: entry!.id }));
    await heard(() => administrator.call(webhooks.update, { id, active: false }));
    await heard(() => administrator.call(webhooks.delete, { id }));
  });

  // SQLite has no connection that could break.
  if (kind === "postgres") {
    it("again after the connection broke", async () => {
      await newWebhook(instance, "http://receiver.invalid/");
      let woken = 0;
      const stop = other.onChange(() => {
        woken += 1;
      });
      const until = async (count: number) => {
        await expect.poll(() => woken).toBeGreaterThanOrEqual(count);
      };
      await until(1);
      const { sql } = await import("kysely");
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'wcs listen' and datname = current_database()`.execute(instance.database.reader);
      await until(2);
      await makeUsers(instance);
      await until(3);
      stop();
    });
  }

  it("a listener is not called after it has unsubscribed, also twice", async () => {
    let woken = 0;
    const stop = other.onChange(() => {
      woken += 1;
    });
    stop();
    stop();
    await newWebhook(instance, "http://receiver.invalid/");
    await heard(() => makeUsers(instance));
    expect(woken).toBe(0);
  });
});
