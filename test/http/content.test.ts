import { randomBytes } from "node:crypto";
import http from "node:http";
import type { Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import type { Content } from "../../src/contract/file-schemas.ts";
import { files } from "../../src/contract/files.ts";
import { createClient } from "../../src/http/client/client.ts";
import { tries } from "../support/effort.ts";
import { contentOf, type Fake, gate, serveFake } from "./support.ts";

let server: Fake;
let content: Content;
let failure: ServiceError | undefined;
const standard = contentOf("0123456789");
const etag = `"${standard.sha256}"`;
beforeAll(async () => {
  server = await serveFake(() => {
    if (failure) throw failure;
    return content;
  });
});
afterAll(() => server.close());
beforeEach(() => {
  content = standard;
  failure = undefined;
});

const get = (headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${server.url}/api/files/7`, { method, headers });
const header = async (name: string, of: Partial<Content>) => {
  content = { ...standard, ...of };
  return (await get()).headers.get(name);
};

describe("the headers of a content", () => {
  test("name its type, size, ETag and file name", async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      "content-disposition": "attachment; filename=\"hello.txt\"; filename*=UTF-8''hello.txt",
      "content-length": "10",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      etag,
    });
    expect(await response.text()).toBe("0123456789");
  });

  test("are the same for HEAD, which reads nothing and ignores ranges", async () => {
    let reads = 0;
    content = {
      ...standard,
      async *read() {
        reads += 1;
        yield Buffer.from("0123456789");
      },
    };
    const response = await get({ range: "bytes=0-1" }, "HEAD");
    expect([response.status, response.headers.get("content-length"), response.headers.get("etag")]).toEqual([
      200,
      "10",
      etag,
    ]);
    expect(await response.text()).toBe("");
    // A read for HEAD would have begun before that of the next request.
    expect(await (await get()).text()).toBe("0123456789");
    expect(reads).toBe(1);
  });

  test("let browsers show raster images and PDFs, and save everything else", async () => {
    const way = async (mime: string) => (await header("content-disposition", { mime }))?.split(";")[0];
    for (const mime of ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "application/pdf"])
      expect(await way(mime), mime).toBe("inline");
    for (const mime of [
      "image/svg+xml",
      "text/html",
      "text/plain",
      "application/xml",
      "application/octet-stream",
      "video/mp4",
      "text/html;image/png",
      "image/png+xml",
    ])
      expect(await way(mime), mime).toBe("attachment");
    // The extension in which browsers show a PDF does not load in a sandbox.
    expect(await header("content-security-policy", { mime: "image/png" })).toBe("default-src 'none'; sandbox");
    expect(await header("content-security-policy", { mime: "application/pdf" })).toBeNull();
  });

  test("have the name in ASCII and with all characters (RFC 6266, RFC 8187)", async () => {
    const said = (name: string) => header("content-disposition", { name });
    expect(await said('a"b\\c%41.txt')).toBe(
      "attachment; filename=\"a_b_c_41.txt\"; filename*=UTF-8''a%22b%5Cc%2541.txt",
    );
    expect(await said("Året's (1)*.pdf")).toBe(
      "attachment; filename=\"Aret's (1)*.pdf\"; filename*=UTF-8''%C3%85ret%27s%20%281%29%2A.pdf",
    );
    expect(await said("．．／etc／passwd")).toBe(
      "attachment; filename=\"___etc_passwd\"; filename*=UTF-8''%EF%BC%8E%EF%BC%8E%EF%BC%8Fetc%EF%BC%8Fpasswd",
    );
    expect(await said("日本.png")).toBe("attachment; filename=\"__.png\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.png");
  });
});

describe("ranges and conditions", () => {
  test.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["bytes=9-9", 206, "9", "bytes 9-9/10"],
    ["BYTES= 1-2 ", 206, "12", "bytes 1-2/10"],
    ["bytes=10-", 416, undefined, "bytes */10"],
    ["bytes=10-12", 416, undefined, "bytes */10"],
    ["bytes=-0", 416, undefined, "bytes */10"],
    ["bytes=5-4", 200, "0123456789", null],
    ["bytes=0-1,4-5", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["bytes=a-b", 200, "0123456789", null],
    ["lines=0-1", 200, "0123456789", null],
    ["bytes=0-99999999999999999999", 200, "0123456789", null],
  ])("Range: %s", async (range, status, body, contentRange) => {
    const response = await get({ range });
    expect([response.status, response.headers.get("content-range")]).toEqual([status, contentRange]);
    const text = await response.text();
    if (body !== undefined) expect([text, response.headers.get("content-length")]).toEqual([body, String(body.length)]);
    else expect(JSON.parse(text).error.code).toBe("range_not_satisfiable");
  });

  test("If-Range with another tag, or with a date, gets everything", async () => {
    const status = async (condition: string) => (await get({ range: "bytes=0-0", "if-range": condition })).status;
    expect(await status(etag)).toBe(206);
    expect(await status('"other"')).toBe(200);
    expect(await status(`W/${etag}`)).toBe(200);
    expect(await status("Sat, 21 Nov 2026 08:00:00 GMT")).toBe(200);
  });

  test("If-None-Match with the tag, alone or among others, gets 304 without a body", async () => {
    for (const tags of [etag, `"x", ${etag}`, `W/${etag}`, "*"]) {
      const response = await get({ "if-none-match": tags });
      expect([response.status, response.headers.get("etag"), await response.text()], tags).toEqual([304, etag, ""]);
      expect(response.headers.get("cache-control"), tags).toBe("private, no-cache");
    }
    expect((await get({ "if-none-match": '"x"' })).status).toBe(200);
  });
});

describe("If-Match", () => {
  test.each([
    [etag, 200],
    [`"x", ${etag}`, 200],
    ["*", 200],
    ['"x"', 412],
    [`W/${etag}`, 412],
  ])("%s: status %i", async (tags, status) => {
    const response = await get({ "if-match": tags, range: "bytes=0-" });
    expect(response.status).toBe(status === 200 ? 206 : status);
    expect(response.headers.get("etag")).toBe(etag);
    if (status === 412) expect(JSON.parse(await response.text()).error.code).toBe("precondition_failed");
  });

  test("with another tag comes before If-None-Match", async () => {
    expect((await get({ "if-match": '"x"', "if-none-match": etag })).status).toBe(412);
    expect((await get({ "if-match": etag, "if-none-match": etag })).status).toBe(304);
  });
});

describe("the client", () => {
  const bytes = randomBytes(700_000);
  const large = contentOf("", { size: bytes.length });
  const whole = {
    ...large,
    read: async function* (from?: number, to?: number) {
      for (let at = from ?? 0; at < (to ?? bytes.length); at += 65_536)
        yield bytes.subarray(at, Math.min(at + 65_536, to ?? bytes.length));
    },
  };
  const client = () => createClient({ url: server.url, userAgent: "test", env: {}, timeout: 20_000 });
  const collect = async (parts: AsyncIterable<Uint8Array>) => {
    const chunks: Uint8Array[] = [];
    for await (const part of parts) chunks.push(part);
    return Buffer.concat(chunks);
  };

  test("reads any range, and the whole content more than once", async () => {
    content = whole;
    const caller = client();
    const got = await caller.call(files.get, { id: 7 });
    expect(got).toMatchObject({ name: "hello.txt", mime: "text/plain", size: bytes.length, sha256: large.sha256 });
    expect((await collect(got.read())).equals(bytes)).toBe(true);
    expect((await collect(got.read())).equals(bytes)).toBe(true);
    const place = fc.integer({ min: 0, max: bytes.length });
    await fc.assert(
      fc.asyncProperty(place, place, async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect((await collect(got.read(from, to))).equals(bytes.subarray(from, to))).toBe(true);
      }),
      { numRuns: tries(25) },
    );
    await caller.close();
  });

  test("continues a download that broke off", async () => {
    let breaks = 5;
    content = {
      ...large,
      async *read(from = 0, to = bytes.length) {
        yield bytes.subarray(from, Math.min(from + 100_000, to));
        if (breaks-- > 0) throw new Error("broken");
        yield bytes.subarray(Math.min(from + 100_000, to), to);
      },
    };
    const caller = client();
    const got = await caller.call(files.get, { id: 7 });
    expect((await collect(got.read())).equals(bytes)).toBe(true);
    expect(breaks).toBeLessThan(0);
    await caller.close();
  });

  test("does not continue with another file that replaced the first one", async () => {
    const caller = client();
    const got = await caller.call(files.get, { id: 7 });
    expect((await collect(got.read())).toString()).toBe("0123456789");
    content = contentOf("abcdefghij");
    for (const [from, to] of [[], [2, 5]]) {
      await expect(collect(got.read(from, to))).rejects.toMatchObject({ code: "unavailable" });
    }
    await caller.close();
  });

  test("does not take the whole file for the requested part, and ends that answer", async () => {
    const headers = { etag, "content-length": "10" };
    const proxy = http.createServer((_, response) => response.writeHead(200, headers).end("0123456789")).listen(0);
    // Only the client ends connections that it keeps.
    proxy.keepAliveTimeout = 600_000;
    const sockets: Socket[] = [];
    proxy.on("connection", (socket) => sockets.push(socket));
    const { port } = proxy.address() as { port: number };
    const caller = createClient({ url: `http://127.0.0.1:${port}`, userAgent: "test", env: {} });
    const got = await caller.call(files.get, { id: 7 });
    await expect(collect(got.read(2, 5))).rejects.toMatchObject({ code: "unavailable" });
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, true, true]);
    await caller.close();
    proxy.close();
  });

  test("gives up when repeated attempts make no progress", async () => {
    let reads = 0;
    content = {
      ...large,
      async *read(from = 0) {
        reads += 1;
        if (from < 100_000) yield bytes.subarray(from, 100_000);
        throw new Error("broken");
      },
    };
    const caller = client();
    const got = await caller.call(files.get, { id: 7 });
    await expect(collect(got.read())).rejects.toMatchObject({ code: "unavailable" });
    // The first one made progress.
    expect(reads).toBe(4);
    await caller.close();
  });

  test("throws the service's error, and an error for an answer that is not of the service", async () => {
    let status = 200;
    let headers: Record<string, string> = {};
    const proxy = http.createServer((_, response) => response.writeHead(status, headers).end("<html>Welcome"));
    const { port } = proxy.listen(0).address() as { port: number };
    const elsewhere = createClient({ url: `http://127.0.0.1:${port}`, userAgent: "test", env: {} });
    for ([status, headers] of [
      [200, {}],
      [200, { etag, "transfer-encoding": "chunked" }],
      [200, { "content-length": "13" }],
      [404, { etag, "content-length": "13" }],
    ] as [number, Record<string, string>][]) {
      await expect(elsewhere.call(files.get, { id: 7 })).rejects.toMatchObject({ code: "unavailable" });
    }
    await elsewhere.close();
    proxy.close();
    const caller = client();
    failure = new ServiceError("gone", "Event 3 was deleted.");
    const refused = { code: "gone", message: "Event 3 was deleted." };
    await expect(caller.call(files.get, { id: 7 })).rejects.toMatchObject(refused);
    await caller.close();
  });

  test("asks for any type, and takes a file whose headers do not describe it", async () => {
    const asked: unknown[] = [];
    const names = {
      "": "",
      "inline; filename*=UTF-8''%ff": "",
      "inline; filename*=UTF-8''a%20b.txt; size=10": "a b.txt",
    };
    const dispositions = Object.keys(names);
    const proxy = http.createServer((request, response) => {
      const said = { "content-disposition": dispositions[asked.length] };
      asked.push([request.headers.accept, request.headers.range]);
      response.writeHead(200, { etag, "content-length": "10", ...said }).end("0123456789");
    });
    const { port } = proxy.listen(0).address() as { port: number };
    const caller = createClient({ url: `http://127.0.0.1:${port}`, userAgent: "test", env: {} });
    for (const name of Object.values(names)) {
      const got = await caller.call(files.get, { id: 7 });
      expect(got).toMatchObject({ name, mime: "application/octet-stream", sha256: standard.sha256 });
      expect((await collect(got.read(0, 10))).toString()).toBe("0123456789");
    }
    expect(asked).toEqual(Array(3).fill(["*/*", undefined]));
    await caller.close();
    proxy.close();
  });

  test("goes on after two attempts without progress when the third makes some", async () => {
    let attempts = 0;
    const proxy = http.createServer((request, response) => {
      attempts += 1;
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const status = request.headers.range === undefined ? 200 : 206;
      response.writeHead(status, { etag, "content-length": 10 - from }).flushHeaders();
      const end = () => response.destroy();
      if (attempts % 3 === 0) response.write("0123456789".slice(from, from + 5), end);
      else setImmediate(end);
    });
    const { port } = proxy.listen(0).address() as { port: number };
    const caller = createClient({ url: `http://127.0.0.1:${port}`, userAgent: "test", env: {} });
    const got = await caller.call(files.get, { id: 7 });
    expect((await collect(got.read())).toString()).toBe("0123456789");
    expect(attempts).toBe(6);
    await caller.close();
    proxy.close();
  });

  test("ends the request when its reader stops", async () => {
    const stopped = gate();
    content = {
      ...large,
      size: 1e9,
      async *read() {
        try {
          for (;;) yield bytes.subarray(0, 65_536);
        } finally {
          stopped.open();
        }
      },
    };
    const caller = client();
    const got = await caller.call(files.get, { id: 7 });
    for await (const _ of got.read()) break;
    await stopped.opened;
    await caller.close();
  });
});

test("a slow reader holds back the reading of the file", async () => {
  let given = 0;
  content = contentOf("", {
    size: 1e9,
    async *read() {
      for (;;) {
        given += 1;
        yield Buffer.alloc(1_000_000);
      }
    },
  });
  const agent = new http.Agent();
  const request = http.get(`${server.url}/api/files/7`, { agent });
  await new Promise<void>((resolve) => request.on("response", () => resolve()));
  // The reading is held back when it has not moved on since the last look.
  let before: number;
  do {
    before = given;
    await new Promise((resolve) => setTimeout(resolve, 20));
  } while (given !== before);
  expect(given).toBeLessThan(20);
  request.destroy();
  agent.destroy();
});

test("an error in the middle of a file closes the connection, so that the client does not take the part for the whole", async () => {
  content = contentOf("", {
    size: 10,
    async *read() {
      yield Buffer.from("01234");
      throw new Error("broken");
    },
  });
  const got = await get()
    .then((response) => response.text())
    .catch(() => "broken off");
  expect(got).toBe("broken off");
  expect(server.logs.at(-1)).toMatchObject({ level: "error", message: "the answer broke off" });
});
