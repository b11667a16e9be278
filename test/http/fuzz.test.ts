import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../src/http/client/client.ts";
import { tries } from "../support/effort.ts";
import { statusLine, undocumentedStatuses } from "../support/undocumented-statuses.ts";
import { type Fake, operations, serveFake, speak, usualAnswer } from "./support.ts";

let server: Fake;
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => rejections.push(reason);
beforeAll(async () => {
  process.on("unhandledRejection", onRejection);
  // Some nonsense is a request that waits for more: it ends by its time-out.
  server = await serveFake(usualAnswer, { timeouts: { headers: 1000, idle: 1000, stall: 1000, check: 100 } });
});
afterAll(async () => {
  process.off("unhandledRejection", onRejection);
  await server.close();
});

const words = fc.constantFrom(
  ...new Set(
    operations.flatMap((op) => op.path.split("/").slice(1)).map((word) => (word.startsWith("{") ? "5" : word)),
  ),
);
const segment = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 1, arbitrary: fc.webSegment() },
  { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{0,8}$/) },
);
const path = fc.array(segment, { maxLength: 5 }).map((segments) => segments.join("/"));
const method = fc.constantFrom("GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS", "TRACE", "PURGE", "QUERY");
const value = fc.stringMatching(/^[!-~]{0,20}$/);
const headers = fc.record(
  {
    authorization: fc.oneof(
      value,
      value.map((token) => `Bearer ${token}`),
    ),
    "content-type": fc.oneof(fc.constant("application/json"), value),
    "content-encoding": value,
    "idempotency-key": value,
    "dry-run": fc.oneof(fc.constantFrom("true", "false"), value),
    "x-request-id": value,
    "x-forwarded-for": value,
  },
  { requiredKeys: [] },
);
const body = fc.option(fc.oneof(fc.json(), fc.string(), fc.constantFrom("{}", '{"__proto__":1}', "[", "null")), {
  nil: undefined,
});

test("any request gets an answer in the documented format", async () => {
  const client = createClient({ url: server.url, userAgent: "test", env: {} });
  const request = fc.record({ method, path, query: fc.oneof(fc.webQueryParameters(), value), headers, body });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, headers, body }) => {
      const answer = await client.raw(method, `/${path.replaceAll("://", "")}`, {
        query,
        headers,
        ...(body !== undefined && { body }),
      });
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers["x-request-id"]).toBeTruthy();
      if (answer.status < 400 || method === "HEAD") return;
      const { error } = JSON.parse(answer.body.toString());
      expect([typeof error.code, typeof error.message, error.request_id]).toEqual([
        "string",
        "string",
        answer.headers["x-request-id"],
      ]);
      if (answer.status === 405) expect(answer.headers.allow).toBeTruthy();
    }),
    { numRuns: tries(1500) },
  );
  await client.close();
  expect(rejections).toEqual([]);
  expect(await undocumentedStatuses(new Set(server.logs.map(statusLine)))).toEqual([]);
});

test("any bytes on a connection get an HTTP answer in the documented format, or none", async () => {
  const line = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.tuple(method, path).map(([method, path]) => `${method} /api/${path} HTTP/1.1\r\nHost: x`),
    fc.constantFrom(
      "Host: x",
      "Content-Length: 3",
      "Content-Length: -1",
      "Transfer-Encoding: chunked",
      "Expect: 100-continue",
      "Connection: upgrade\r\nUpgrade: websocket",
      "",
      "3\r\nabc",
      "0\r\n",
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const text = await speak(server.port, `${lines.join("\r\n")}\r\n\r\n`, "x y z\r\n\r\n".repeat(2));
      for (const status of text.matchAll(/^HTTP\/1.1 (\d+)/gm)) expect(Number(status[1])).toBeLessThan(500);
      for (const part of text
        .split("HTTP/1.1 ")
        .filter((part) => /^[45]/.test(part) && !/^content-length: 0/im.test(part))) {
        expect(part).toMatch(/x-request-id: /i);
      }
    }),
    { numRuns: tries(150) },
  );
  expect(rejections).toEqual([]);
});
