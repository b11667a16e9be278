import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fake, serveFake, speak } from "./support.ts";

describe("pipelined requests of a connection", () => {
  let server: Fake;
  let running = 0;
  let maxAtOnce = 0;
  beforeAll(async () => {
    server = await serveFake(async ({ input }) => {
      running += 1;
      maxAtOnce = Math.max(maxAtOnce, running);
      await nextTurn();
      running -= 1;
      return { id: (input as { id: number }).id };
    });
  });
  afterAll(() => server.close());

  const get = (id: number, more = "") => `GET /api/users/${id} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const answered = (text: string) => [...text.matchAll(/\r\n\r\n\{"id":(\d+)\}/g)].map(([, id]) => Number(id));
  const ids = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

  test("run one after the other", async () => {
    const text = ids(50).map((id) => get(id, id === 50 ? "Connection: close\r\n" : ""));
    expect(answered(await speak(server.port, text.join("")))).toEqual(ids(50));
    expect(maxAtOnce).toBe(1);
  });

  test("are all answered, in order, when thousands are sent at once", async () => {
    const count = 6000;
    const text = ids(count).map((id) => get(id, id === count ? "Connection: close\r\n" : ""));
    expect(answered(await speak(server.port, text.join("")))).toEqual(ids(count));
  });

  test("are not read while the response to an earlier one is missing", async () => {
    const first = Promise.withResolvers<object>();
    const slow = await serveFake(() => first.promise);
    const text = get(1).repeat(10_000);
    const socket = connect(slow.port, "127.0.0.1");
    for (let times = 0; times < 50; times++) socket.write(text);
    await expect.poll(() => slow.calls.length).toBe(1);
    for (let times = 0; times < 100; times++) await fetch(`http://127.0.0.1:${slow.port}/healthz`);
    // The rest of what the system does not keep between the two sides.
    expect(socket.writableLength).toBeGreaterThan(text.length * 20);
    socket.destroy();
    first.resolve({ id: 1 });
    await slow.close();
  });

  test("with bodies that arrive slowly are answered in order", async () => {
    const body = JSON.stringify({ title: "Clerk" });
    const patch = (id: number, more = "") =>
      `PATCH /api/users/${id} HTTP/1.1\r\nHost: x\r\n${more}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const calls = server.calls.length;
    const text = await speak(
      server.port,
      `${get(1)}${patch(2)}${body.slice(0, 5)}`,
      async () => expect.poll(() => server.calls.length).toBe(calls + 1),
      `${body.slice(5)}${get(3)}${patch(4, "Connection: close\r\n")}`,
      async () => expect.poll(() => server.calls.length).toBe(calls + 3),
      body,
    );
    expect(answered(text)).toEqual([1, 2, 3, 4]);
  });

  test("wait for a slow one in a connection that others do not share", async () => {
    const first = Promise.withResolvers<object>();
    const slow = await serveFake(({ input }) => ((input as { id: number }).id === 1 ? first.promise : { id: 2 }));
    const both = speak(slow.port, get(1) + get(2, "Connection: close\r\n"));
    await expect.poll(() => slow.calls.length).toBe(1);
    expect(answered(await speak(slow.port, get(2, "Connection: close\r\n")))).toEqual([2]);
    expect(slow.calls.map(({ input }) => input)).toEqual([{ id: 1 }, { id: 2 }]);
    first.resolve({ id: 1 });
    expect(answered(await both)).toEqual([1, 2]);
    await slow.close();
  });
});
