import { type AddressInfo, createServer } from "node:net";
import tls from "node:tls";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { Settings } from "../../src/contract/settings.ts";
import { users } from "../../src/contract/users.ts";
import { smtpTarget } from "../../src/delivery/mail/mail-transport.ts";
import { cert, key } from "../support/certificate.ts";
import { describeOnDatabases, newEngine, whenClaimed } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { type Mailbox, mailboxOfTest } from "../support/mailbox.ts";

const withTls = { disabledCommands: [], cert, key };
const noTls = "The mail server does not support TLS; set mail.allow_plain to send without it.";

/** Starts a mail server that greets and answers each command with the next of the lines, and closes it at the end of the test. */
async function scriptedServerOfTest(...lines: readonly string[]): Promise<Mailbox> {
  const server = createServer((socket) => {
    const left = ["220 ready", ...lines];
    const answer = () => void socket.write(`${left.shift()}\r\n`);
    answer();
    socket.on("data", answer).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  return { port, mails: [], close };
}

describeOnDatabases("the way to the mail server", (open) => {
  let instance: Instance;
  let mailbox: Mailbox;
  const authorities = tls.getCACertificates("default");
  beforeEach(async () => {
    instance = await open();
    await instance.administrator.call(users.welcome, { users: [1] });
  });
  afterEach(() => tls.setDefaultCACertificates(authorities));

  /** Tries to send what waits; what the outbox says of it. 0.0.0.0 leads to this machine, and is no loopback address. */
  async function send(more: Partial<Settings> = {}, options = "", host = "0.0.0.0") {
    const url = `smtp://${host}:${mailbox.port}${options}`;
    const settings = { "mail.from": "wcs@example.com", "mail.smtp_url": url, ...more };
    await newEngine(instance, { settings }).drain({ maxSeconds: 60 });
    const [mail] = await instance.database.reader.selectFrom("mails").selectAll().execute();
    return { sent: mailbox.mails.map(({ secure }) => ({ secure })), error: mail?.last_error };
  }

  it("Nobody on the way can read a mail by hiding that the server offers TLS, also without a password", async () => {
    mailbox = await mailboxOfTest();
    expect(await send()).toEqual({ sent: [], error: noTls });
  });

  it.each([
    ["that does not know EHLO has no TLS", ["500 unknown"], noTls],
    [
      "that is busy says so, and nobody is advised to do without TLS",
      ["421 4.3.2 busy"],
      "ECONNECTION: 421 4.3.2 busy",
    ],
    ["whose TLS is out of order says so", ["250 ready", "454 4.7.0 no TLS now"], "ETLS: 454 4.7.0 no TLS now"],
  ])("A server %s", async (_, lines, error) => {
    mailbox = await scriptedServerOfTest(...lines);
    expect(await send()).toEqual({ sent: [], error });
  });

  it("A server that offers TLS and refuses it is quoted where mail.allow_plain is set", async () => {
    mailbox = await scriptedServerOfTest("250-ready\r\n250 STARTTLS", "500 no");
    expect(await send({ "mail.allow_plain": true })).toEqual({ sent: [], error: "ETLS: 500 no" });
  });

  it("A recipient who is refused over TLS is given up with the answer, whatever words it has", async () => {
    tls.setDefaultCACertificates([...authorities, cert]);
    const refusal = Object.assign(new Error("no certificate for this mailbox"), { responseCode: 550 });
    mailbox = await mailboxOfTest({ ...withTls, onRcptTo: (_, __, done) => done(refusal) });
    const { error } = await send({}, "?tls.servername=mail.example.test");
    expect(error).toBe("EENVELOPE: 550 no certificate for this mailbox");
    const { state } = await instance.database.reader.selectFrom("mails").select("state").executeTakeFirstOrThrow();
    expect(state).toBe("failed");
  });

  it("Options in the URL cannot turn TLS off", async () => {
    mailbox = await mailboxOfTest();
    const options = "?requireTLS=false&ignoreTLS=true&opportunisticTLS=true&secure=false&host=127.0.0.1";
    expect(await send({}, options)).toEqual({ sent: [], error: noTls });
  });

  it("A server that nobody vouches for gets no mail, whatever the URL says", async () => {
    mailbox = await mailboxOfTest(withTls);
    const { sent, error } = await send({}, "?tls.servername=mail.example.test&tls.rejectUnauthorized=false");
    expect(sent).toEqual([]);
    expect(error).toMatch(/self[- ]signed certificate/);
  });

  it("A server with another's certificate gets no mail", async () => {
    tls.setDefaultCACertificates([...authorities, cert]);
    mailbox = await mailboxOfTest(withTls);
    const { sent, error } = await send();
    expect(sent).toEqual([]);
    expect(error).toMatch(/altnames/);
  });

  it("A server with a good certificate gets it encrypted", async () => {
    tls.setDefaultCACertificates([...authorities, cert]);
    mailbox = await mailboxOfTest(withTls);
    expect(await send({}, "?tls.servername=mail.example.test")).toEqual({ sent: [{ secure: true }], error: null });
  });

  it("mail.allow_plain sends in the clear where there is no TLS, and encrypted where there is", async () => {
    tls.setDefaultCACertificates([...authorities, cert]);
    mailbox = await mailboxOfTest();
    expect(await send({ "mail.allow_plain": true })).toEqual({ sent: [{ secure: false }], error: null });
    mailbox = await mailboxOfTest(withTls);
    await instance.administrator.call(users.welcome, { users: [1] });
    const encrypted = await send({ "mail.allow_plain": true }, "?tls.servername=mail.example.test");
    expect(encrypted.sent).toEqual([{ secure: true }]);
  });

  it("An engine that runs sends nothing more in the clear once mail.allow_plain is switched off", async () => {
    mailbox = await mailboxOfTest();
    const url = `smtp://0.0.0.0:${mailbox.port}`;
    const settings = { "mail.from": "wcs@example.com", "mail.smtp_url": url, "mail.allow_plain": true };
    const engine = newEngine(instance, { settings });
    engine.start();
    await expect.poll(() => mailbox.mails).toHaveLength(1);
    settings["mail.allow_plain"] = false;
    await instance.administrator.call(users.welcome, { users: [1] });
    const errors = instance.database.reader.selectFrom("mails").select("last_error").where("state", "=", "waiting");
    await expect.poll(() => errors.execute()).toEqual([{ last_error: noTls }]);
    await engine.stop();
    expect(mailbox.mails).toHaveLength(1);
  });

  it("A mail is not sent in the clear when mail.allow_plain is switched off until it is claimed", async () => {
    mailbox = await mailboxOfTest();
    const url = `smtp://0.0.0.0:${mailbox.port}`;
    const settings = { "mail.from": "wcs@example.com", "mail.smtp_url": url, "mail.allow_plain": true };
    const database = whenClaimed(instance.database, () => {
      settings["mail.allow_plain"] = false;
    });
    await newEngine(instance, { settings, database }).drain({ maxSeconds: 60 });
    expect(mailbox.mails).toEqual([]);
    const errors = instance.database.reader.selectFrom("mails").select("last_error").execute();
    expect(await errors).toEqual([{ last_error: noTls }]);
  });

  it("A mail that is claimed while mail.smtp_url is removed waits for a new one", async () => {
    mailbox = await mailboxOfTest();
    const settings: Partial<Settings> = {
      "mail.from": "wcs@example.com",
      "mail.smtp_url": `smtp://127.0.0.1:${mailbox.port}`,
    };
    const database = whenClaimed(instance.database, () => {
      settings["mail.smtp_url"] = null;
    });
    await newEngine(instance, { settings, database }).drain({ maxSeconds: 60 });
    expect(mailbox.mails).toEqual([]);
    expect(await send({}, "", "127.0.0.1")).toEqual({ sent: [{ secure: false }], error: null });
  });

  it("A server on this machine needs no TLS", async () => {
    mailbox = await mailboxOfTest();
    expect(await send({}, "", "127.0.0.1")).toEqual({ sent: [{ secure: false }], error: null });
  });
});

it("Only addresses of this machine, and its name for them, need no TLS", () => {
  const requires = (host: string) => smtpTarget(`smtp://${host}:25`, false).requireTLS;
  expect(["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "127.100.100.100", "[::1]"].map(requires)).not.toContain(
    true,
  );
  const elsewhere = [
    "mail.example.com",
    "localhost.example.com",
    "mylocalhost",
    "1.127.0.0.1",
    "127.0.0.1.example.com",
    "10.0.0.1",
    "[::2]",
    "0.0.0.0",
  ];
  expect(elsewhere.map(requires)).not.toContain(false);
});
