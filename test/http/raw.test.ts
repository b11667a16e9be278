import { once } from "node:events";
import http, { STATUS_CODES } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Fake, gate, lastBody, nextAccepted, serveFake, speak } from "./support.ts";

let server: Fake;
beforeAll(async () => {
  server = await serveFake(() => ({ id: 7 }));
});
afterAll(() => server.close());
beforeEach(() => {
  server.calls.length = 0;
});

const shaped = (text: string, status: number) => {
  expect(text.split("\r\n", 1)).toEqual([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]);
  expect(text.toLowerCase()).toContain("content-type: application/json");
  // RFC 9110, section 6.6.1: a server with a clock sends the date in responses with 4xx.
  expect(text).toMatch(/^date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/im);
  const body = lastBody(text);
  expect(body).toEqual({
    error: { code: expect.any(String), message: expect.any(String), request_id: expect.any(String) },
  });
  expect(text.toLowerCase()).toContain(`x-request-id: ${body.error?.request_id}`);
};

describe("an invalid request gets an error in the usual format:", () => {
  test.each([
    ["nonsense", "hello\r\n\r\n", 400],
    ["a method in small letters", "get / HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["a space in the path", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["another version", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400],
    ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["two Hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n", 400],
    ["the same Host twice", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n", 400],
    ["a Host that is none", "GET /healthz HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n", 400],
    ["headers over the limit", `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`, 400],
    ["two lengths", "POST /api/renew HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400],
    [
      "length and chunks",
      "POST /api/renew HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "a wrong chunk",
      "POST /api/renew HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
    ],
    ["an expectation", "GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n", 400],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", 405],
    ["a path of stars", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400],
    ["a backslash", "GET /api\\users HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400],
  ])("%s, and a line in the log", async (_, text, status) => {
    const answer = await speak(server.port, text);
    shaped(answer, status);
    expect(server.calls).toEqual([]);
    const logged = { status, request_id: lastBody(answer).error?.request_id };
    expect(server.logs).toContainEqual(expect.objectContaining(logged));
  });

  test.each([
    ["The request is not valid HTTP.", "hello\r\n\r\n"],
    ["The headers of the request are too large.", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
  ])("with the reason: %s", async (reason, request) => {
    expect(lastBody(await speak(server.port, request)).error?.message).toBe(reason);
  });

  test("CONNECT gets the supported methods, and the connection is closed", async () => {
    const text = await speak(server.port, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n");
    const lines = text.split("\r\n");
    expect(lines).toContain("Allow: GET, HEAD, POST, PUT, PATCH, DELETE");
    expect(lines).toContain("Connection: close");
    expect(lines).toContain("Cache-Control: no-store");
    expect(lines).toContain("X-Content-Type-Options: nosniff");
    expect(lines).toContain(`Content-Length: ${text.split("\r\n\r\n")[1]?.length}`);
  });

  test("HTTP/1.0 without Host is valid", async () => {
    expect(await speak(server.port, "GET /healthz HTTP/1.0\r\n\r\n")).toContain('{"status":"ok"}');
  });

  test("an absolute URL as the target is valid", async () => {
    const text = await speak(
      server.port,
      "GET http://x/api/users/5?y=1#z HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    expect([text.slice(9, 12), server.calls.at(-1)?.input]).toEqual(["200", { id: 5, y: "1" }]);
    const withoutPath = "GET http://x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    expect(await speak(server.port, withoutPath)).toContain('href="/docs"');
  });

  test("another header with a name of four letters does not count as Host", async () => {
    const head = "GET /healthz HTTP/1.1\r\nHost: x\r\nFrom: y\r\nConnection: close\r\n\r\n";
    expect(await speak(server.port, head)).toContain('{"status":"ok"}');
  });

  test("escaped dots in a path are a value, and are not resolved", async () => {
    await speak(server.port, "GET /api/users/reference/%2E%2e HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(server.calls.at(-1)?.input).toMatchObject({ reference: ".." });
  });
});

describe("a body over the limit", () => {
  const head = (more: string) =>
    `POST /api/users/welcome HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;
  const chunk = `${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`;

  test("is refused by its length before it is sent, and the connection is closed", async () => {
    const text = await speak(server.port, head("Content-Length: 2000000"));
    shaped(text, 413);
  });

  test("is refused while its chunks arrive", async () => {
    const text = await speak(server.port, head("Transfer-Encoding: chunked"), ...Array<string>(15).fill(chunk));
    shaped(text, 413);
    expect(server.calls).toEqual([]);
  });

  test("leaves the connection usable after its end", async () => {
    const next = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    // At once, because the rest of a refused body has half a second to arrive.
    const text = await speak(server.port, `${head("Transfer-Encoding: chunked")}${chunk.repeat(11)}0\r\n\r\n${next}`);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  });
});

test("an empty body counts as none, in chunks as well", async () => {
  const head = "POST /api/users/policy HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n";
  const text = await speak(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
  expect([text.slice(9, 12), server.calls.at(-1)?.input]).toEqual(["204", {}]);
});

test("a connection can be used after errors", async () => {
  const bad = "POST /api/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{";
  const type = "POST /api/users HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
  const none = "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n";
  const wrong = "PUT /api/users HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
  const last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const text = await speak(server.port, bad + type + none + wrong + last);
  expect(text.match(/HTTP\/1.1 \d+/g)?.map((line) => line.slice(9))).toEqual(["400", "415", "404", "405", "200"]);
});

test("invalid bytes after a request close the connection, without an error inside the answer", async () => {
  const large = await serveFake(() => ({ data: "x".repeat(20_000_000) }));
  const accepted = nextAccepted();
  const socket = connect(large.port, "127.0.0.1").on("error", () => {});
  socket.write("GET /api/users/5 HTTP/1.1\r\nHost: x\r\n\r\n");
  const served = await accepted;
  await new Promise<void>((resolve) => socket.once("data", () => resolve(void socket.pause())));
  socket.write("nonsense\r\n\r\n");
  await expect.poll(() => served.destroyed).toBe(true);
  expect(large.logs.map(({ message }) => message)).toEqual(["request"]);
  socket.destroy();
  await large.close();
});

test("a body that breaks off does not reach the operation", async () => {
  const socket = connect(server.port, "127.0.0.1");
  const start = "POST /api/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{";
  socket.write(start, () => socket.destroy());
  await expect.poll(() => server.logs.at(-1)).toMatchObject({ route: "/users", status: 400 });
  expect(server.calls).toEqual([]);
});

describe("a slow connection is closed", () => {
  const quick = { headers: 200, idle: 100, body: 200, stall: 200, check: 50 };
  let strict: Fake;
  beforeAll(async () => {
    strict = await serveFake(() => ({ data: "x".repeat(20_000_000) }), { timeouts: quick });
  });
  afterAll(() => strict.close());

  test("when its headers do not arrive", async () =>
    shaped(await speak(strict.port, "GET / HTTP/1.1\r\nHost: x\r\n"), 400));
  test("when nothing arrives", async () => shaped(await speak(strict.port), 400));
  test("when its body does not arrive", async () => {
    const head = "POST /api/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n";
    shaped(await speak(strict.port, head, "{"), 400);
  });
  test("when its client does not read the answer", async () => {
    const accepted = nextAccepted();
    const socket = connect(strict.port, "127.0.0.1");
    socket.pause();
    socket.on("error", () => {});
    socket.write("GET /api/users/5 HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => strict.calls.length).toBe(1);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    // A paused socket does not notice that the server ends the connection.
    const served = await accepted;
    await expect.poll(() => served.destroyed).toBe(true);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(20_000_000);
  });
  test("but not while its client reads the answer slowly", async () => {
    const calm = await serveFake(() => ({ data: "x".repeat(20_000_000) }), { timeouts: { ...quick, stall: 1000 } });
    const socket = connect(calm.port, "127.0.0.1");
    socket.write("GET /api/users/5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    socket.on("data", () => {
      socket.pause();
      setTimeout(() => socket.resume(), 10);
    });
    await once(socket, "close");
    expect(socket.bytesRead).toBeGreaterThan(20_000_000);
    await calm.close();
  });
  test("but not while a body arrives that the answer did not need", async () => {
    const calm = await serveFake(undefined, { timeouts: { ...quick, body: 600_000 } });
    const socket = connect(calm.port, "127.0.0.1");
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.write("POST /api/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n");
    await expect.poll(() => text).toContain("HTTP/1.1 404");
    // The check that ends the other connection checks this one, too.
    await speak(calm.port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.write("abcGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => text).toContain('{"status":"ok"}');
    await calm.close();
  });
  test("but not by Node's own deadlines, which take minutes", async () => {
    // A request that shows it would take five minutes.
    const created = vi.spyOn(http, "createServer");
    const served = await serveFake();
    expect(created.mock.results[0]?.value).toMatchObject({ headersTimeout: 0, requestTimeout: 0 });
    created.mockRestore();
    await served.close();
  });
  test("but not while the service works", async () => {
    const worked = gate();
    const patient = await serveFake(() => worked.opened.then(() => ({ id: 1 })), { timeouts: quick });
    const response = fetch(`${patient.url}/api/users/5`);
    // Meanwhile, connections that are slow in any way are ended.
    for (const head of ["", "GET / HTTP/1.1\r\nHost: x\r\n"]) shaped(await speak(patient.port, head), 400);
    worked.open();
    expect((await response).status).toBe(200);
    await patient.close();
  });
});
