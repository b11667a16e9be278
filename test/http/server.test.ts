import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import { fieldOf } from "../../src/contract/field-spec.ts";
import { blockListOf, parseNetwork } from "../../src/http/server/client-address.ts";
import { listen } from "../../src/http/server/listen.ts";
import { createMetricsApp } from "../../src/http/server/metrics-endpoint.ts";
import { type Fake, gate, json, operations, serveFake, usualAnswer } from "./support.ts";

let server: Fake;
let answer: (() => unknown) | undefined;
beforeAll(async () => {
  server = await serveFake((call) => (answer ? answer() : usualAnswer(call)));
});
afterAll(() => server.close());
beforeEach(() => {
  answer = undefined;
  server.calls.length = 0;
  server.logs.length = 0;
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  fetch(server.url + path, json(body, headers));
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;
const lastCall = () => server.calls.at(-1);

describe("routes", () => {
  test("every operation is served with and without /api", async () => {
    const wrong: string[] = [];
    for (const op of operations) {
      for (const prefix of ["/api", ""]) {
        server.calls.length = 0;
        const path = prefix + op.path.replace(/\{[^}]+\}/g, "5");
        const response = await fetch(server.url + path, { method: op.method });
        if (response.status !== op.status || lastCall()?.op.name !== op.name) wrong.push(`${op.method} ${path}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("static segments take precedence over parameters", async () => {
    await get("/api/users/current");
    expect(lastCall()?.op.name).toBe("users.current");
    await get("/api/users/search?q=x");
    expect(lastCall()?.op.name).toBe("users.search");
  });

  test("HEAD answers like GET, without the body", async () => {
    const response = await fetch(`${server.url}/api/users/5`, { method: "HEAD" });
    expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([
      200,
      "",
      "application/json",
    ]);
    expect((await fetch(`${server.url}/api/nope`, { method: "HEAD" })).status).toBe(404);
  });

  test.each([
    ["PUT", "/api/users/5", "GET, HEAD, PATCH, DELETE", "unmatched"],
    ["OPTIONS", "/api/users", "GET, HEAD, POST", "unmatched"],
    ["GET", "/api/authenticate", "POST", "unmatched"],
    ["POST", "/healthz", "GET, HEAD", "unmatched"],
    ["PROPFIND", "/units/5", "GET, HEAD, PATCH, DELETE", "unmatched"],
    ["PATCH", "/api/events/upcoming", "GET, HEAD", "/events/upcoming"],
    ["GET", "/users/welcome", "POST", "/users/welcome"],
    ["OPTIONS", "/api/users/search", "GET, HEAD", "/users/search"],
    ["DELETE", "/conversations/5/messages/new", "GET, HEAD", "/conversations/{conversation}/messages/new"],
    ["POST", "/api/conversations/5/messages/new", "GET, HEAD", "/conversations/{conversation}/messages/new"],
    ["POST", "/units/reference/move", "GET, HEAD", "/units/reference/{unit}"],
  ])("%s %s is not allowed, and Allow says what is", async (method, path, allow, route) => {
    const response = await fetch(server.url + path, { method });
    expect([response.status, response.headers.get("allow"), await codeOf(response)]).toEqual([
      405,
      allow,
      "method_not_allowed",
    ]);
    expect(server.logs).toMatchObject([{ level: "info", method, route, status: 405 }]);
  });

  test("escaped characters of the path are decoded, and dots are never resolved", async () => {
    await get("/api/users/reference/a%2Fb%20%25");
    expect(lastCall()?.input).toMatchObject({ reference: "a/b %" });
    expect((await get("/api/users/reference/%ff")).status).toBe(400);
    expect((await get("/api/users/reference/%zz")).status).toBe(400);
  });
});

describe("the answer", () => {
  test("has the status of the operation, and the Location of a created resource", async () => {
    const response = await post("/api/users", {});
    expect([response.status, response.headers.get("location")]).toEqual([201, `${server.url}/api/users/7`]);
    expect(await response.json()).toEqual({ id: 7, name: "Ann" });
  });

  test("has the Location of a wrapped resource, too", async () => {
    answer = () => ({ data: { id: 3 } });
    const response = await post("/api/webhooks", {});
    expect([response.status, response.headers.get("location")]).toEqual([201, `${server.url}/api/webhooks/3`]);
  });

  test("must have the field that its Location names, or else it is an error", () => {
    const missing = operations.flatMap((op) => {
      const { fields = [] } = fieldOf("", op.output());
      const known = [...fields, ...(fields.find(({ name }) => name === op.item)?.fields ?? [])].map(({ name }) => name);
      const named = [...(op.location ?? "").matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      return named.filter((name) => !known.includes(name)).map((name) => `${op.name}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test("has a Location below base_url when that is set", async () => {
    const other = await serveFake(undefined, { baseUrl: async () => "https://wcs.example.com/x//" });
    const response = await fetch(`${other.url}/api/users`, json({}));
    expect(response.headers.get("location")).toBe("https://wcs.example.com/x/api/users/7");
    await other.close();
  });

  test("a change is not begun when base_url cannot be read for its Location", async () => {
    const baseUrl = async () => Promise.reject(new ServiceError("unavailable", "No database."));
    const other = await serveFake(undefined, { baseUrl });
    const response = await fetch(`${other.url}/api/users`, json({}));
    expect([response.status, other.calls]).toEqual([503, []]);
    await other.close();
  });

  test("is the JSON of the output, however long its lists are", async () => {
    const item = (at: number) => ({
      id: at,
      name: `${at} ${"Zoë 🎉 ".repeat(1000)}`,
      tags: Array.from({ length: at % 40 }, String),
      gone: undefined,
    });
    const list = (length: number) => Array.from({ length }, (_, at) => item(at));
    const outputs = [
      ...[0, 1, 25, 26, 50, 51, 200].map((length) => ({ data: list(length), meta: { next_cursor: null } })),
      {
        gone: undefined,
        total: 26,
        'a "name"': null,
        first: list(26),
        second: list(3),
        third: [undefined, ...list(30)],
      },
      list(60),
    ];
    for (const output of outputs) {
      answer = () => output;
      const response = await get("/api/users");
      const text = await response.text();
      expect(text).toBe(JSON.stringify(output));
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    }
  });

  test("has no body with status 204", async () => {
    const response = await post("/api/users/policy", {});
    expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([204, "", null]);
  });

  test("has headers against caching and type guessing, and says how long its connection may stay idle", async () => {
    const { headers } = await get("/api/users/5");
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "keep-alive": "timeout=65",
    });
  });

  test("has the ID of the request when that is valid, else a new one", async () => {
    expect((await get("/api/users/5", { "x-request-id": "a.b:c-1" })).headers.get("x-request-id")).toBe("a.b:c-1");
    for (const wrong of ["a b", "x".repeat(129)]) {
      const made = (await get("/nope", { "x-request-id": wrong })).headers.get("x-request-id");
      expect(made).toMatch(/^[0-9a-f-]{36}$/);
    }
    const failed = await get("/nope", { "x-request-id": "mine" });
    expect(await failed.json()).toMatchObject({ error: { request_id: "mine" } });
  });
});

describe("the call of the core", () => {
  test.each([
    ["Bearer abc.d-e_f~+/==", "abc.d-e_f~+/=="],
    ["bearer   abc", "abc"],
    [undefined, undefined],
  ])("the token of %s", async (authorization, token) => {
    await get("/api/users/5", authorization ? { authorization } : {});
    expect(lastCall()?.origin.token).toBe(token);
  });

  test.each(["abc", "Basic abc", "xBearer abc", "Bearer", "Bearer a b", "Bearer ä"])(
    "Authorization %j is refused",
    async (authorization) => {
      const response = await get("/api/users/5", { authorization: Buffer.from(authorization).toString("latin1") });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
      expect(server.calls).toEqual([]);
    },
  );

  test("ignores an invalid Authorization header for a public operation", async () => {
    await post("/api/password/request", {}, { authorization: "Basic abc" });
    expect(lastCall()?.op.name).toBe("auth.passwordRequest");
  });

  test("has the client's address; behind a proxy, the one that the proxy reports", async () => {
    await get("/api/users/5", { "x-forwarded-for": "9.9.9.9" });
    expect(lastCall()?.origin.address).toBe("127.0.0.1");
    const other = await serveFake(undefined, { trustedProxies: blockListOf([parseNetwork("127.0.0.0/8")!]) });
    const headers = { "x-forwarded-for": "6.6.6.6, 2001:db8::9", "user-agent": "a browser" };
    await fetch(`${other.url}/api/users/5`, { headers });
    // Rate limits count the network, since a client has all of its addresses.
    const { address, network, userAgent, servedAt } = other.calls.at(-1)!.origin;
    expect([address, network, userAgent]).toEqual(["2001:db8::9", "2001:db8::/64", "a browser"]);
    expect(servedAt).toBe(other.url);
    await other.close();
  });

  test("has the Idempotency-Key of a POST", async () => {
    for (const key of ["k1", "x".repeat(255)]) {
      await post("/api/users", {}, { "idempotency-key": key });
      expect(lastCall()?.origin.idempotencyKey).toBe(key);
    }
    for (const key of ["a b", "x".repeat(256), "ä"]) {
      const response = await post("/api/users", {}, { "idempotency-key": key });
      expect([key.length, response.status, await codeOf(response)]).toEqual([key.length, 400, "bad_request"]);
    }
    await fetch(`${server.url}/api/users/5`, { ...json({}, { "idempotency-key": "a b" }), method: "PATCH" });
    expect(lastCall()).toMatchObject({ op: { name: "users.update" }, origin: { idempotencyKey: undefined } });
  });

  test("has Dry-Run, which the answer confirms; another value is refused", async () => {
    const response = await post("/api/users", {}, { "dry-run": "true" });
    expect([response.headers.get("dry-run"), lastCall()?.origin.dryRun]).toEqual(["true", true]);
    for (const headers of [undefined, { "dry-run": "false" }]) {
      const real = await post("/api/users", {}, headers);
      expect([real.status, real.headers.get("dry-run")]).toEqual([201, null]);
      expect(lastCall()?.origin.dryRun).toBe(false);
    }
    server.calls.length = 0;
    const refused = await post("/api/users", {}, { "dry-run": "yes" });
    expect([refused.status, refused.headers.get("dry-run"), server.calls]).toEqual([400, null, []]);
  });

  test("has a signal that is aborted when the client leaves", async () => {
    const aborted = gate();
    const asked = gate();
    answer = () => {
      lastCall()!.origin.signal!.addEventListener("abort", aborted.open);
      asked.open();
      return aborted.opened;
    };
    const controller = new AbortController();
    const response = fetch(`${server.url}/api/users/5`, { signal: controller.signal });
    await asked.opened;
    controller.abort();
    await expect(response).rejects.toThrow();
    await aborted.opened;
  });
});

describe("a body", () => {
  test.each(["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])(
    "of type %s",
    async (type) => {
      const response = await post("/api/users/welcome", '{"users":[1]}', { "content-type": type });
      expect([response.status, lastCall()?.input]).toEqual([204, { users: [1] }]);
    },
  );

  test.each([
    "text/plain",
    "application/vnd.api+json",
    "application/json; charset=latin1",
    "application/json; charset=utf-8x",
    "application/json; charsets=utf-8",
    "application/jsonx",
    "",
  ])("of type %j is refused", async (type) => {
    const response = await post("/api/users/welcome", "{}", { "content-type": type });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([415, "unsupported_media_type"]);
    expect(error.message).toContain("application/json; charset=utf-8");
  });

  test("that is compressed is refused", async () => {
    expect((await post("/api/users/welcome", "{}", { "content-encoding": "gzip" })).status).toBe(415);
    expect((await post("/api/users/welcome", "{}", { "content-encoding": "identity" })).status).toBe(204);
  });

  test("may be missing, whatever type is announced", async () => {
    for (const type of ["text/plain", "application/json"]) {
      const response = await fetch(`${server.url}/api/users/policy`, {
        method: "POST",
        headers: { "content-type": type },
      });
      expect(response.status).toBe(204);
    }
  });

  test.each(["{", "", '{"a":1}x', "nul"])(
    "that is not JSON (%j) is refused, and an empty one counts as none",
    async (text) => {
      const response = await post("/api/users/welcome", text);
      expect(response.status).toBe(text === "" ? 204 : 400);
    },
  );

  test("that is not UTF-8 is refused", async () => {
    const bytes = Buffer.concat([Buffer.from('{"users":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const response = await fetch(`${server.url}/api/users/welcome`, { ...json(""), body: bytes });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "bad_request", message: "The body must be UTF-8." } });
  });

  test("is not repeated in the error, since it may hold a password", async () => {
    const response = await post("/api/authenticate", '{"password": hunter2}');
    expect([response.status, (await response.text()).includes("hunter2")]).toEqual([400, false]);
  });

  const long = "x".repeat(1_048_576);
  test.each([
    ["with names beside them", `{"rows":["${long}",{"ä":"${long}b"}],"dry_run":false}`],
    ["with escapes", `{"rows":["${long}","a\\"b\\u00000","\\\\${long}"]}`],
    ["of space behind an escaped quote", `{"rows":["\\"",${" ".repeat(1_048_576)}"b","${long}","\\""]}`],
    ["of several bytes a letter", `{"rows":["ü${long}","${long}"]}`],
    ["and the same field twice", `{"rows":"${long}a","rows":"${long}b"}`],
    ["as names", `{"rows":[{"${long}":"${long}","__proto__":1}]}`],
    ["beside many values", `{"rows":["${long}",[${Array(40_000).fill(1)}]]}`],
  ])("with long texts %s is read as JSON", async (_, text) => {
    const response = await post("/api/users/import", text);
    expect(response.status).toBe(200);
    // A difference would be printed as megabytes.
    expect(JSON.stringify(server.calls.at(-1)?.input) === JSON.stringify(JSON.parse(text))).toBe(true);
  });

  test.each([`{"rows":["${long}"]`, `{"rows":["${long}]}`, `{"rows":["${long}"x]}`, `["${long}"]"`])(
    "with long texts that is not JSON is refused (%#)",
    async (text) => expect((await post("/api/users/import", text)).status).toBe(400),
  );

  test("over the limit of its operation is refused", async () => {
    const large = JSON.stringify({ rows: ["x".repeat(2 * 1024 * 1024)] });
    expect((await post("/api/users/import", large)).status).toBe(200);
    const response = await post("/api/users/welcome", large);
    expect([response.status, await codeOf(response)]).toEqual([413, "payload_too_large"]);
  });

  test.each([
    ["with a length", (body: string) => post("/api/users/welcome", body)],
    [
      "in chunks",
      (body: string) => {
        const chunks = ReadableStream.from([Buffer.from(body)]) as ReadableStream<Uint8Array>;
        return fetch(`${server.url}/api/users/welcome`, { ...json(""), body: chunks, duplex: "half" });
      },
    ],
  ])("%s may have as many bytes as the limit", async (_, send) => {
    const largest = JSON.stringify({ users: "x".repeat(1_048_576 - '{"users":""}'.length) });
    const statuses = [(await send(largest)).status, (await send(`${largest} `)).status];
    expect(statuses).toEqual([204, 413]);
  });

  test("is refused with GET and DELETE, whose fields are in the query", async () => {
    const response = await fetch(`${server.url}/api/units/5`, { ...json({ transfer: 3 }), method: "DELETE" });
    expect([response.status, server.calls.length]).toEqual([400, 0]);
  });
});

describe("errors", () => {
  test("of the core keep code, message and fields, and nothing else of them is sent", async () => {
    const cause = new Error("SELECT secret");
    answer = () => {
      throw new ServiceError("validation_failed", "No.", { fields: { a: ["b"] }, hint: "hint", cause });
    };
    const response = await get("/api/users/5", { "x-request-id": "r" });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      error: {
        code: "validation_failed",
        message: "No.",
        request_id: "r",
        fields: { a: ["b"] },
        issues: [{ field: "a", code: "invalid" }],
      },
    });
  });

  test("with status 401 name the scheme, and say when the token that was sent is invalid", async () => {
    answer = () => {
      throw new ServiceError("unauthenticated", "Sign in.");
    };
    expect((await get("/api/users/5")).headers.get("www-authenticate")).toBe("Bearer");
    expect((await get("/api/users/5", { authorization: "Bearer x" })).headers.get("www-authenticate")).toBe(
      'Bearer error="invalid_token"',
    );
  });

  test.each([
    ["too_many_requests", 2.2, "3"],
    ["unavailable", undefined, "5"],
    ["unavailable", 0, "1"],
    ["conflict", undefined, null],
    ["conflict", 7, "7"],
    ["internal", undefined, null],
  ] as const)("%s with %s s to wait has Retry-After %s", async (code, retryAfter, header) => {
    answer = () => {
      throw new ServiceError(code, "No.", retryAfter === undefined ? {} : { retryAfter });
    };
    expect((await get("/api/users/5")).headers.get("retry-after")).toBe(header);
  });

  test("unavailable with a hint, a step that somebody has to take before, has Retry-After 60", async () => {
    answer = () => {
      throw new ServiceError("unavailable", "PostgreSQL rejected the password.", { hint: "Set another password." });
    };
    expect((await get("/api/users/5")).headers.get("retry-after")).toBe("60");
  });

  test("that are unexpected are logged with their stack, and the answer has only the ID of the request", async () => {
    const error = new Error("SELECT password FROM /var/lib");
    answer = () => {
      throw error;
    };
    const response = await get("/api/users/5");
    const text = await response.text();
    expect([response.status, text.includes("SELECT"), text.includes("/var")]).toEqual([500, false, false]);
    const logged = server.logs.find(({ level }) => level === "error");
    expect(logged).toMatchObject({
      err: error,
      request_id: response.headers.get("x-request-id"),
      route: "/users/{id}",
      message: "The service failed; its log has the details under this request ID.",
    });
  });

  test.each([
    [new Error("connect ECONNREFUSED 127.0.0.1:5432"), "connect ECONNREFUSED 127.0.0.1:5432"],
    [Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    [Object.assign(new Error("terminating connection"), { code: "57P01" }), "terminating connection"],
    [undefined, "No."],
  ])("that are outages are logged with their reason, without a stack (%s)", async (cause, reason) => {
    answer = () => {
      throw new ServiceError("unavailable", "No.", { cause });
    };
    expect((await get("/api/users/5")).status).toBe(503);
    const logged = server.logs.filter(({ level }) => level === "error");
    expect(logged).toEqual([expect.objectContaining({ reason, message: "No." })]);
    expect(logged[0]).not.toHaveProperty("err");
  });

  test.each(["23505", "25P03", "40P01", "55P03", "57014"])(
    "that the database has with a statement are logged with their stack, also when the caller may try again (%s)",
    async (code) => {
      const cause = Object.assign(new Error("deadlock detected"), { code });
      answer = () => {
        throw new ServiceError("unavailable", "The database is busy; try again.", { retryAfter: 1, cause });
      };
      expect((await get("/api/users/5")).status).toBe(503);
      expect(server.logs.find(({ level }) => level === "error")).toMatchObject({ err: cause });
    },
  );

  test("that occur while an answer is written are logged as well", async () => {
    answer = () => ({ id: 1n });
    expect((await get("/api/users/5")).status).toBe(500);
    answer = () => ({});
    expect((await post("/api/users", {})).status).toBe(500);
  });
});

describe("the log", () => {
  test("has one line per request, with the route instead of the path", async () => {
    answer = () => {
      const { op, origin } = lastCall()!;
      if (op.access !== "public") origin.onIdentified?.(7);
      return usualAnswer(lastCall()!);
    };
    await get("/api/users/reference/hidden-1?hidden=2", { "x-request-id": "r", authorization: "Bearer hidden3" });
    await post("/api/authenticate", { password: "hidden4" });
    await get("/hidden5");
    await get("/api/usertypes/5");
    expect(server.logs).toMatchObject([
      {
        level: "info",
        method: "GET",
        route: "/users/reference/{reference}",
        status: 200,
        request_id: "r",
        ms: expect.any(Number),
        address: "127.0.0.1",
        actor: 7,
      },
      { level: "info", method: "POST", route: "/authenticate", status: 200, actor: null },
      { level: "info", method: "GET", route: "unmatched", status: 404, address: "127.0.0.1", actor: null },
      { method: "GET", route: "/usertypes/{userType}", status: 200 },
    ]);
    expect(JSON.stringify(server.logs)).not.toContain("hidden");
  });
});

describe("probes", () => {
  test.each(["/healthz", "/readyz", "/api/healthz", "/api/readyz"])("%s", async (path) => {
    expect(await (await get(path)).json()).toEqual({ status: "ok" });
    expect(server.logs).toMatchObject([{ level: "debug", route: path.replace("/api", ""), status: 200 }]);
  });

  test.each([
    ["is not ready", async () => false, "The service cannot reach its database, or cannot write to it."],
    ["fails", async () => Promise.reject(new Error("no database")), "no database"],
  ])("readyz is 503 when the service %s, and healthz is not; the log has the cause", async (_, ready, reason) => {
    const other = await serveFake(undefined, { ready });
    const response = await fetch(`${other.url}/readyz`);
    expect([response.status, response.headers.get("retry-after"), await codeOf(response)]).toEqual([
      503,
      "5",
      "unavailable",
    ]);
    expect((await fetch(`${other.url}/healthz`)).status).toBe(200);
    expect(other.logs.map(({ level }) => level)).toEqual(["error", "info", "debug"]);
    expect(other.logs[0]?.reason).toBe(reason);
    await other.close();
  });

  test("openapi.json names the server", async () => {
    const document = (await (await get("/api/openapi.json")).json()) as { openapi: string; servers: unknown };
    expect([document.openapi, document.servers]).toEqual(["3.1.0", [{ url: server.url }]]);
  });

  test("openapi.json is not sent again to those who have it, until it changes", async () => {
    let url: string | null = null;
    const other = await serveFake(undefined, { operations: operations.slice(0, 1), baseUrl: async () => url });
    const first = await fetch(`${other.url}/openapi.json`);
    expect(first.headers.get("cache-control")).toBe("public, no-cache");
    const etag = first.headers.get("etag")!;
    const again = () => fetch(`${other.url}/api/openapi.json`, { headers: { "if-none-match": `W/${etag}` } });
    const same = await again();
    expect([same.status, same.headers.get("etag"), await same.text()]).toEqual([304, etag, ""]);
    url = "https://wcs.example.com";
    expect((await again()).status).toBe(200);
    await other.close();
  });

  test("openapi.json names base_url as soon as it is set", async () => {
    let url: string | null = null;
    const other = await serveFake(undefined, { operations: operations.slice(0, 1), baseUrl: async () => url });
    const named = async () =>
      ((await (await fetch(`${other.url}/openapi.json`)).json()) as { servers: unknown }).servers;
    expect(await named()).toEqual([{ url: other.url }]);
    url = "https://wcs.example.com";
    expect(await named()).toEqual([{ url }]);
    await other.close();
  });
});

describe("metrics", () => {
  const seen: [method: string, route: string, status: number, seconds: number][] = [];
  const metrics = {
    contentType: "text/plain; version=0.0.4",
    render: async () => "up 1\n",
    observe: (...given: [string, string, number, number]) => void seen.push(given),
  };

  test("require their own token, and count each request", async () => {
    const other = await serveFake(undefined, { metrics: { ...metrics, token: "t0" } });
    expect((await fetch(`${other.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${other.url}/metrics`, { headers: { authorization: "Bearer t1" } })).status).toBe(401);
    const response = await fetch(`${other.url}/metrics`, { headers: { authorization: "Bearer t0" } });
    expect([await response.text(), response.headers.get("content-type")]).toEqual(["up 1\n", metrics.contentType]);
    await fetch(`${other.url}/api/users/5`);
    const [method, route, status, seconds] = seen.at(-1)!;
    expect([method, route, status]).toEqual(["GET", "/users/{id}", 200]);
    expect(Number(other.logs.at(-1)?.ms)).toBeCloseTo(seconds * 1000, 2);
    await other.close();
  });

  test("without a token are served only on a port of their own", async () => {
    const other = await serveFake(undefined, { metrics });
    expect((await fetch(`${other.url}/metrics`)).status).toBe(404);
    await other.close();
    const app = createMetricsApp(metrics, { debug() {}, info() {}, warn() {}, error() {} });
    const own = await listen(app, { host: "127.0.0.1", port: 0, timeouts: { notice: 0 } });
    expect(await (await fetch(`${own.url}/metrics`)).text()).toBe("up 1\n");
    await own.close();
  });
});
