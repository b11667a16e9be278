import { afterEach, describe, expect, test } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { ServiceError } from "../../src/contract/errors.ts";
import { Semaphore } from "../../src/contract/semaphore.ts";
import { createClient } from "../../src/http/client/client.ts";
import { type Fake, gate, lastBody, serveFake, speak } from "./support.ts";

const codeOf = (error: ServiceError) => error.code;
const refusal = () => new ServiceError("unavailable", "No room.", { retryAfter: 5 });
const state = (work: Promise<unknown>) =>
  Promise.race([
    work.then(
      () => "in",
      (error: ServiceError) => error.code,
    ),
    // A body that fits is admitted before the next turn of the event loop.
    new Promise((resolve) => setImmediate(resolve, "waiting")),
  ]);

describe("a semaphore of a number of bytes", () => {
  test("admits bodies that fit, in the order of arrival", async () => {
    const semaphore = new Semaphore(100, { maxWait: 10_000, refusal });
    const release = await semaphore.acquire(60);
    const large = semaphore.acquire(50);
    const small = semaphore.acquire(10);
    expect([await state(large), await state(small)]).toEqual(["waiting", "waiting"]);
    release();
    expect([await state(large), await state(small)]).toEqual(["in", "in"]);
    const next = semaphore.acquire(50);
    expect(await state(next)).toBe("waiting");
    (await small)();
    expect(await state(next)).toBe("in");
  });

  test("refuses a body that has waited too long, and one that would wait behind too many", async () => {
    const semaphore = new Semaphore(100, { maxWait: 20, refusal });
    const release = await semaphore.acquire(100);
    const waiting = Array.from({ length: 100 }, () => semaphore.acquire(100).catch(codeOf));
    await expect(semaphore.acquire(1)).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["unavailable"]));
    release();
    expect(await state(semaphore.acquire(100))).toBe("in");
  });

  test("admits the next body when the one before it has given up", async () => {
    const semaphore = new Semaphore(100, { maxWait: 30, refusal });
    await semaphore.acquire(60);
    const tooLarge = semaphore.acquire(90).catch(codeOf);
    const next = semaphore.acquire(30);
    expect(await tooLarge).toBe("unavailable");
    expect(await state(next)).toBe("in");
  });
});

