import { afterEach, describe, expect, test } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { ServiceError } from "../../src/contract/errors.ts";
import { createClient } from "../../src/http/client/client.ts";
import { Room } from "../../src/http/server/fair-room.ts";
import { type Fake, gate, lastBody, serveFake, speak } from "./support.ts";

const codeOf = (error: ServiceError) => error.code;
const refusal = () => new ServiceError("unavailable", "No room.", { retryAfter: 5 });
const state = (work: Promise<unknown>) =>
  Promise.race([
    work.then(
      () => "in",
      (error: ServiceError) => error.code,
    ),
    // Whoever may enter has entered before the next turn of the event loop.
    new Promise((resolve) => setImmediate(resolve, "waiting")),
  ]);

describe("room for so many bytes", () => {
  test("is for as many as there is room for, in the order in which they came", async () => {
    const room = new Room(100, { patience: 10_000, refusal });
    const leave = await room.enter(60);
    const large = room.enter(50);
    const small = room.enter(10);
    expect([await state(large), await state(small)]).toEqual(["waiting", "waiting"]);
    leave();
    expect([await state(large), await state(small)]).toEqual(["in", "in"]);
    const next = room.enter(50);
    expect(await state(next)).toBe("waiting");
    (await small)();
    expect(await state(next)).toBe("in");
  });

  test("is refused to whoever waited too long, and to whoever would have to wait behind many", async () => {
    const room = new Room(100, { patience: 20, refusal });
    const leave = await room.enter(100);
    const waiting = Array.from({ length: 100 }, () => room.enter(100).catch(codeOf));
    await expect(room.enter(1)).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["unavailable"]));
    leave();
    expect(await state(room.enter(100))).toBe("in");
  });

  test("one that gives up does not hold back those behind it", async () => {
    const room = new Room(100, { patience: 30, refusal });
    await room.enter(60);
    const tooLarge = room.enter(90).catch(codeOf);
    const next = room.enter(30);
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

  test("is not read, nor asked for, before whoever sends it is known", async () => {
    server = await serveFake(undefined, { admit: unknown });
    const text = await speak(server.port, head(body.length, "Expect: 100-continue\r\n"));
    expect(text).toMatch(/^HTTP\/1.1 401 /);
    expect(lastBody(text).error?.code).toBe("unauthenticated");
    expect(server.calls).toEqual([]);
  });

  test("of the largest size is not read before whoever sends it is known", async () => {
    server = await serveFake(undefined, { admit: unknown, uploadLimit: body.length });
    expect(await speak(server.port, head(body.length))).toMatch(/^HTTP\/1.1 401 /);
  });

  test("is asked for when it may come", async () => {
    server = await serveFake(undefined, { admit: async () => 1 });
    const text = await speak(server.port, head(body.length, "Expect: 100-continue\r\n"), body);
    expect(text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
    expect(server.calls.at(-1)?.input).toEqual(JSON.parse(body));
  });

  test("a small one is read for anybody, as the core says who may do what", async () => {
    server = await serveFake(undefined, { admit: unknown });
    const small = JSON.stringify({ recipients: [2], message: "Hello" });
    for (const text of [small, small.padEnd(16_384)])
      expect(await speak(server.port, head(text.length), text)).toMatch(/^HTTP\/1.1 201 /);
    expect(await speak(server.port, head(16_385))).toMatch(/^HTTP\/1.1 401 /);
  });

  test("without a sign-in, no more than 64 KiB are read", async () => {
    server = await serveFake();
    const signIn = (length: number) => head(length).replace("/conversations", "/authenticate");
    const text = JSON.stringify({ username: "ann@example.com", password: "x" });
    expect(await speak(server.port, signIn(65_536), text.padEnd(65_536))).toMatch(/^HTTP\/1.1 200 /);
    expect(await speak(server.port, signIn(65_537))).toMatch(/^HTTP\/1.1 413 /);
  });

  test("with too many values or levels, it is refused while it arrives", async () => {
    server = await serveFake(undefined, { admit: async () => 1 });
    const begun = async (text: string) => lastBody(await speak(server.port, head(20_000_000), text)).error?.message;
    expect(await begun(`{"recipients":[${"1,".repeat(50_000)}`)).toBe("The body must have at most 50000 values.");
    expect(await begun(`{"recipients":${"[".repeat(64)}`)).toBe("The body must not be nested deeper than 64 levels.");
    expect(server.calls).toEqual([]);
  });

  test("with a higher limit, its values are still counted while it arrives", async () => {
    server = await serveFake(undefined, { admit: async () => 1, bodyLimit: 4_000_000 });
    const toGroups = (length: number) => head(length).replace("/conversations", "/groups");
    const text = await speak(server.port, toGroups(4_000_000), `{"members":[${"1,".repeat(50_000)}`);
    expect(lastBody(text).error?.message).toBe("The body must have at most 50000 values.");
    expect(await speak(server.port, toGroups(4_000_001))).toMatch(/^HTTP\/1.1 413 /);
  });

  test("over the limit it is refused by its length", async () => {
    server = await serveFake(undefined, { admit: unknown });
    expect(await speak(server.port, head(50_000_000))).toMatch(/^HTTP\/1.1 413 /);
  });

  test("comes from the client when it is asked for, and what is wrong is told before it is sent", async () => {
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

  test("leaves its room when it is done with, also when it fails", async () => {
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
