import { beforeEach, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { listOutbox, outboxState } from "../../src/delivery/delivery.ts";
import { callbackQueue } from "../../src/delivery/webhooks/callback-queue.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";
import { receiverOfTest } from "../support/receiver.ts";

const uri = "http://receiver.invalid/";

describeOnDatabases("the outbox", (open) => {
  let instance: Instance;
  let now: number;
  let webhook: number;
  beforeEach(async () => {
    instance = await open();
    instance.freeze();
    now = instance.now();
    webhook = (await newWebhook(instance, uri)).id;
    const made = await makeUsers(instance);
    await instance.administrator.call(users.welcome, { users: made });
  });

  it("lists mails and then callbacks as soon as they are due, and mails that failed", async () => {
    const fresh = { id: expect.any(Number), created_at: now, due_at: now, attempts: 0, error: null, failed: false };
    const mail = { what: "mail", kind: "welcome", to: expect.stringMatching(/^user\d+@example\.com$/), ...fresh };
    const callback = { what: "callback", kind: "user.create", to: uri, ...fresh };
    expect(await listOutbox(instance.database, 10)).toEqual([mail, callback]);
    const givenUp = { state: "failed", attempt: 8, last_error: "Refused." } as const;
    await instance.database.write((tx) => tx.updateTable("mails").set(givenUp).execute());
    const failed = { ...mail, attempts: 8, error: "Refused.", failed: true };
    expect(await listOutbox(instance.database, 10)).toEqual([failed, callback]);
    await instance.database.write((tx) => tx.updateTable("mails").set({ state: "done" }).execute());
    expect(await listOutbox(instance.database, 10), "without sent mails").toEqual([callback]);
    await instance.database.write((tx) => tx.deleteFrom("deliveries").execute());
    expect(await listOutbox(instance.database, 10), "without sent callbacks").toEqual([]);
  });

  it("shows a mail that is requested again with the new address, and due", async () => {
    const others = await makeUsers(instance, 2);
    await instance.administrator.call(users.welcome, { users: others });
    const mails = async () =>
      (await listOutbox(instance.database, 10)).flatMap(({ what, to, due_at }) =>
        what === "mail" ? [[to, due_at]] : [],
      );
    await instance.database.write((tx) =>
      tx
        .updateTable("mails")
        .set({ due_at: (now + 600) * 1000 })
        .execute(),
    );
    const before = await mails();
    for (const [at, id] of others.entries()) {
      await instance.administrator.call(users.update, { id, email: `new${at}@example.com` });
    }
    instance.wait(60);
    await instance.administrator.call(users.welcome, { users: others });
    expect(await mails()).toEqual([before[0], ["new0@example.com", now + 60], ["new1@example.com", now + 60]]);
  });

  it("shows the error of the latest attempt of a callback that is still to be retried, and none after a resend", async () => {
    const receiver = await receiverOfTest();
    const statuses = [500, 404];
    receiver.answer = (_, response) => void response.writeHead(statuses.shift() ?? 503).end();
    const { id } = await newWebhook(instance, receiver.url, "failing");
    await makeUsers(instance);
    const listed = async () =>
      (await listOutbox(instance.database, 10)).flatMap(({ to, attempts, error }) =>
        to === receiver.url ? [[attempts, error]] : [],
      );
    const drain = () => newEngine(instance).drain({ maxSeconds: 60 });
    await drain();
    expect(await listed()).toEqual([[1, expect.stringContaining("500")]]);
    instance.wait(10);
    await drain();
    expect(await listed()).toEqual([[2, expect.stringContaining("404")]]);
    const [entry] = await logOf(instance, id);
    await instance.administrator.call(webhooks.resend, { id, log: entry!.id });
    expect(await listed()).toEqual([[0, null]]);
  });

  it("lists at most the given number of each, oldest first", async () => {
    await instance.administrator.call(users.welcome, { users: await makeUsers(instance, 2) });
    const all = await listOutbox(instance.database, 10);
    const oldest = (["mail", "callback"] as const).flatMap((kind) => {
      const ofKind = all.filter(({ what }) => what === kind).toSorted((a, b) => a.id - b.id);
      expect(ofKind).toHaveLength(3);
      return ofKind.slice(0, 2);
    });
    expect(await listOutbox(instance.database, 2)).toEqual(oldest);
  });

  it("counts what is due, is being sent and has failed, and since when the oldest waits", async () => {
    const none = {
      due: 0,
      later: 0,
      mails: 0,
      failedMails: 0,
      sending: 0,
      oldestDue: undefined,
      oldestMail: undefined,
    };
    const milliseconds = now * 1000;
    const due = { ...none, due: 1, mails: 1, oldestDue: milliseconds, oldestMail: now };
    expect(await outboxState(instance.database, milliseconds)).toEqual(due);
    expect(await outboxState(instance.database, milliseconds - 1)).toMatchObject({ due: 0, later: 1, sending: 0 });
    await callbackQueue.claim(instance.database, [{ partition: webhook, max: 1 }], milliseconds);
    await instance.database.write((tx) => tx.updateTable("mails").set({ state: "failed" }).execute());
    const sending = { ...none, later: 1, sending: 1, failedMails: 1 };
    expect(await outboxState(instance.database, milliseconds)).toEqual(sending);
    await instance.database.write((tx) => tx.deleteFrom("deliveries").execute());
    expect(await outboxState(instance.database, milliseconds)).toEqual({ ...none, failedMails: 1 });
  });
});