describe("a large body", () => {
  let server: Fake;
  afterEach(() => server.close());
  const head = (length: number, more = "") =>
    `POST /api/conversations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}Connection: close\r\n\r\n`;
  const body = JSON.stringify({ recipients: [2], message: "x".repeat(2_000_000) });
  const unknown = async () => {
    throw new ServiceError("unauthenticated", "Sign in first.");
  };

  test("is neither requested nor read before its sender is known", async () => {
    server = await serveFake(undefined, { admit: unknown });
    const text = await speak(server.port, head(body.length, "Expect: 100-continue\r\n"));
    expect(text).toMatch(/^HTTP\/1.1 401 /);
    expect(lastBody(text).error?.code).toBe("unauthenticated");
    expect(server.calls).toEqual([]);
  });

  test("is not requested of a stranger either when it is small, and may be of an operation for all", async () => {
    server = await serveFake(undefined, { admit: async (op) => (op.access === "public" ? 0 : unknown()) });
    const small = JSON.stringify({ recipients: [2], message: "Hello" });
    const waiting = head(small.length, "Expect: 100-continue\r\n");
    expect(await speak(server.port, waiting)).toMatch(/^HTTP\/1.1 401 /);
    const signIn = JSON.stringify({ username: "ann@example.com", password: "x" });
    const asked = head(signIn.length, "Expect: 100-continue\r\n").replace("/conversations", "/authenticate");
    expect(await speak(server.port, asked, signIn)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
  });

  test("of the largest size is not read before its sender is known", async () => {
    server = await serveFake(undefined, { admit: unknown, uploadLimit: body.length });
    expect(await speak(server.port, head(body.length))).toMatch(/^HTTP\/1.1 401 /);
  });

  test("is requested with 100 Continue when there is permission for it", async () => {
    server = await serveFake(undefined, { admit: async () => 1 });
    const text = await speak(server.port, head(body.length, "Expect: 100-continue\r\n"), body);
    expect(text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
    expect(server.calls.at(-1)?.input).toEqual(JSON.parse(body));
  });

  test("that is small, or none, is read from anybody, since the core checks the permission", async () => {
    server = await serveFake(undefined, { admit: unknown });
    const small = JSON.stringify({ recipients: [2], message: "Hello" });
    for (const text of [small, small.padEnd(16_384)])
      expect(await speak(server.port, head(text.length), text)).toMatch(/^HTTP\/1.1 201 /);
    expect(await speak(server.port, head(16_385))).toMatch(/^HTTP\/1.1 401 /);
    const without = "POST /api/users/policy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    expect(await speak(server.port, without)).toMatch(/^HTTP\/1.1 204 /);
  });

  test("of a public operation is limited to 64 KiB", async () => {
    server = await serveFake();
    const signIn = (length: number) => head(length).replace("/conversations", "/authenticate");
    const text = JSON.stringify({ username: "ann@example.com", password: "x" });
    expect(await speak(server.port, signIn(65_536), text.padEnd(65_536))).toMatch(/^HTTP\/1.1 200 /);
    expect(await speak(server.port, signIn(65_537))).toMatch(/^HTTP\/1.1 413 /);
  });

  test("with too many values or levels is refused while it arrives", async () => {
    server = await serveFake(undefined, { admit: async () => 1 });
    const begun = async (text: string) => lastBody(await speak(server.port, head(20_000_000), text)).error?.message;
    expect(await begun(`{"recipients":[${"1,".repeat(50_000)}`)).toBe("The body must have at most 50000 values.");
    expect(await begun(`{"recipients":${"[".repeat(64)}`)).toBe("The body must not be nested deeper than 64 levels.");
    expect(server.calls).toEqual([]);
  });

  test("of an operation with a higher limit has its values counted while it arrives, too", async () => {
    server = await serveFake(undefined, { admit: async () => 1, bodyLimit: 4_000_000 });
    const toGroups = (length: number) => head(length).replace("/conversations", "/groups");
    const text = await speak(server.port, toGroups(4_000_000), `{"members":[${"1,".repeat(50_000)}`);
    expect(lastBody(text).error?.message).toBe("The body must have at most 50000 values.");
    expect(await speak(server.port, toGroups(4_000_001))).toMatch(/^HTTP\/1.1 413 /);
  });

  test("over the limit is refused by its Content-Length", async () => {
    server = await serveFake(undefined, { admit: unknown });
    expect(await speak(server.port, head(50_000_000))).toMatch(/^HTTP\/1.1 413 /);
  });

  test("is sent by the client after 100 Continue, and an error arrives before it is sent", async () => {
    let known = true;
    server = await serveFake(undefined, { admit: () => (known ? Promise.resolve(1) : unknown()) });
    const client = createClient({ url: server.url, userAgent: "test", env: {} });
    const sent: number[] = [];
    const input = JSON.parse(body);
    const onSent = (bytes: number, of: number) => void sent.push(bytes / of);
    await client.call(conversations.create, input, { onSent });
    expect(server.calls.at(-1)?.input).toEqual(input);
    expect([sent[0], sent.at(-1), sent.toSorted((a, b) => a - b)]).toEqual([0, 1, sent]);
    known = false;
    sent.length = 0;
    await expect(client.call(conversations.create, input, { onSent })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    expect(sent).toEqual([]);
    await client.close();
  });

  test("and an import wait for earlier ones of the same user only", async () => {
    const held = gate();
    let caller = 0;
    server = await serveFake(() => held.opened.then(() => ({ results: [] })), { admit: async () => caller });
    const rows = Array.from({ length: 1000 }, () => ({ reference: "x".repeat(20) }));
    const text = JSON.stringify({ rows });
    const send = (user: number) => {
      caller = user;
      return speak(server.port, head(text.length).replace("/conversations", "/users/import"), text);
    };
    const first = send(1);
    await expect.poll(() => server.calls.length).toBe(1);
    const second = send(1);
    // The body of the second one arrives before that of the other user.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const other = send(2);
    await expect.poll(() => server.calls.length).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.calls.length).toBe(2);
    held.open();
    for (const each of await Promise.all([first, second, other])) expect(each).toMatch(/^HTTP\/1.1 200 /);
    expect(server.calls.length).toBe(3);
  });

  test("with an image of up to 1 MiB does not wait for earlier ones of the same user", async () => {
    const held = gate();
    server = await serveFake(() => held.opened);
    const text = JSON.stringify({ file: { name: "a.png", data: "A".repeat(100_000) } });
    const put = head(text.length).replace("POST /api/conversations", "PUT /api/users/5/avatar");
    const answers = [speak(server.port, put, text), speak(server.port, put, text)];
    await expect.poll(() => server.calls.length).toBe(2);
    held.open();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 2/);
  });

  test("releases its room after the request, even when that fails", async () => {
    const held = gate();
    server = await serveFake(async () => {
      await held.opened;
      throw new ServiceError("conflict", "No.");
    });
    const large = JSON.stringify({ recipients: [2], message: "x".repeat(39_000_000) });
    const send = () => speak(server.port, head(large.length), large);
    // There is room for one. More than one that waits for it would wait too long on a busy machine.
    const answers = [send(), send()];
    await expect.poll(() => server.calls.length).toBe(1);
    held.open();
    for (const text of [...(await Promise.all(answers)), await send()]) expect(text).toMatch(/^HTTP\/1.1 409 /);
  });
});
