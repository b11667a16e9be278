import type { ServerResponse } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { Caller } from "../../src/contract/operation.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { Attempt } from "../../src/delivery/webhooks/attempt.ts";
import { isFull } from "../support/effort.ts";
import { describeOnDatabases, newEngine, observeAttempts, openInstanceOf } from "../support/engine.ts";
import { freePort } from "../support/free-port.ts";
import type { Instance } from "../support/instance.ts";
import { logOf, makeUsers, newWebhook } from "../support/outbox.ts";
import { type Receiver, receiverOfTest } from "../support/receiver.ts";

describeOnDatabases("outcomes of an attempt", (_, kind) => {
  let instance: Instance;
  let receiver: Receiver;
  let hook: number;
  beforeAll(async () => {
    instance = await openInstanceOf(kind);
    instance.freeze();
  });
  afterAll(() => instance.close());
  beforeEach(async () => {
    receiver = await receiverOfTest();
  });
  afterEach(async () => {
    await instance.administrator.call(webhooks.delete, { id: hook });
  });

  /** One attempt of one event; its log entry with request and response. */
  const attempt = async (url = receiver.url, random = 0.5) => {
    hook = (await newWebhook(instance, url)).id;
    await makeUsers(instance);
    await newEngine(instance, { random: () => random }).drain({ maxSeconds: 60 });
    const [entry, ...others] = await logOf(instance, hook);
    expect(others).toEqual([]);
    return (await instance.administrator.call(webhooks.log, { id: hook, log: entry!.id })).data;
  };
  const webhook = async () => (await instance.administrator.call(webhooks.get, { id: hook })).data;
  const call: Caller["call"] = (op, input) => instance.administrator.call(op, input);

  it("status 200 succeeds, and the log has request and response", async () => {
    receiver.answer = (_, response) => void response.setHeader("x-request", "r1").end("thanks");
    const began = performance.now();
    const entry = await attempt();
    expect(entry).toMatchObject({ status: "200", error: null, next_attempt_at: null, attempt: 1 });
    expect(entry.duration_ms).toBeLessThanOrEqual(Math.ceil(performance.now() - began));
    const [{ body, headers } = {}] = receiver.received;
    expect(entry.request.body).toBe(body);
    for (const [name, value] of Object.entries(entry.request.headers)) expect(headers?.[name]).toBe(value);
    expect(Object.keys(entry.request.headers)).toContain("webhook-signature");
    expect(entry.response).toMatchObject({ headers: { "x-request": "r1" }, body: "thanks", cut: false });
  });

  it.each([500, 404, 400, 503, 301, 304])("status %i fails and is tried again after 5 seconds", async (status) => {
    receiver.answer = (_, response) => void response.writeHead(status).end("no");
    const entry = await attempt();
    const error = status === 301 ? "Redirects are not followed (301)." : `The receiver answered ${status}.`;
    const body = status === 304 ? "" : "no";
    expect(entry).toMatchObject({ status: String(status), error, response: { body } });
    expect(entry.next_attempt_at! - entry.created_at).toBe(5);
  });

  it("status 410 disables the webhook at once", async () => {
    receiver.answer = (_, response) => void response.writeHead(410).end();
    const error = "The receiver is gone (410); the webhook is disabled.";
    expect(await attempt()).toMatchObject({ status: "410", error, next_attempt_at: null });
    expect(await webhook()).toMatchObject({ active: false, disabled_reason: "gone", disabled_at: expect.any(Number) });
  });

  it.each([
    ["a service account, which has no address", { service: true }, () => undefined],
    ["a deactivated user", { email: "gone@example.com" }, (id: number) => call(users.deactivate, { id })],
    [
      "a former administrator",
      { email: "former@example.com" },
      (id: number) => call(users.update, { id, admin: false }),
    ],
  ])("410 disables the webhook of %s, and tells the administrators", async (_, fields, leave) => {
    const name = { first_name: "Ci", last_name: "Bot" };
    const { id } = await instance.administrator.call(users.create, { ...name, ...fields, unit: 1 });
    await instance.administrator.call(users.update, { id, admin: true });
    const author = await instance.as(id);
    hook = (await author.call(webhooks.create, { name: "ci", uri: receiver.url })).data.id;
    await leave(id);
    receiver.answer = (_, response) => void response.writeHead(410).end();
    await makeUsers(instance);
    await newEngine(instance).drain({ maxSeconds: 60 });
    expect(await webhook()).toMatchObject({ active: false, disabled_reason: "gone" });
    const mails = await instance.database.reader.selectFrom("mails").selectAll().execute();
    const told = mails.map((mail) => ({ ...mail, payload: JSON.parse(mail.payload) }));
    expect(told.filter(({ payload }) => payload.webhook?.id === hook)).toMatchObject([
      { kind: "webhook_disabled", user_id: 1, recipient: "admin@example.com", payload: { reason: "gone" } },
    ]);
  });

  it("410 disables the webhook of a service account, and tells ten administrators, those with the lowest IDs", async () => {
    const add = async (fields: { email: string } | { service: true }) => {
      const person = { first_name: "Bo", last_name: "Berg", unit: 1, admin: true, ...fields };
      return (await instance.administrator.call(users.create, person)).id;
    };
    const administrators = [1];
    for (let at = 0; at < 10; at++) administrators.push(await add({ email: `boss${at}@example.com` }));
    const author = await instance.as(await add({ service: true }));
    hook = (await author.call(webhooks.create, { name: "ci", uri: receiver.url })).data.id;
    receiver.answer = (_, response) => void response.writeHead(410).end();
    await makeUsers(instance);
    await newEngine(instance).drain({ maxSeconds: 60 });
    const mails = await instance.database.reader.selectFrom("mails").selectAll().orderBy("id").execute();
    const told = mails.filter(({ payload }) => JSON.parse(payload).webhook?.id === hook);
    expect(told.map(({ user_id }) => user_id)).toEqual(administrators.slice(0, 10));
  });

  // The meaning of an answer does not depend on the database.
  if (kind === "postgres" && !isFull) return;

  it.each([204, 299])("status %i succeeds", async (status) => {
    receiver.answer = (_, response) => void response.writeHead(status).end();
    expect(await attempt()).toMatchObject({ status: String(status), error: null, next_attempt_at: null });
  });

  it("next_attempt_at is rounded up to a full second", async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    // 4.6 seconds later.
    const entry = await attempt(receiver.url, 0.1);
    expect(entry.next_attempt_at! - entry.created_at).toBe(5);
  });

  it.each([300, 308, 399])("redirects with status %i are not followed", async (status) => {
    receiver.answer = (_, response) => void response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end();
    expect(await attempt()).toMatchObject({ status: `${status}`, error: `Redirects are not followed (${status}).` });
    expect(receiver.received).toHaveLength(1);
  });

  it("status 400 is not called a redirect", async () => {
    receiver.answer = (_, response) => void response.writeHead(400).end();
    expect(await attempt()).toMatchObject({ status: "400", error: "The receiver answered 400." });
  });

  it.each([
    ["429 with seconds", 429, () => "120", 120],
    ["503 with a date", 503, () => new Date((instance.now() + 300) * 1000).toUTCString(), 300],
    ["less than the schedule", 429, () => "1", 5],
    ["more than a day", 429, () => "999999999", 86_400],
    ["nonsense", 429, () => "soon", 5],
  ])("Retry-After: %s", async (_, status, header, seconds) => {
    receiver.answer = (_request, response) => void response.writeHead(status, { "retry-after": header() }).end();
    const { next_attempt_at, created_at } = await attempt();
    expect(next_attempt_at! - created_at).toBe(seconds);
  });

  it("a receiver that does not respond gets the status timeout, and the connection is closed", async () => {
    let closed = 0;
    const endAttempts = observeAttempts();
    receiver.answer = (_, response) => {
      response.on("close", () => {
        closed += 1;
      });
      endAttempts();
    };
    const error = "There was no answer within 600 seconds.";
    expect(await attempt()).toMatchObject({ status: "timeout", error, response: null });
    await expect.poll(() => closed).toBe(1);
  });

  it.each([
    [
      "an answer that does not end",
      "The answer did not end",
      (response: ServerResponse) => void response.write("slow"),
    ],
    ["an answer to come", "There was no answer", (response: ServerResponse) => response.writeProcessing()],
  ])("%s: timeout", async (_, what, begin) => {
    const endAttempts = observeAttempts();
    const { onResponseStart } = Attempt.prototype;
    const begun = vi.spyOn(Attempt.prototype, "onResponseStart");
    onTestFinished(() => void begun.mockRestore());
    begun.mockImplementation(function (this: Attempt, ...head) {
      onResponseStart.apply(this, head);
      endAttempts();
    });
    receiver.answer = (_request, response) => begin(response);
    expect(await attempt()).toMatchObject({ status: "timeout", error: `${what} within 600 seconds.` });
  });

  it("a connection that is reset gets the status reset", async () => {
    receiver.answer = (_, response) => {
      (response.socket as import("node:net").Socket).resetAndDestroy();
    };
    const error = "The connection ended without an answer that could be read. (ECONNRESET)";
    expect(await attempt()).toMatchObject({ status: "reset", error });
  });

  it("a connection that ends without a response gets the status reset", async () => {
    receiver.answer = (_, response) => void response.socket?.end();
    expect(await attempt()).toMatchObject({ status: "reset", response: null });
  });

  it("of an endless body, 64 KiB are read and 4 KiB kept, and the connection is closed", async () => {
    let written = 0;
    let closed = 0;
    receiver.answer = (_, response) => {
      const chunk = Buffer.alloc(16_384, "x");
      const more = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
        written += chunk.length;
      };
      response.on("drain", more).on("close", () => {
        closed += 1;
      });
      more();
    };
    const entry = await attempt();
    expect(entry).toMatchObject({ status: "200", response: { cut: true } });
    expect(entry.response?.body).toBe("x".repeat(4096));
    // Includes the buffers of the sockets on both sides.
    expect(written).toBeLessThan(16_777_216);
    await expect.poll(() => closed).toBe(1);
  });

  it("a body of 64 KiB ends the attempt, whether or not more would follow", async () => {
    receiver.answer = (_, response) => void response.write("x".repeat(65_536));
    expect(await attempt()).toMatchObject({ status: "200", response: { cut: true } });
  });

  it("a body that comes in parts is read to its end", async () => {
    receiver.answer = (_, response) => void response.write("one, ", () => setTimeout(() => response.end("two"), 20));
    expect((await attempt()).response).toMatchObject({ body: "one, two", cut: false });
  });

  it("a body of 4 KiB is kept whole, and a longer one is cut to 4 KiB", async () => {
    const body = "x".repeat(4096);
    receiver.answer = (_, response) => void response.end(body);
    expect((await attempt()).response).toMatchObject({ body, cut: false });
    await instance.administrator.call(webhooks.delete, { id: hook });
    receiver.answer = (_, response) => void response.end(`${body}x`);
    expect((await attempt()).response).toMatchObject({ body, cut: true });
  });

  it("headers of 4 KiB in total are kept, and those after them are left out", async () => {
    receiver.answer = (_, response) => {
      response.sendDate = false;
      // 2000, 2000 and 96 bytes; no other header precedes them.
      response.writeHead(
        200,
        [
          ["x".repeat(1000), "1".repeat(1000)],
          ["y".repeat(1000), "2".repeat(1000)],
          ["z".repeat(90), "3".repeat(6)],
          ["last", "4"],
        ].flat(),
      );
      response.end();
    };
    const headers = Object.entries((await attempt()).response!.headers);
    expect(headers.map(([name]) => name[0])).toEqual(["x", "y", "z"]);
  });

  it("a body and headers of any bytes are logged", async () => {
    receiver.answer = (_, response) =>
      void response
        .setHeader("x-bytes", Buffer.from([0xe9, 0xff, 0x80]).toString("latin1"))
        .end(Buffer.from([0, 0xff, 0xed, 0xa0, 0x80, 0x5c, 0x22, 0x27]));
    const entry = await attempt();
    expect(entry).toMatchObject({ status: "200", response: { cut: false } });
    expect(entry.response?.body.startsWith("\0\ufffd")).toBe(true);
    expect(entry.response?.body.endsWith("\\\"'")).toBe(true);
  });

  it("a response that is not HTTP gets the status reset", async () => {
    const port = await listening(createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n")));
    expect(await attempt(`http://127.0.0.1:${port}`)).toMatchObject({ status: "reset" });
  });

  it("a port on which nothing listens gets the status refused", async () => {
    const error = "The receiver could not be reached. (ECONNREFUSED)";
    expect(await attempt(`http://127.0.0.1:${await freePort()}`)).toMatchObject({ status: "refused", error });
  });

  it("an unknown host name gets the status dns_error", async () => {
    const error = expect.stringMatching(/^The host name could not be resolved\. \(E[A-Z_]+\)$/);
    expect(await attempt("http://receiver.invalid/")).toMatchObject({ status: "dns_error", error });
  });

  it("a certificate that is not trusted gets the status tls_error", async () => {
    // Its certificate is self-signed.
    const server = new SMTPServer({ secure: true });
    server.on("error", () => {});
    const port = await listening(server.server as Server);
    const error = expect.stringMatching(/^No trusted TLS connection could be made\. \([A-Z_]+\)$/);
    expect(await attempt(`https://127.0.0.1:${port}`)).toMatchObject({ status: "tls_error", error });
  });

  it("a receiver without TLS gets the status tls_error", async () => {
    expect(await attempt(receiver.url.replace("http:", "https:"))).toMatchObject({ status: "tls_error" });
  });

  it("a receiver with TLS is offered no other protocol than HTTP/1.1", async () => {
    const hellos: Buffer[] = [];
    const hangUp = (socket: Socket) => socket.once("data", (hello) => socket.end(void hellos.push(hello)));
    await attempt(`https://127.0.0.1:${await listening(createServer(hangUp))}`);
    // The extension of ALPN: the length of the list, and its only entry (RFC 7301, 3.1).
    expect(hellos.map((hello) => hello.includes("\0\x09\x08http/1.1"))).toEqual([true]);
  });

  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  function listening(server: Server): Promise<number> {
    servers.push(server);
    return new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
  }
});
