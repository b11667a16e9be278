import { type AddressInfo, createServer, type Socket } from "node:net";
import { beforeEach, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { defaults, type Settings, settings as settingOperations } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { mailQueue } from "../../src/delivery/mail/mail-queue.ts";
import { MailWorker } from "../../src/delivery/mail/mail-worker.ts";
import { preparePersonMail } from "../../src/delivery/mail/person-mail.ts";
import type { Database } from "../../src/store/database.ts";
import { isFull } from "../support/effort.ts";
import { describeOnDatabases, newEngine } from "../support/engine.ts";
import { freePort } from "../support/free-port.ts";
import type { Instance } from "../support/instance.ts";
import { type Mailbox, mailboxOfTest } from "../support/mailbox.ts";
import { makeUsers, newWebhook } from "../support/outbox.ts";
import { useQuickPasswords } from "../support/quick-passwords.ts";
import { receiverOfTest } from "../support/receiver.ts";

useQuickPasswords();

describeOnDatabases("mail", (open, kind) => {
  let instance: Instance;
  let mailbox: Mailbox;
  beforeEach(async () => {
    instance = await open();
    mailbox = await mailboxOfTest();
  });

  const settings = (more: Partial<Settings> = {}) => ({
    base_url: "https://intra.example.com",
    "mail.from": "Acme <no-reply@example.com>",
    "mail.smtp_url": `smtp://127.0.0.1:${mailbox.port}`,
    ...more,
  });
  const drain = (more: Partial<Settings> = {}) =>
    newEngine(instance, { settings: settings(more) }).drain({ maxSeconds: 60 });
  const welcome = (fields: object = {}) =>
    instance.administrator.call(users.create, {
      first_name: "Bo",
      last_name: "Berg",
      email: "bo@example.com",
      unit: 1,
      welcome: true,
      ...fields,
    });
  const offer = (languages: string[]) => instance.administrator.call(settingOperations.set, { languages });
  const rows = () => instance.database.reader.selectFrom("mails").selectAll().orderBy("id").execute();
  const tokenIn = (text: string) => /token=([\w-]+)/.exec(text)?.[1] ?? "";
  const reset = (token: string, password = "correct horse battery") =>
    instance
      .withToken(undefined)
      .call(auth.passwordReset, { token, email: "bo@example.com", password, password_confirm: password });

  it("the token of a welcome mail sets the password once, and is stored nowhere", async () => {
    await welcome();
    expect(await drain()).toMatchObject({ mails: 0, failedMails: 0 });
    const [mail] = mailbox.mails;
    expect(mailbox.mails).toHaveLength(1);
    expect(mail).toMatchObject({ from: "no-reply@example.com", to: ["bo@example.com"], subject: "Welcome to Acme" });
    const token = tokenIn(mail!.text);
    expect(mail!.text).toContain(`    https://intra.example.com/welcome?token=${token}&email=bo%40example.com\n`);
    expect(mail!.text).toContain(" has created an account at Acme for you.");
    expect(mail!.html).toContain(token);
    expect(mail!.raw).toMatch(/^Message-ID: <wcs-1-\d+@example.com>/im);
    expect(mail!.raw).toContain("Auto-Submitted: auto-generated\r\n");
    expect(JSON.stringify(await rows())).not.toContain(token);
    expect(await rows()).toMatchObject([{ state: "done", attempt: 1, last_error: null, lease_token: null }]);
    await reset(token);
    await expect(reset(token, "another good password")).rejects.toMatchObject({ code: "validation_failed" });
    await instance
      .withToken(undefined)
      .call(auth.authenticate, { username: "bo@example.com", password: "correct horse battery" });
  });

  it("a mail whose result cannot be written at first is sent once, its link works, and the failures are logged", async () => {
    await welcome();
    let failures = 0;
    const down = new Error("down");
    const { writeLocking } = instance.database;
    const database: Database = {
      ...instance.database,
      writeLocking: (work) => {
        if (mailbox.mails.length === 0 || failures === 2) return writeLocking(work);
        failures += 1;
        return Promise.reject(down);
      },
    };
    const errors: unknown[] = [];
    const log = { info() {}, error: (...line: unknown[]) => void errors.push(line) };
    const drained = await newEngine(instance, { database, settings: settings(), log }).drain({ maxSeconds: 60 });
    expect([drained.mails, failures, mailbox.mails.length]).toEqual([0, 2, 1]);
    expect(errors).toEqual(Array(2).fill([{ err: down, mail: 1 }, "the result of a mail cannot be written"]));
    expect(await rows()).toMatchObject([{ state: "done", attempt: 1, last_error: null, lease_token: null }]);
    await reset(tokenIn(mailbox.mails[0]!.text));
  });

  it("the link of a password reset comes from the settings, not from the Host header, and its token works once", async () => {
    await welcome({ welcome: false });
    await fetch(`${instance.url}/api/password/request`, {
      method: "POST",
      headers: { "content-type": "application/json", host: "evil.example", "x-forwarded-host": "evil.example" },
      body: JSON.stringify({ email: "bo@example.com" }),
    });
    await drain();
    const [mail] = mailbox.mails;
    expect(mail!.subject).toBe("Set a new password for Acme");
    expect(mail!.raw).not.toContain("evil");
    expect(mail!.text).toContain("https://intra.example.com/password/reset?token=");
    await reset(tokenIn(mail!.text));
    await expect(reset(tokenIn(mail!.text))).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("a welcome mail names nobody when the user who sent it was deleted since", async () => {
    const { id } = await instance.administrator.call(users.create, {
      first_name: "Cy",
      last_name: "Dahl",
      email: "cy@example.com",
      unit: 1,
      admin: true,
    });
    const { id: bo } = await welcome({ welcome: false });
    const { id: ib } = await welcome({ welcome: false, email: "ib@example.com", language: "da" });
    await (await instance.as(id)).call(users.welcome, { users: [bo, ib] });
    await instance.administrator.call(users.delete, { id });
    await drain();
    const texts = mailbox.mails.map(({ text }) => text).toSorted();
    expect(texts[0]).toContain("An account at Acme was created for you.");
    expect(texts[1]).toContain("Der er oprettet en konto hos Acme til dig.");
  });

  it("a user who is deleted while mails are claimed gets none of them", async () => {
    const receiver = await receiverOfTest();
    receiver.answer = (_, response) => void response.writeHead(410).end();
    const { administrator } = instance;
    await administrator.call(settingOperations.set, {
      "mail.from": "no-reply@example.com",
      "mail.smtp_url": settings()["mail.smtp_url"],
    });
    const { id } = await welcome({ admin: true, password: "correct horse battery" });
    await (await instance.as(id)).call(webhooks.create, { name: "Hook", uri: receiver.url });
    await administrator.call(users.update, { id, email: "bob@example.com" });
    await newEngine(instance).drain({ maxSeconds: 60 });
    expect((await rows()).map(({ kind }) => kind)).toEqual(["welcome", "account_change", "webhook_disabled"]);
    // A round reads the settings before and after it claims.
    let reads = 0;
    const errors: object[] = [];
    const worker = new MailWorker({
      ...instance,
      settings: async () => {
        reads += 1;
        if (reads === 2) await administrator.call(users.delete, { id });
        return { ...defaults, ...settings() };
      },
      clock: () => instance.now() * 1000,
      log: { info() {}, error: (details) => void errors.push(details) },
    });
    expect(await worker.round()).toBe(3);
    worker.close();
    expect({ mails: mailbox.mails, errors }).toEqual({ mails: [], errors: [] });
  });

  it.each([
    ["not sent to a former administrator", { admin: false }, []],
    ["sent to a new address", { email: "bob@example.com" }, ["bob@example.com"]],
  ])("a mail about a disabled webhook that waited is %s", async (_, change, recipients) => {
    const receiver = await receiverOfTest();
    receiver.answer = (_, response) => void response.writeHead(410).end();
    const { id } = await welcome({ welcome: false, admin: true });
    await (await instance.as(id)).call(webhooks.create, { name: "Hook", uri: receiver.url });
    await instance.administrator.call(users.update, { id, title: "Clerk" });
    expect(await drain({ "mail.smtp_url": null })).toMatchObject({ mails: 1 });
    await instance.administrator.call(users.update, { id, ...change });
    expect(await drain()).toMatchObject({ mails: 0, failedMails: 1 - recipients.length });
    expect(mailbox.mails.flatMap(({ to }) => to)).toEqual(recipients);
  });

  it.each(["mail.smtp_url", "mail.from"])(
    "mails that are claimed just when %s is removed wait for another one",
    async (key) => {
      await welcome();
      let reads = 0;
      const worker = new MailWorker({
        ...instance,
        settings: async () => {
          reads += 1;
          return { ...defaults, ...settings(reads === 2 ? { [key]: null } : {}) };
        },
        clock: () => instance.now() * 1000,
        log: { info() {}, error() {} },
      });
      expect(await worker.round()).toBe(0);
      expect(await rows()).toMatchObject([{ attempt: 0, state: "waiting" }]);
      // Its lease has been released.
      expect(await worker.round()).toBe(1);
      worker.close();
      expect(mailbox.mails).toHaveLength(1);
    },
  );

  it("a mail waits without a mail server or a sender", async () => {
    await welcome();
    expect(await drain({ "mail.smtp_url": null })).toMatchObject({ mails: 1 });
    expect(await drain({ "mail.from": null })).toMatchObject({ mails: 1 });
    expect(await rows()).toMatchObject([{ attempt: 0, state: "waiting" }]);
    expect(await drain()).toMatchObject({ mails: 0 });
  });

  it("a mail server that cannot be reached is tried again after growing pauses", async () => {
    instance.freeze();
    await welcome();
    const port = await freePort();
    const away = { "mail.smtp_url": `smtp://127.0.0.1:${port}` };
    expect(await drain(away)).toMatchObject({ mails: 1 });
    expect(await rows()).toMatchObject([{ attempt: 1, last_error: `ESOCKET: connect ECONNREFUSED 127.0.0.1:${port}` }]);
    mailbox = await mailboxOfTest({}, port);
    await drain(away);
    expect(mailbox.mails).toEqual([]);
    instance.wait(31);
    await drain(away);
    expect(mailbox.mails).toHaveLength(1);
  });

  it("a mail that waits for its next attempt is due at once when it is asked for again", async () => {
    instance.freeze();
    const { id } = await welcome();
    await drain({ "mail.smtp_url": `smtp://127.0.0.1:${await freePort()}` });
    await drain();
    expect(mailbox.mails).toEqual([]);
    await instance.administrator.call(users.welcome, { users: [id] });
    await drain();
    expect(mailbox.mails).toHaveLength(1);
  });

  it("a mail to a recipient that is refused permanently fails with the answer of the server", async () => {
    mailbox = await mailboxOfTest({
      onRcptTo: (_, __, done) => done(Object.assign(new Error("no such mailbox"), { responseCode: 550 })),
    });
    await welcome();
    expect(await drain()).toMatchObject({ mails: 0, failedMails: 1 });
    const [row] = await rows();
    expect(row).toMatchObject({ state: "failed", last_error: expect.stringContaining("no such mailbox") });
    expect(row!.payload).not.toContain("token");
  });

  it("a mail to a recipient that is refused temporarily is tried again", async () => {
    mailbox = await mailboxOfTest({
      onRcptTo: (_, __, done) => done(Object.assign(new Error("greylisted"), { responseCode: 450 })),
    });
    await welcome();
    expect(await drain()).toMatchObject({ mails: 1, failedMails: 0 });
  });

  it("a password reset that waited too long is not sent, and a welcome mail has a token that works", async () => {
    await welcome();
    await instance.withToken(undefined).call(auth.passwordRequest, { email: "bo@example.com" });
    // Longer than the link of a welcome works.
    instance.wait(604_801);
    expect(await drain()).toMatchObject({ mails: 0, failedMails: 1 });
    expect(mailbox.mails.map(({ subject, to }) => [subject, to[0]])).toEqual([["Welcome to Acme", "bo@example.com"]]);
    await reset(tokenIn(mailbox.mails[0]!.text));
  });

  it("a mail tells the author of a disabled webhook the reason and what to do", async () => {
    const receiver = await receiverOfTest();
    receiver.answer = (_, response) => void response.writeHead(410).end();
    const { id } = await newWebhook(instance, receiver.url, "The hook");
    // Names on several lines are refused, but may have been stored by an older version.
    await instance.database.write(async (tx) => {
      await tx.updateTable("webhooks").set({ name: "The\nhook" }).where("id", "=", id).execute();
    });
    await makeUsers(instance);
    await newEngine(instance).drain({ maxSeconds: 60 });
    await drain();
    const [mail] = mailbox.mails;
    expect(mail).toMatchObject({ to: ["admin@example.com"], subject: "Webhook The hook at Acme was disabled" });
    expect(mail!.text).toContain("gone (410)");
    expect(mail!.text).toContain(`wcs webhooks recover ${id}`);
  });

  it("several workers send each mail once", async () => {
    const ids = await makeUsers(instance, 30);
    await instance.administrator.call(users.welcome, { users: ids });
    const engines = Array.from({ length: 4 }, () => newEngine(instance, { settings: settings() }));
    await Promise.all(engines.map((engine) => engine.drain({ maxSeconds: 60 })));
    expect(mailbox.mails).toHaveLength(30);
    expect(new Set(mailbox.mails.map((mail) => mail.to[0])).size).toBe(30);
  });

  it("a mail that another worker claimed is sent when its lease has ended; the result of that worker no longer counts", async () => {
    await welcome();
    const { database } = instance;
    const now = () => instance.now() * 1000;
    const lost = await mailQueue.claim(database, [{ max: 1 }], now());
    expect(await drain()).toMatchObject({ mails: 1 });
    instance.wait(31);
    const second = await mailQueue.claim(database, [{ max: 1 }], now());
    const prepared = preparePersonMail(database, lost[0]!, { settings: defaults, now: now() });
    expect(await prepared).toEqual({ obsolete: "Another worker has taken it." });
    const late = lost.map((mail) => ({ ...mail, state: "failed" as const, attempt: 1, due_at: now() }));
    expect(await database.writeLocking((tx) => mailQueue.record(tx, late))).toEqual(new Set());
    expect(mailbox.mails).toEqual([]);
    await mailQueue.release(database, second, now());
    expect(await drain()).toMatchObject({ mails: 0 });
    expect(await rows()).toMatchObject([{ state: "done", attempt: 1 }]);
  });

  it("the failure of an attempt is not kept when another worker has claimed the mail meanwhile", async () => {
    mailbox = await mailboxOfTest({
      onRcptTo: (_, __, done) => {
        instance.wait(31);
        const taken = mailQueue.claim(instance.database, [{ max: 1 }], instance.now() * 1000);
        void taken.finally(() => done(new Error("no such mailbox")));
      },
    });
    await welcome();
    expect(await drain()).toMatchObject({ mails: 1 });
    expect(await rows()).toMatchObject([{ state: "waiting", attempt: 0, last_error: null }]);
  });

  it("a clock that is set back delays neither a new mail nor one that a worker had claimed", async () => {
    await welcome();
    await mailQueue.claim(instance.database, [{ max: 1 }], instance.now() * 1000);
    await welcome({ email: "ann@example.com" });
    instance.wait(-7200);
    const engine = newEngine(instance, { settings: settings() });
    engine.start();
    await expect.poll(() => mailbox.mails).toHaveLength(2);
    await engine.stop();
  });

  // Mails say and do the same on each database.
  if (kind === "postgres" && !isFull) return;

  it("a welcome mail to a user with a password says where to sign in, if that is known, and has no token", async () => {
    const password = "correct horse battery";
    await welcome({ password });
    await drain();
    await welcome({ password, email: "bob@example.com" });
    await drain({ base_url: null });
    await welcome({ password, email: "ib@example.com" });
    await drain({ languages: ["da"] });
    const [first, second, danish] = mailbox.mails.map(({ text }) => text);
    expect(first).toContain("Sign in as bo@example.com.\n\nAcme:\n\n    https://intra.example.com");
    expect(first).not.toContain("token");
    expect(second).toMatch(/Sign in as bob@example\.com\.\s*$/);
    expect(danish).toContain("Log ind som ib@example.com.\n\nAcme:\n\n    https://intra.example.com");
  });

  it("the link of a welcome mail works for passwords.welcome_lifetime, and the mail has its end in the user's time zone", async () => {
    instance.freeze();
    await welcome({ timezone: "Asia/Tokyo" });
    await drain();
    const until = (instance.now() + 604_800) * 1000;
    const day = new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "long",
      year: "numeric",
      timeZone: "Asia/Tokyo",
    });
    const [mail] = mailbox.mails;
    expect(mail!.text).toContain(`${day.format(until)} at `);
    expect(mail!.text).toContain("GMT+9");
    instance.wait(604_795);
    await reset(tokenIn(mail!.text));
  });

  it("the link of a welcome mail no longer works when passwords.welcome_lifetime is over", async () => {
    instance.freeze();
    await welcome();
    await drain();
    instance.wait(604_801);
    await expect(reset(tokenIn(mailbox.mails[0]!.text))).rejects.toMatchObject({ code: "validation_failed" });
  });

  it("a welcome mail in Danish has the name of the instance, and a link to a Danish page", async () => {
    await offer(["en", "da-DK"]);
    await welcome({ language: "da-DK" });
    await drain({ name: "Jensen & Søn" });
    const [mail] = mailbox.mails;
    // "Velkommen til Jensen & Søn" as RFC 2047 encodes it.
    expect(mail!.subject).toBe("=?UTF-8?Q?Velkommen_til_Jensen_=26_S=C3=B8n?=");
    expect(mail!.text).toContain("har oprettet en konto hos Jensen & Søn til dig.");
    expect(mail!.text).toMatch(/welcome\?token=[\w-]+&email=bo%40example.com&lang=da$/m);
    expect(mail!.html).toContain('<html lang="da">');
    expect(mail!.html).toContain("Jensen &#38; Søn");
    expect(mail!.html).toMatch(/href="https:[^"]+&#38;lang=da"/);
  });

  it("a password reset is written in Danish", async () => {
    await welcome({ welcome: false, language: "da" });
    await instance.withToken(undefined).call(auth.passwordRequest, { email: "bo@example.com" });
    await drain();
    const [mail] = mailbox.mails;
    // "Vælg en ny adgangskode til Acme" as RFC 2047 encodes it.
    expect(mail!.subject).toBe("=?UTF-8?Q?V=C3=A6lg_en_ny_adgangskode_til_Acme?=");
    expect(mail!.html).toContain('<html lang="da">');
  });

  it("mails to users without a language are in the first language of the instance, or in English without texts for it", async () => {
    await welcome();
    await drain({ languages: ["da", "en"] });
    await offer(["en", "tlh"]);
    await welcome({ email: "second@example.com", language: "tlh" });
    await drain({ languages: ["fr"] });
    expect(mailbox.mails.map(({ html }) => /<html lang="(\w+)">/.exec(html)?.[1])).toEqual(["da", "en"]);
  });

  it("a mail without base_url has a code and no link", async () => {
    await welcome();
    await drain({ base_url: null });
    const { text } = mailbox.mails[0]!;
    expect(text).not.toContain("http");
    expect(text).toContain("    wcs auth password reset --email bo@example.com\n");
    await reset(/^ {4}([\w-]{43})$/m.exec(text)?.[1] ?? "");
  });

  it("the command in a mail quotes an address for the shell where it must", async () => {
    await welcome({ email: "o'hara@example.com" });
    await drain({ base_url: null });
    expect(mailbox.mails[0]!.text).toContain("    wcs auth password reset --email 'o'\\''hara@example.com'\n");
  });

  it("links of mails without base_url lead to the address at which the service is served", async () => {
    await welcome();
    const servedAt = () => "http://localhost:8080";
    await newEngine(instance, { settings: settings({ base_url: null }), servedAt }).drain({ maxSeconds: 60 });
    expect(mailbox.mails[0]!.text).toContain("    http://localhost:8080/welcome?token=");
  });

  it("names cannot put HTML or headers into a mail", async () => {
    const { id } = await welcome({ welcome: false, last_name: "& Co" });
    // Names on several lines are refused, but may have been stored by an older version.
    const first_name = "<img src=x>\r\nBcc: all@example.com\r\n\r\n";
    await instance.database.write(async (tx) => {
      await tx.updateTable("users").set({ first_name }).where("id", "=", id).execute();
    });
    await instance.administrator.call(users.welcome, { users: [id] });
    await drain();
    const [mail] = mailbox.mails;
    expect(mail!.to).toEqual(["bo@example.com"]);
    expect(mail!.html).not.toContain("<img");
    expect(mail!.html).toContain("&#60;img");
    expect(mail!.raw.split("\r\n\r\n")[0]).not.toContain("Bcc");
  });

  it("the password of the mail server is sent over TLS only", async () => {
    mailbox = await mailboxOfTest({ disabledCommands: [], authOptional: false });
    await welcome();
    const url = `smtp://ann:hunter2@127.0.0.1:${mailbox.port}`;
    expect(await drain({ "mail.smtp_url": url })).toMatchObject({ mails: 1 });
    expect((await rows())[0]).toMatchObject({ last_error: expect.stringMatching(/ETLS|ESOCKET/) });
    instance.wait(31);
    expect(await drain({ "mail.smtp_url": `${url}?tls.rejectUnauthorized=false` })).toMatchObject({ mails: 0 });
    expect(mailbox.mails).toMatchObject([{ secure: true, user: "ann" }]);
  });

  it("a refused sign-in to the mail server is in the outbox, without the password", async () => {
    await welcome();
    expect(await drain({ "mail.smtp_url": `smtp://ann:letmein@127.0.0.1:${mailbox.port}` })).toMatchObject({
      mails: 1,
    });
    const [row] = await rows();
    expect(row!.last_error).toContain("EAUTH");
    expect(row!.last_error).not.toContain("letmein");
  });

  it("the mail about a disabled webhook is written in Danish", async () => {
    await offer(["en", "da"]);
    await instance.administrator.call(users.update, { id: 1, language: "da" });
    const receiver = await receiverOfTest();
    receiver.answer = (_, response) => void response.writeHead(410).end();
    const { id } = await newWebhook(instance, receiver.url, "Hook");
    await makeUsers(instance);
    await newEngine(instance).drain({ maxSeconds: 60 });
    await drain();
    const [mail] = mailbox.mails;
    // "Webhook Hook hos Acme er slået fra" as RFC 2047 encodes it.
    expect(mail!.subject).toBe("=?UTF-8?Q?Webhook_Hook_hos_Acme_er_sl=C3=A5et_fra?=");
    expect(mail!.text).toContain(`Webhooken Hook (${id}) hos Acme er slået fra.`);
  });

  it("a mail server that hangs delays drain for no longer than maxSeconds, and mails that were not begun are released", async () => {
    const open: Socket[] = [];
    const silent = createServer((socket) => void open.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    await instance.administrator.call(users.welcome, { users: await makeUsers(instance, 6) });
    const { port } = silent.address() as AddressInfo;
    const hanging = settings({ "mail.smtp_url": `smtp://127.0.0.1:${port}` });
    expect(await newEngine(instance, { settings: hanging }).drain({ maxSeconds: 1 })).toMatchObject({ mails: 6 });
    for (const socket of open) socket.destroy();
    const { database } = instance;
    const released = database.reader.selectFrom("mails").select(["id", "attempt"]).where("lease_token", "is", null);
    await expect.poll(() => released.execute()).toMatchObject(Array(6).fill({}));
    expect((await released.where("attempt", "=", 0).execute()).map(({ id }) => id)).toHaveLength(2);
    silent.close();
  });
});
