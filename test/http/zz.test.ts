import fc from "fast-check";
import { test } from "vitest";
import { serveFake, speak } from "./support.ts";
test("find", async () => {
  const server = await serveFake(() => ({ id: 1 }), { timeouts: { headers: 1500, idle: 1500, stall: 1500, check: 100 } });
  const path = fc.constantFrom("users", "users/5", "nope", "renew");
  const method = fc.constantFrom("GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS", "TRACE", "PURGE", "QUERY");
  const line = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.tuple(method, path).map(([method, path]) => `${method} /api/${path} HTTP/1.1\r\nHost: x`),
    fc.constantFrom("Host: x", "Content-Length: 3", "Content-Length: -1", "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: upgrade\r\nUpgrade: websocket", "", "3\r\nabc", "0\r\n"),
  );
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const t = performance.now();
      const out = await speak(server.port, `${lines.join("\r\n")}\r\n\r\n`, "x y z\r\n\r\n".repeat(2));
      if (performance.now() - t > 700 && n++ < 6) console.log(performance.now() - t, JSON.stringify(lines), "=>", JSON.stringify(out));
    }),
    { numRuns: 1500 },
  );
}, 100000);
