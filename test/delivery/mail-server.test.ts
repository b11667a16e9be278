import { beforeEach, expect, it, vi } from "vitest";
import { defaults, type Settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { MailWorker } from "../../src/delivery/mail/mail-worker.ts";
import { describeOnDatabases, newEngine, whenClaimed } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { type Mailbox, mailboxOfTest } from "../support/mailbox.ts";
import { makeUsers } from "../support/outbox.ts";

/** The documented length of a lease. Not imported, so that a change of it fails here. */
const leaseMilliseconds = 30_000;

describeOnDatabases("the worker of mails", (open) => {
  let instance: Instance;
  let mailbox: Mailbox;
  beforeEach(async () => {
    instance = await open();
    mailbox = await mailboxOfTest();
  });

  const settings = (more: Partial<Settings> = {}) => ({
    "mail.from": "Acme <no-reply@example.com>",
    "mail.smtp_url": `smtp://127.0.0.1:${mailbox.port}`,
    ...more,
  });
  const drain = (more: Partial<Settings> = {}, options: Parameters<typeof newEngine>[1] = {}) =>
    newEngine(instance, { ...options, settings: settings(more) }).drain({ maxSeconds: 60 });
  const newWorker = (database = instance.database, read = () => {}) =>
    new MailWorker({
      database,
      settings: async () => {
        read();
        return { ...defaults, ...settings() };
      },
      clock: () => instance.now() * 1000,
      log: { info() {}, error() {} },
    });
  const welcome = async (count = 1) =>
    instance.administrator.call(users.welcome, { users: await makeUsers(instance, count) });
  const rows = () => instance.database.reader.selectFrom("mails").selectAll().orderBy("id").execute();

  it("claims nothing without a mail server", async () => {
    await welcome();
    let claims = 0;
    const database = whenClaimed(instance.database, () => {
      claims += 1;
    });
    expect(await drain({ "mail.smtp_url": null }, { database })).toMatchObject({ mails: 1 });
    expect(claims).toBe(0);
  });

  it("prepares nothing unless a mail is due", async () => {
    const read = vi.fn();
    const worker = newWorker(instance.database, read);
    expect(await worker.round()).toBe(0);
    expect(read).toHaveBeenCalledTimes(1);
    await welcome();
    expect(await worker.round()).toBe(1);
    expect(read).toHaveBeenCalledTimes(3);
    worker.close();
  });

  it("does not repeat a mail whose content is refused permanently, and logs the answer", async () => {
    mailbox = await mailboxOfTest({
      onData: (stream, _, done) =>
        void stream.resume().on("end", () => done(Object.assign(new Error("spam"), { responseCode: 500 }))),
    });
    await welcome();
    const errors: unknown[] = [];
    const log = { info() {}, error: (details: object, message: string) => void errors.push([details, message]) };
    expect(await drain({}, { log })).toMatchObject({ mails: 0, failedMails: 1 });
    expect(errors).toEqual([[{ mail: 1, kind: "welcome", reason: "EMESSAGE: 500 spam" }, "mail not sent"]]);
  });

  it("makes a Message-ID with the domain of the sender", async () => {
    for (const from of ["wcs@plain.example", '"wcs@home" <wcs@named.example> ', "wcs@bl\u00e5b\u00e6r.example"]) {
      await welcome();
      await drain({ "mail.from": from });
    }
    const domains = mailbox.mails.map(({ raw }) => /^Message-ID: <wcs-\d+-\d+@(.*)>\r$/m.exec(raw)?.[1]);
    expect(domains).toEqual(["plain.example", "named.example", "wcs"]);
  });

  it("sends the mails of several rounds over the same connections", async () => {
    let connections = 0;
    mailbox = await mailboxOfTest({
      onConnect(_, done) {
        connections += 1;
        done();
      },
    });
    await welcome(30);
    expect(await drain()).toMatchObject({ mails: 0 });
    expect(mailbox.mails).toHaveLength(30);
    expect(connections).toBeLessThanOrEqual(4);
  });

  it("sends by another mail server once mail.smtp_url names it", async () => {
    const old = await mailboxOfTest();
    const current = settings({ "mail.smtp_url": `smtp://127.0.0.1:${old.port}` });
    const engine = newEngine(instance, { settings: current });
    engine.start();
    await welcome();
    await expect.poll(() => old.mails).toHaveLength(1);
    current["mail.smtp_url"] = `smtp://127.0.0.1:${mailbox.port}`;
    await welcome();
    await expect.poll(() => mailbox.mails).toHaveLength(1);
    await engine.stop();
  });

  it("starts no mail after it was stopped, and releases what it has claimed", async () => {
    await welcome(6);
    const worker: MailWorker = newWorker(whenClaimed(instance.database, () => worker.stop()));
    await worker.round();
    worker.close();
    expect(mailbox.mails).toEqual([]);
    expect(await drain()).toMatchObject({ mails: 0 });
    expect(mailbox.mails).toHaveLength(6);
  });

  it("keeps a mail from other workers for as long as the mail server takes, and no longer", async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<() => void>();
    mailbox = await mailboxOfTest({ onRcptTo: (_, __, done) => arrive(done) });
    instance.freeze();
    await welcome();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const worker = newWorker();
    try {
      const round = worker.round();
      const answer = await arrived;
      const [first] = await rows();
      instance.wait(20);
      vi.advanceTimersByTime(leaseMilliseconds / 3);
      await expect.poll(rows).toMatchObject([{ due_at: first!.due_at + 20_000 }]);
      answer();
      await round;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      worker.close();
    }
    expect(await rows()).toMatchObject([{ state: "done" }]);
  });
});
