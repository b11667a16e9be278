import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { defaults } from "../../src/contract/settings.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { countExpired, removeExpired } from "../../src/delivery/delivery.ts";
import { removalLock } from "../../src/delivery/retention/remove-expired.ts";
import { retentionRules } from "../../src/delivery/retention/retention-rules.ts";
import { waitForTurn } from "../../src/store/dialect.ts";
import { replacePasswordToken } from "../../src/store/password-tokens.ts";
import type { Schema } from "../../src/store/schema/schema.ts";
import { password } from "../support/actors.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { mailboxOfTest } from "../support/mailbox.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";
import { codeOf } from "../support/outcome.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { type Receiver, receiverOfTest } from "../support/receiver.ts";
import { enrol } from "../support/second-factor.ts";

useQuickPasswords();

const day = 86_400;
const hour = 3_600_000;

describeOnDatabases("retention", (open, kind) => {
  let instance: Instance;
  let receiver: Receiver;
  beforeEach(async () => {
    instance = await open();
    receiver = await receiverOfTest();
  });
  const drain = () => newEngine(instance).drain({ maxSeconds: 60 });
  const remove = (settings = {}) =>
    removeExpired(instance.database, { settings: { ...defaults, ...settings }, now: instance.now() });
  const count = async (table: keyof Schema) => {
    const { rows } = await instance.database.reader
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow();
    return rows;
  };

  it("retention removes webhook logs and events after 30 days, or as set, and keeps younger ones", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance, 3);
    await drain();
    instance.wait(20 * day);
    await makeUsers(instance, 2);
    await drain();
    await remove();
    expect(await logOf(instance, id)).toHaveLength(5);
    instance.wait(11 * day);
    await remove();
    expect(await logOf(instance, id)).toHaveLength(2);
    expect(await count("webhook_events")).toBe(2);
    await remove({ "webhooks.log_days": 5 });
    expect([await count("webhook_events"), await count("webhook_logs")]).toEqual([0, 0]);
  });

  it("a delivery is deleted when it succeeds, and one that failed with its event", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    expect([await count("webhook_events"), await count("deliveries")]).toEqual([1, 0]);
    await makeUsers(instance, 2);
    await instance.administrator.call(webhooks.update, { id, active: false });
    await drain();
    expect([await count("webhook_events"), await count("deliveries")]).toEqual([3, 2]);
    instance.wait(31 * day);
    await remove();
    expect([await count("webhook_events"), await count("deliveries")]).toEqual([0, 0]);
  });

  it("retention keeps an event of any age that still waits to be delivered", async () => {
    await newWebhook(instance, receiver.url);
    await makeUsers(instance, 2);
    instance.wait(40 * day);
    await remove();
    expect(await drain()).toMatchObject({ due: 0 });
    expect(receiver.received).toHaveLength(2);
  });

  it("a log entry remains when its event is removed, and webhooks.log shows it without the body", async () => {
    const { administrator } = instance;
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    instance.wait(40 * day);
    await drain();
    await remove();
    const [entry] = await logOf(instance, id);
    const { data } = await administrator.call(webhooks.log, { id, log: entry!.id });
    expect(data.request.body).toBeNull();
    await expect(administrator.call(webhooks.resend, { id, log: entry!.id })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("webhooks.resend queues nothing for an event that is being removed", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    const [entry] = await logOf(instance, id);
    const resend = await instance.database.writeLocking(async (tx) => {
      await tx.deleteFrom("webhook_events").execute();
      const code = codeOf(instance.administrator.call(webhooks.resend, { id, log: entry!.id }));
      await Promise.race([code, sleep(300)]);
      return { code };
    });
    expect(await resend.code).toBe("conflict");
    expect(await count("deliveries")).toBe(0);
  });

  it("retention removes everything of a deleted webhook", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    const kept = await newWebhook(instance, receiver.url, "kept");
    await makeUsers(instance, 3);
    await drain();
    await makeUsers(instance);
    await instance.administrator.call(webhooks.delete, { id });
    await makeUsers(instance);
    await remove();
    expect([await count("webhooks"), await count("webhook_logs"), await count("deliveries")]).toEqual([1, 3, 2]);
    await drain();
    expect(await logOf(instance, kept.id)).toHaveLength(5);
  });

  it("retention keeps a mail that waits, however old, and removes a sent mail after 30 days", async () => {
    const mailbox = await mailboxOfTest();
    const [id] = await makeUsers(instance);
    await instance.administrator.call(users.welcome, { users: [id!] });
    instance.wait(40 * day);
    await remove();
    expect(await count("mails")).toBe(1);
    const settings = { "mail.smtp_url": `smtp://127.0.0.1:${mailbox.port}`, "mail.from": "no-reply@example.com" };
    expect(await newEngine(instance, { settings }).drain({ maxSeconds: 60 })).toMatchObject({ mails: 0 });
    expect(mailbox.mails).toHaveLength(1);
    instance.wait(29 * day);
    await remove();
    expect(await count("mails")).toBe(1);
    instance.wait(2 * day);
    await remove({ "mail.days": 32 });
    expect(await count("mails")).toBe(1);
    await remove();
    expect(await count("mails")).toBe(0);
  });

  it("retention keeps rows to the last second of their days", async () => {
    instance.freeze();
    const own = instance.withToken(await instance.tokenOf(1));
    await own.call(tokens.create, { name: "short", scopes: ["read"], expires_at: instance.now() + 1 });
    await newWebhook(instance, receiver.url);
    await makeUsers(instance);
    await drain();
    const mail = { kind: "welcome", user_id: 1, recipient: "r", payload: "", created_at: 0, state: "failed" } as const;
    const due_at = instance.now() * 1000;
    await instance.database.write((tx) =>
      tx
        .insertInto("mails")
        .values({ ...mail, due_at })
        .execute(),
    );
    const tables = ["webhook_logs", "webhook_events", "mails", "audit_entries", "api_tokens"] as const;
    const days = { "webhooks.log_days": 1, "mail.days": 1, "audit.days": 1, "tokens.expired_days": 1 };
    const left = () => Promise.all(tables.map(count));
    const kept = await left();
    expect(kept).not.toContain(0);
    instance.wait(day);
    await remove(days);
    expect(await left()).toEqual(kept);
    instance.wait(1);
    await remove(days);
    expect(await left(), "the token expired a second later").toEqual([0, 0, 0, 0, 1]);
    instance.wait(1);
    await remove(days);
    expect(await left()).toEqual([0, 0, 0, 0, 0]);
  });

  it("retention removes stored responses after a day", async () => {
    const person = { first_name: "Bo", last_name: "Berg", email: "bo@example.com", unit: 1 };
    await instance.administrator.call(users.create, person, { idempotencyKey: "k1" });
    await remove();
    expect(await count("idempotency_keys")).toBe(1);
    instance.wait(day + 1);
    await remove();
    expect(await count("idempotency_keys")).toBe(0);
  });

  it("retention removes sessions when their newest token has expired", async () => {
    instance.freeze();
    const token = await instance.tokenOf(1);
    const end = instance.now() + day;
    instance.wait(day / 2);
    await instance.withToken(token).call(auth.renew, {});
    instance.wait(end - instance.now());
    await remove();
    expect(await count("sessions")).toBe(1);
    instance.wait(day / 2);
    await remove();
    expect(await count("sessions")).toBe(0);
  });

  it("retention removes entries of the audit log after 365 days, or as set", async () => {
    const { administrator, withToken } = instance;
    await administrator.call(users.update, { id: 1, title: "Boss" });
    const signIn = () =>
      withToken(undefined).call(auth.authenticate, { username: "nobody@example.com", password: "x" });
    await signIn().catch(() => {});
    instance.wait(10 * day);
    await signIn().catch(() => {});
    const left = async () => {
      const rows = instance.database.reader.selectFrom("audit_entries").select("operation").orderBy("id");
      return (await rows.execute()).map(({ operation }) => operation);
    };
    await remove();
    expect(await left()).toEqual(["users.update", "auth.authenticate", "auth.authenticate"]);
    await remove({ "audit.days": 9 });
    expect(await left()).toEqual(["auth.authenticate"]);
    instance.wait(366 * day);
    await remove();
    expect(await left()).toEqual([]);
  });

  it("retention removes expired API tokens after 30 days, or as set, and password links when they expire", async () => {
    const { administrator, withToken } = instance;
    const own = withToken(await instance.tokenOf(1));
    await own.call(tokens.create, { name: "short", scopes: ["read"], expires_at: instance.now() + day });
    await own.call(tokens.create, { name: "endless", scopes: ["read"] });
    const names = async () => (await administrator.call(tokens.list, {})).data.map(({ name }) => name).sort();
    const add = (kind: "welcome" | "password_reset", seconds: number) =>
      instance.database.write((tx) =>
        replacePasswordToken(tx, { user: 1, kind, expires_at: instance.now() + seconds }),
      );
    await add("welcome", 7 * day);
    await add("password_reset", 1800);
    await remove();
    expect(await count("password_tokens")).toBe(2);
    instance.wait(1800);
    await remove();
    expect(await count("password_tokens")).toBe(1);
    instance.wait(30 * day);
    await remove();
    expect([await names(), await count("password_tokens")]).toEqual([["endless", "short"], 0]);
    await remove({ "tokens.expired_days": 28 });
    expect(await names()).toEqual(["endless"]);
  });

  it("retention removes a second factor that was not confirmed for a day, and keeps a later one and a confirmed one", async () => {
    instance.freeze();
    const people = await makeUsers(instance, 3);
    const [early, sure, late] = await Promise.all(
      people.map(async (id) => {
        await instance.administrator.call(users.password, { id, password } as never);
        return instance.as(id);
      }),
    );
    await early!.call(auth.twoFactorBegin, { password });
    await enrol(sure!, instance);
    instance.wait(1);
    await late!.call(auth.twoFactorBegin, { password });
    const left = async () => {
      const rows = await instance.database.reader
        .selectFrom("two_factors")
        .select("user_id")
        .orderBy("user_id")
        .execute();
      return rows.map((row) => row.user_id);
    };
    for (const [seconds, stay] of [
      [day - 2, people],
      [1, people.slice(1)],
      [1, people.slice(1, 2)],
    ] as const) {
      instance.wait(seconds);
      await remove();
      expect(await left()).toEqual(stay);
    }
  });

  it("retention removes failed sign-ins that no longer count", async () => {
    instance.freeze();
    const guess = { username: "nobody@example.com", password: "x" };
    await instance
      .withToken(undefined)
      .call(auth.authenticate, guess)
      .catch(() => {});
    instance.wait(899);
    await remove();
    expect(await count("rate_limit_events")).toBe(1);
    instance.wait(1);
    await remove();
    expect(await count("rate_limit_events")).toBe(0);
  });

  it("retention removes very many rows in small portions, and counts them before", async () => {
    const { id } = await newWebhook(instance, receiver.url);
    const template = { webhook_id: id, event_id: 1, message_id: "m", event: "user.update", uri: "u", status: "200" };
    const row = { ...template, attempt: 1, duration_ms: 1, created_at: 0, request_headers: "{}" };
    await instance.database.write((tx) => tx.insertInto("webhook_logs").values(Array(1500).fill(row)).execute());
    const logs = (found: Awaited<ReturnType<typeof remove>>) => found.find(({ kind }) => kind === "webhook logs");
    const expired = { kind: "webhook logs", rows: 1500, days: 30, setting: "webhooks.log_days" };
    const counted = await countExpired(instance.database, { settings: defaults, now: instance.now() });
    expect(logs(counted)).toEqual(expired);
    expect(counted.map(({ kind }) => kind)).toEqual(retentionRules.map(({ kind }) => kind));
    expect(await count("webhook_logs")).toBe(1500);
    expect(logs(await remove())).toEqual(expired);
    expect(await count("webhook_logs")).toBe(0);
  });

  it("old mails are removed and counted, however many newer ones were created before them", async () => {
    const mail = (days: number, user_id: number) => {
      const due_at = (instance.now() - days * day) * 1000;
      return {
        kind: "welcome" as const,
        user_id,
        recipient: "r",
        payload: "",
        created_at: 0,
        due_at,
        state: "failed" as const,
      };
    };
    const mails = [...Array.from({ length: 501 }, (_, n) => mail(1, n)), mail(40, 1000), mail(40, 1001)];
    await instance.database.write((tx) => tx.insertInto("mails").values(mails).execute());
    const sent = (found: Awaited<ReturnType<typeof remove>>) =>
      found.find(({ kind }) => kind === "sent and failed mails")?.rows;
    expect(sent(await countExpired(instance.database, { settings: defaults, now: instance.now() }))).toBe(2);
    expect(sent(await remove())).toBe(2);
    expect(await count("mails")).toBe(501);
  });

  it("a server removes expired rows an hour after its start, an hour later when the clock jumps, and none after its end", async () => {
    instance.freeze();
    const insertExpired = () => {
      const attempt = { kind: "sign_in", account: "a", network: "", pending: 0, expires_at: 0 } as const;
      return instance.database.write((tx) => tx.insertInto("rate_limit_events").values(attempt).execute());
    };
    // The server repairs the time of a mail at its start, and after everything that it had to do before.
    const waitForRepair = async (begin: () => void) => {
      const due_at = (instance.now() + 10 * day) * 1000;
      const mail = { kind: "welcome", user_id: 1, recipient: "r", payload: "", created_at: 0, due_at } as const;
      await instance.database.write((tx) => tx.insertInto("mails").values(mail).execute());
      begin();
      const late = instance.database.reader.selectFrom("mails").select("id").where("due_at", "=", due_at);
      await expect.poll(() => late.execute()).toEqual([]);
      await instance.database.write((tx) => tx.deleteFrom("mails").execute());
    };
    // No interval ends by itself.
    const intervals = vi.spyOn(globalThis, "setInterval").mockImplementation(() => setTimeout(() => {}));
    const run = (milliseconds: number) => {
      for (const [work, each] of intervals.mock.calls) if (each === milliseconds) work();
    };
    const engine = newEngine(instance);
    try {
      await insertExpired();
      await waitForRepair(() => engine.start());
      expect(await count("rate_limit_events")).toBe(1);
      run(hour);
      await waitForRepair(() => run(30_000));
      expect(await count("rate_limit_events")).toBe(0);
      await insertExpired();
      instance.wait((2 * hour) / 1000 + 1);
      run(hour);
      await waitForRepair(() => run(30_000));
      expect(await count("rate_limit_events")).toBe(1);
      instance.wait((2 * hour) / 1000);
      run(hour);
      await waitForRepair(() => run(30_000));
      expect(await count("rate_limit_events")).toBe(0);
      await insertExpired();
      const cleared = vi.spyOn(globalThis, "clearInterval");
      onTestFinished(() => void cleared.mockRestore());
      run(hour);
      await engine.stop();
      expect(await count("rate_limit_events"), "the end comes before the removal").toBe(1);
      const timers = intervals.mock.results.filter((_, at) => [hour, 30_000].includes(intervals.mock.calls[at]![1]!));
      expect(timers).toHaveLength(2);
      expect(cleared.mock.calls).toEqual(expect.arrayContaining(timers.map(({ value }) => [value])));
    } finally {
      intervals.mockRestore();
      await engine.stop();
    }
  });

  it("a server leaves the removal to another one that is at work; db prune waits for it", async () => {
    if (kind === "sqlite") return;
    const lock = { kind: "sign_in", account: "a", network: "", pending: 0, expires_at: 0 } as const;
    await instance.database.write((tx) => tx.insertInto("rate_limit_events").values(lock).execute());
    const moment = { settings: defaults, now: instance.now() };
    const { promise: atIt, resolve: begun } = Promise.withResolvers<void>();
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const other = instance.database.writeLocking(async (tx) => {
      await waitForTurn(tx, removalLock);
      begun();
      await finished;
    });
    await atIt;
    await removeExpired(instance.database, moment);
    expect(await count("rate_limit_events")).toBe(1);
    const pruned = removeExpired(instance.database, { ...moment, waits: true });
    finish();
    await Promise.all([other, pruned]);
    expect(await count("rate_limit_events")).toBe(0);
  });
});
