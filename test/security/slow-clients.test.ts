import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Connections } from "../../src/http/server/connections.ts";
import { type Fake, gate, lastBody, nextAccepted, serveFake, speak } from "../http/support.ts";

const deadlines = { headers: 300, body: 300, idle: 60_000, stall: 60_000, check: 20 };
const late = "The request did not arrive in time.";
const post = (length: number) =>
  `POST /api/conversations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`;
/** Sends a few bytes every few milliseconds. Fails when the connection is open after all of them. */
const drip = (drop: string) => [
  ...Array.from({ length: 1000 }, () => [drop, () => sleep(5)]).flat(),
  () => Promise.reject(new Error("The connection was held.")),
];

describe("slow clients", () => {
  let server: Fake;
  beforeAll(async () => {
    server = await serveFake(undefined, { timeouts: deadlines, admit: async () => 1 });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.calls.length = 0;
  });
  const refused = (text: string) => {
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(lastBody(text).error?.message).toBe(late);
    expect(server.calls).toEqual([]);
  };

  it("A connection cannot be held by headers that arrive byte by byte", async () => {
    refused(await speak(server.port, "GET / HTTP/1.1\r\nHost: x\r\nX-Drops: ", ...drip("x")));
  });

  it("A connection cannot be held by a small body that arrives byte by byte", async () => {
    refused(await speak(server.port, `${post(100_000)}\r\n`, ...drip("  ")));
  });

  it("A connection cannot be held by a body in chunks of one byte", async () => {
    const head =
      "POST /api/renew HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
    refused(await speak(server.port, `${head}\r\n`, ...drip("1\r\n \r\n")));
  });

  it("A large body must have the minimum average rate until its end", async () => {
    refused(await speak(server.port, `${post(2_000_000)}\r\n`, " ".repeat(20_000), ...drip(" ")));
  });

  it("A large body cannot be held by a sender who stops after most of it, however quickly that arrived", async () => {
    const lenient = await serveFake(undefined, { timeouts: { ...deadlines, rate: 1 }, admit: async () => 1 });
    onTestFinished(() => lenient.close());
    refused(await speak(lenient.port, `${post(2_000_000)}\r\n`, " ".repeat(1_900_000)));
  });

  it("An idle connection cannot be held by blank lines or single bytes of the next request", async () => {
    const first = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    for (const drops of [drip("\r\n"), ["\r\n"], ["GET"]]) {
      server.logs.length = 0;
      const answered = async () => {
        await expect.poll(() => server.logs.some(({ route }) => route === "/healthz")).toBe(true);
      };
      const text = await speak(server.port, first, answered, ...drops);
      expect(text).toMatch(/^HTTP\/1.1 200 /);
      expect(lastBody(text).error?.message).toBe(late);
    }
  });

  it("An idle connection cannot be held by the beginning of a request right after an answer", async () => {
    const check = vi.spyOn(Connections.prototype, "check").mockReturnValue();
    onTestFinished(() => void check.mockRestore());
    const accepted = nextAccepted();
    const first = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    server.logs.length = 0;
    const answered = async () => {
      await expect.poll(() => server.logs.some(({ route }) => route === "/healthz")).toBe(true);
    };
    const arrived = async () => {
      const socket = await accepted;
      await expect.poll(() => socket.bytesRead).toBe(`${first}GET`.length);
      check.mockRestore();
    };
    const text = await speak(server.port, first, answered, "GET", arrived);
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(lastBody(text).error?.message).toBe(late);
  });

  it("A kept connection that nobody uses is closed without an answer that nobody asked for", async () => {
    const idle = await serveFake(undefined, { timeouts: { ...deadlines, headers: 60_000, idle: 300 } });
    onTestFinished(() => idle.close());
    const text = await speak(idle.port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
  });

  it("A connection cannot be held by the body of a request that was answered before the body arrived", async () => {
    const head = "GET /api/users HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
    expect(await speak(server.port, head, ...drip("x"))).toMatch(/^HTTP\/1.1 400 /);
  });

  it("A request that arrived while the event loop was blocked is not late", async () => {
    const patient = await serveFake(undefined, { timeouts: { ...deadlines, headers: 600_000 } });
    const accepted = nextAccepted();
    const head = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    // Blocks until a check is due, and ends with a clock that is past the deadline.
    const busy = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * deadlines.check);
      vi.spyOn(performance, "now").mockReturnValue(performance.now() + 1_200_000);
    };
    onTestFinished(async () => {
      vi.restoreAllMocks();
      await patient.close();
    });
    // The client may learn that it is connected later in the turn in which the server does.
    const connected = () => accepted.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    expect(await speak(patient.port, connected, head, busy)).toMatch(/^HTTP\/1.1 200 /);
  });

  it("A request that was refused as too late is not executed when its rest arrives", async () => {
    const body = JSON.stringify({ recipients: [2], message: "Hello" });
    const rest = async () => {
      await expect.poll(() => server.logs.at(-1)).toMatchObject({ message: "request refused", address: "127.0.0.1" });
    };
    server.logs.length = 0;
    refused(await speak(server.port, `${post(body.length)}\r\n`, body.slice(0, -1), rest, body.slice(-1)));
    server.logs.length = 0;
    refused(await speak(server.port, post(body.length), rest, `\r\n${body}`));
  });

  it("A body that waits for its turn is not late", async () => {
    const first = gate();
    const busy = await serveFake(() => first.opened.then(() => ({ id: 7, conversationId: 5 })), {
      // Long enough for 1.5 MB on a busy machine.
      timeouts: { ...deadlines, body: 2000 },
      admit: async () => 1,
    });
    const body = JSON.stringify({ recipients: [2], message: "x".repeat(1_500_000) });
    const send = () => speak(busy.port, `${post(body.length)}Connection: close\r\n\r\n`, body);
    const one = send();
    await expect.poll(() => busy.calls.length).toBe(1);
    const two = send();
    // Meanwhile, a sender that is slow itself is ended.
    expect(await speak(busy.port, `${post(1000)}\r\n`)).toContain(late);
    first.open();
    expect((await Promise.all([one, two])).map((text) => text.slice(9, 12))).toEqual(["201", "201"]);
    await busy.close();
  });
});
