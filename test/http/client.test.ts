import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { ServiceError } from "../../src/contract/errors.ts";
import { files } from "../../src/contract/files.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { type ClientOptions, createClient } from "../../src/http/client/client.ts";
import { answerShapeOf } from "../../src/http/client/read-answer.ts";
import { freePort } from "../support/free-port.ts";
import { operations, serveFake } from "./support.ts";

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function start<S extends Server>(server: S, port = 0): Promise<number> {
  open.push(server);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** Starts a server that is not the service. Returns its URL and the requests that it receives. */
async function pretend(handler: Handler, port?: number) {
  const requests: IncomingMessage[] = [];
  // Only the client ends connections that it keeps.
  const server = http.createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    request.resume();
    handler(request, response, requests.push(request));
  });
  const url = `http://127.0.0.1:${await start(server, port)}`;
  return { url, requests };
}

const reply = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
const error = (code: string, more = {}) => ({ error: { code, message: "No.", request_id: "r", ...more } });
const client = (url: string, more: Partial<ClientOptions> = {}) =>
  createClient({ url, userAgent: "wcs/test", timeout: 20_000, env: {}, ...more });
const get = (url: string, more?: Partial<ClientOptions>) => client(url, more).call(users.get, { id: 5 });

/** Returns the functions of timers of that many milliseconds, or some seconds less, that have not been cleared. */
function watchTimers(milliseconds: number): () => (() => void)[] {
  const begun = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  onTestFinished(() => {
    begun.mockRestore();
    cleared.mockRestore();
  });
  return () => {
    const past = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
    return begun.mock.calls.flatMap(([end, after = 0], at) => {
      const isOpen =
        after < milliseconds + 100 && after > milliseconds - 10_000 && !past.has(begun.mock.results[at]?.value);
      return isOpen ? [end] : [];
    });
  };
}

/** Returns the error of a call. */
async function failure(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error(`not a ServiceError: ${error}`);
  return error;
}

describe("a request", () => {
  test("has the token and the program's name, and goes below /api, however the URL ends", async () => {
    const { url, requests } = await pretend((_, response) => reply(response, 200, { id: 5 }));
    for (const end of ["", "/", "/api", "/api/", "/deep/api", "/deep"]) await get(url + end, { token: "t" });
    const deep = "/deep/api/users/5";
    expect(requests.map((request) => request.url)).toEqual([...Array<string>(4).fill("/api/users/5"), deep, deep]);
    expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer t", "user-agent": "wcs/test" });
  });

  test("with a large body asks for 100 Continue", async () => {
    const { url, requests } = await pretend((_, response) => reply(response, 200, { id: 5 }));
    for (const message of ["x", "x".repeat(1_048_576)])
      await client(url).raw("POST", "/conversations", { body: JSON.stringify({ message }) });
    expect(requests.map(({ headers }) => headers.expect)).toEqual([undefined, "100-continue"]);
  });

  test("with a large body that is answered before all of it was sent ends the connection", async () => {
    const server = http.createServer({ keepAliveTimeout: 600_000 });
    server.on("checkContinue", (_, response: ServerResponse) => {
      response.writeContinue();
      reply(response, 403, error("forbidden"));
    });
    const url = `http://127.0.0.1:${await start(server)}`;
    const message = "x".repeat(40_000_000);
    expect((await client(url).raw("POST", "/conversations", { body: JSON.stringify({ message }) })).status).toBe(403);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test("with a large body goes on when a proxy does not pass 100 Continue on", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    onTestFinished(() => void timeout.mockRestore());
    const server = http.createServer();
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      request.resume().on("end", () => reply(response, 200, { id: 5 }));
    });
    const url = `http://127.0.0.1:${await start(server)}`;
    const body = JSON.stringify({ message: "x".repeat(1_048_576) });
    expect((await client(url).raw("POST", "/conversations", { body })).status).toBe(200);
  });

  test("has more time for a larger body: 50 bytes per millisecond", async () => {
    const timers = watchTimers(30_000);
    const { url, requests } = await pretend(() => {});
    const failed = failure(client(url).call(conversations.create, { recipients: [1], message: "x".repeat(500_000) }));
    await expect.poll(() => requests.length).toBe(1);
    timers()[0]!();
    expect((await failed).message).toBe(`${url} did not answer within 30 s.`);
  });

  test("may have a timeout that is longer than that of any timer", async () => {
    const { url } = await pretend((_, response) => reply(response, 200, { id: 5 }));
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => void timers.mockRestore());
    expect(await get(url, { timeout: 1e12 })).toEqual({ id: 5 });
    // Node would end a longer timer after a millisecond.
    expect(Math.max(...timers.mock.calls.map(([, milliseconds = 0]) => milliseconds))).toBe(2 ** 31 - 1);
  });

  test("reuses its connection", async () => {
    const { url, requests } = await pretend((_, response) => reply(response, 200, { id: 5 }));
    const one = client(url);
    await one.call(users.get, { id: 1 });
    await one.call(users.get, { id: 2 });
    expect(new Set(requests.map(({ socket }) => socket)).size).toBe(1);
    expect(sockets.size).toBe(1);
    await one.close();
    await expect.poll(() => sockets.size).toBe(0);
  });

  test("has a header for a dry run, and an answer without that header is an error", async () => {
    const confirmed = await pretend((_, response) => reply(response, 200, { id: 5 }, { "dry-run": "true" }));
    await client(confirmed.url).call(units.move, { id: 1, parent: 2 }, { dryRun: true });
    expect(confirmed.requests[0]?.headers["dry-run"]).toBe("true");
    const deaf = await pretend((_, response) => reply(response, 200, { id: 5 }));
    const failed = await failure(client(deaf.url).call(units.move, { id: 1, parent: 2 }, { dryRun: true }));
    expect(failed.message).toContain("the change may have been made");
    expect(failed.hint).toContain("Check the current state.");
    expect(deaf.requests.length).toBe(1);
    await client(deaf.url).call(users.get, { id: 5 }, { dryRun: true });
    expect(deaf.requests[1]?.headers["dry-run"]).toBeUndefined();
  });

  test.each(["", "ftp://x", "example.com", "http://", "https://u:p@example.com", "https://example.com/?a=1"])(
    "cannot go to %j",
    (url) => {
      const make = () => client(url);
      expect(make).toThrow(ServiceError);
      expect(make).not.toThrow(/u:p/);
    },
  );

  test("with a token that no header can hold is refused", () => {
    const make = () => client("http://x", { token: "a\r\nb" });
    expect(make).toThrow(
      expect.objectContaining({ code: "unauthenticated", message: "The token has a space or line break in it." }),
    );
  });
});

describe("an error of the service", () => {
  test("keeps its code, message and fields", async () => {
    const { url } = await pretend((_, response) =>
      reply(response, 422, error("validation_failed", { fields: { a: ["b"] } })),
    );
    expect(await failure(get(url))).toMatchObject({ code: "validation_failed", message: "No.", fields: { a: ["b"] } });
  });

  test("names fields of the path as the input does, also when the schema accepts their values", async () => {
    const { url } = await pretend((_, response) =>
      reply(response, 422, error("validation_failed", { fields: { content: ["is locked"], body: ["is banned"] } })),
    );
    const { fields } = await failure(client(url).call(posts.commentAdd, { id: 5, body: "a" }));
    expect(fields).toEqual({ id: ["is locked"], body: ["is banned"] });
  });

  test("keeps what the service says of a field of the path that has the same name in the input", async () => {
    const { url } = await pretend((_, response) =>
      reply(response, 422, error("validation_failed", { fields: { id: ["is locked"] } })),
    );
    const { fields } = await failure(client(url).call(users.get, { id: "x" } as never));
    expect(fields).toEqual({ id: ["is locked"] });
  });

  test("distinguishes a field of the path from a field of the body with the same name on the wire", async () => {
    let messages = ["must be an integer", "is not an existing unit: 9"];
    const { url } = await pretend((_, response) => {
      const issues = messages.map(() => ({ field: "unit", code: "invalid" }));
      reply(response, 422, error("validation_failed", { fields: { unit: messages }, issues }));
    });
    const wrongFor = async (from: unknown) => {
      const input = { user: 1, from, unit: 9 } as never;
      const { fields, issues } = await failure(client(url).call(users.membershipSet, input));
      return { fields, of: issues.map(({ field }) => field) };
    };
    expect(await wrongFor("x")).toEqual({ fields: { from: [messages[0]], unit: [messages[1]] }, of: ["from", "unit"] });
    expect(await wrongFor(2)).toEqual({ fields: { unit: messages }, of: ["unit", "unit"] });
    messages = messages.slice(0, 1);
    expect(await wrongFor("x")).toEqual({ fields: { from: messages }, of: ["from"] });
  });

  test("is the same for a wrong ID in the path when the service did not look at it", async () => {
    const { url } = await pretend((_, response) => reply(response, 401, error("unauthenticated")));
    const input = { user: 1, from: "x", unit: 9 } as never;
    expect(await failure(client(url).call(users.membershipSet, input))).toMatchObject({ code: "unauthenticated" });
  });

  test("keeps the issues of other fields when it renames those of a field of the path", async () => {
    const { url } = await pretend((_, response) => {
      const fields = { overwrite: ["must be true or false"], unit: ["must be an integer"] };
      const issues = [
        { field: "overwrite", code: "invalid" },
        { field: "unit", code: "required" },
      ];
      reply(response, 422, error("validation_failed", { fields, issues }));
    });
    const input = { user: 1, from: "x", overwrite: "x" } as never;
    const { issues } = await failure(client(url).call(users.membershipSet, input));
    expect(issues).toEqual([
      { field: "overwrite", code: "invalid" },
      { field: "from", code: "required" },
    ]);
  });

  test("has only those parts that have the form of an error", async () => {
    let more: object = {};
    const { url } = await pretend((_, response) => reply(response, 500, error("internal", more)));
    const failureWith = async (parts: object) => {
      more = parts;
      return failure(get(url));
    };
    for (const fields of ["x", { a: "b" }, { a: [1] }])
      expect((await failureWith({ fields })).fields, JSON.stringify(fields)).toBeUndefined();
    const issue = { field: "a", code: "invalid" };
    expect((await failureWith({ fields: { a: ["b"] }, issues: [issue, null, "x", { field: "b" }] })).issues).toEqual([
      issue,
    ]);
    expect((await failureWith({ fields: { a: ["b"] }, issues: "x" })).issues).toEqual([issue]);
    for (const request_id of ["a b", "x".repeat(129), 5])
      expect((await failureWith({ request_id })).hint, `${request_id}`).toBeUndefined();
    expect((await failureWith({ message: "x".repeat(20_001) })).message).toBe("x".repeat(20_000));
  });

  test("keeps its code when others have the same status", async () => {
    const { url } = await pretend((_, response) => reply(response, 403, error("two_factor_required")));
    expect((await failure(get(url))).code).toBe("two_factor_required");
  });

  test.each([
    [409, "conflict"],
    [499, "bad_request"],
    [500, "internal"],
    [599, "internal"],
  ])("of an unknown code with status %s is %s, and 5xx names the request", async (status, code) => {
    for (const given of ["new_code", "constructor"]) {
      const { url } = await pretend((_, response) => reply(response, status, error(given)));
      const failed = await failure(get(url));
      expect([failed.code, failed.hint?.includes("request ID r") ?? false]).toEqual([code, status >= 500]);
    }
  });
});

describe("an answer that is not of the service is an error that names it and the next step:", () => {
  test("a proxy's 413 is a body that is too large for the proxy", async () => {
    const { url } = await pretend((_, r) => r.writeHead(413, { "content-type": "text/html" }).end("<html>"));
    const failed = await failure(client(url).call(users.update, { id: 5, title: "x" }));
    expect([failed.code, failed.hint]).toEqual(["payload_too_large", expect.stringContaining("client_max_body_size")]);
    expect(failed.message).toMatch(/^A proxy in front of http:.* refused the body as too large\.$/);
  });

  const answers: [string, Handler, RegExp][] = [
    ["a web page", (_, r) => r.writeHead(200, { "content-type": "text/html" }).end("<html>"), /status 200, text\/html/],
    ["JSON of another type", (_, r) => reply(r, 200, { id: 5 }, { "content-type": "text/x; a=b" }), /200, text\/x\)/],
    ["nothing", (_, r) => r.writeHead(200).end(), /no content type/],
    ["broken JSON", (_, r) => r.writeHead(200, { "content-type": "application/json" }).end("{"), /like a wcs service/],
    ["a long type", (_, r) => r.writeHead(200, { "content-type": "x".repeat(200) }).end(), /status 200, x{100}\)/],
    ["another API's error", (_, r) => reply(r, 404, { message: "no" }), /status 404, application\/json/],
    ["a gateway's error", (_, r) => r.writeHead(502, { "content-type": "text/html" }).end(), /status 502/],
    [
      "a redirect",
      (_, r) => r.writeHead(302, { location: "https://other.example/login?secret" }).end(),
      /to https:\/\/other.example,/,
    ],
    [
      "a redirect to another path",
      (_, r) => r.writeHead(302, { location: "/login?secret" }).end(),
      /:\d+ redirects to \/login, and/,
    ],
    ["a redirect to nowhere", (_, r) => r.writeHead(300).end(), /redirects to nowhere,/],
    [
      "a broken-off answer",
      (_, r) => r.writeHead(200, { "content-length": "10" }).end("{", () => r.destroy()),
      /closed the connection/,
    ],
  ];
  const others: [string, AnyOperation, object, number, unknown][] = [
    ["another object for a resource", users.get, { id: 5 }, 200, { foo: 1 }],
    ["another object for the resource of a change", users.update, { id: 5, title: "x" }, 200, { foo: 1 }],
    ["another object for a list", users.list, {}, 200, { data: { foo: 1 } }],
    ["another object for a wrapped resource", webhooks.create, { name: "x", uri: "https://x.example" }, 201, { id: 1 }],
    ["another object for a tuple", auth.renew, {}, 200, { foo: 1 }],
    ["an object in place of no body", users.delete, { id: 5 }, 200, { foo: 1 }],
    ["another success than that without a body", users.delete, { id: 5 }, 200, undefined],
    ["JSON in place of bytes", files.get, { id: 5 }, 200, { foo: 1 }],
    ["null", users.get, { id: 5 }, 200, null],
    ["a number", users.get, { id: 5 }, 200, 1],
    ["an error with the status of a success", users.get, { id: 5 }, 200, error("conflict")],
    ["no body in place of a resource", users.update, { id: 5, title: "x" }, 204, undefined],
    ["no body in place of a list", users.list, {}, 204, undefined],
    ["no body in place of bytes", files.get, { id: 5 }, 204, undefined],
  ];
  test.each(others)("%s", async (_, op, input, status, body) => {
    const { url } = await pretend((_, response) =>
      body === undefined ? response.writeHead(status).end() : reply(response, status, body),
    );
    const failed = await failure(client(url).call(op, input));
    expect([failed.code, failed.hint]).toEqual([
      "unavailable",
      expect.stringContaining("no proxy answers in its place"),
    ]);
    expect(failed.message).toMatch(/^http:.* did not answer like a wcs service/);
  });

  test("every answer of the service has the field by which the client recognizes it", () => {
    for (const op of operations) {
      const { empty, items, field } = answerShapeOf(op);
      const output = op.output() as z.ZodType;
      if (op.bytes || empty) expect(output instanceof z.ZodVoid, op.name).toBe(empty === true);
      else if (output instanceof z.ZodTuple) expect([field, items], op.name).toEqual(["0", undefined]);
      else {
        const found = (output as z.ZodObject).shape[items ?? field ?? ""] as z.ZodType | undefined;
        expect(found?.safeParse(undefined).success, op.name).toBe(false);
      }
    }
  });

  test.each(answers)("%s", async (_, handler, message) => {
    const { url } = await pretend(handler);
    const failed = await failure(get(url));
    expect([failed.code, failed.message.startsWith(url), typeof failed.hint]).toEqual(["unavailable", true, "string"]);
    expect(failed.message).toMatch(message);
    expect(failed.message).not.toContain("secret");
  });

  test.each([200, 404, 500, 502, 503, 504])(
    "status %s in HTML: a proxy is named where it answers in place of the service",
    async (status) => {
      const { url } = await pretend((_, response) => response.writeHead(status, { "content-type": "text/html" }).end());
      expect((await failure(get(url))).hint?.includes("A proxy answered")).toBe(status > 500);
    },
  );

  test("a redirect is never followed", async () => {
    const other = await pretend((_, response) => reply(response, 200, { id: 5 }));
    const { url } = await pretend((_, response) => response.writeHead(307, { location: other.url }).end());
    expect((await failure(get(url))).hint).toContain(other.url);
    expect(other.requests.length).toBe(0);
  });

  test("an answer without end is cut off", async () => {
    const { url } = await pretend((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1_000_000)));
      };
      response.on("drain", more);
      more();
    });
    // A busy machine sends 64 MiB for a long time.
    expect(await failure(get(url, { timeout: 600_000 }))).toMatchObject({
      message: `${url} answered with more than 64 MiB.`,
      hint: "Request less at a time.",
    });
  });

  test("a server that does not speak HTTP", async () => {
    const port = await start(createServer((socket) => socket.end("220 mail.example.com\r\n")));
    expect((await failure(get(`http://127.0.0.1:${port}`))).message).toContain("does not speak HTTP");
  });

  test("a port where nothing listens", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await failure(get(url))).toMatchObject({ code: "unavailable", message: `${url} refused the connection.` });
  });

  test("an unknown host name", async () => {
    expect((await failure(get("http://nowhere.invalid"))).message).toMatch(
      /^http:\/\/nowhere.invalid has an unknown host name/,
    );
  });

  const late: [string, Handler][] = [
    ["an answer that does not come in time", () => {}],
    ["an answer whose body does not come in time", (_, r) => r.writeHead(200, { "content-length": "10" }).write("{")],
    [
      "an answer on a kept connection that does not come in time",
      (_, r, count) => count === 1 && reply(r, 200, { id: 5 }),
    ],
  ];
  test.each(late)("%s", async (_, handler) => {
    const timers = watchTimers(20_000);
    const { url, requests } = await pretend(handler);
    const one = client(url);
    if (handler === late[2]![1]) await one.call(users.get, { id: 5 });
    expect(timers()).toEqual([]);
    const count = requests.length;
    const failed = failure(one.call(users.get, { id: 5 }));
    await expect.poll(() => requests.length).toBe(count + 1);
    await expect.poll(() => timers().length).toBe(handler === late[1]![1] ? 2 : 1);
    timers()[0]!();
    expect(await failed).toMatchObject({
      message: `${url} did not answer within 20 s.`,
      hint: "Try again later, or allow more time.",
    });
    await expect.poll(timers).toEqual([]);
  });

  test("a file that stops arriving; its reader may take any time", async () => {
    const timers = watchTimers(20_000);
    const headers = { etag: '"x"', "content-length": "10" };
    const { url, requests } = await pretend((_, response) => response.writeHead(200, headers).write("0123"));
    const { read } = await client(url).call(files.get, { id: 5 });
    const chunks = read(0, 10)[Symbol.asyncIterator]();
    await chunks.next();
    expect(timers()).toEqual([]);
    const failed = failure(chunks.next());
    await expect.poll(() => timers().length).toBe(1);
    timers()[0]!();
    expect((await failed).message).toBe("The service did not send the requested part of the file.");
    expect(requests[1]?.headers).toMatchObject({ range: "bytes=4-9", "if-range": '"x"' });
    expect(timers()).toEqual([]);
  });

  test("a certificate that does not come in time: the service did not accept the connection", async () => {
    const timers = watchTimers(20_000);
    let attempts = 0;
    const silent = createServer((socket) =>
      socket.once("data", () => {
        attempts += 1;
      }),
    );
    const url = `https://127.0.0.1:${await start(silent)}`;
    const failed = failure(get(url));
    for (let attempt = 1; attempt <= 3; attempt++) {
      await expect.poll(() => attempts).toBe(attempt);
      timers()[0]!();
    }
    expect((await failed).message).toMatch(/ did not accept the connection within [\d.]+ s\.$/);
  });

  test("an answer that does not come within 30 seconds, unless told otherwise", async () => {
    const timers = watchTimers(30_000);
    const { url, requests } = await pretend(() => {});
    const failed = failure(get(url, { timeout: undefined }));
    // Before the request is sent, the end of the time would only lead to another attempt.
    await expect.poll(() => requests.length).toBe(1);
    for (const end of timers()) end();
    expect((await failed).message).toBe(`${url} did not answer within 30 s.`);
  });
});

describe("TLS", () => {
  const pem = (name: string) => readFileSync(new URL(`../data/tls/${name}.pem`, import.meta.url), "utf8");
  const secure = async (name: string) => {
    const server = https.createServer({ key: pem(name), cert: pem(name) }, (_, response) =>
      reply(response, 200, { id: 5 }),
    );
    return `https://127.0.0.1:${await start(server)}`;
  };

  test("works with a certificate authority from the options", async () => {
    expect(await get(await secure("localhost"), { ca: pem("localhost") })).toEqual({ id: 5 });
  });
  test.each([
    ["localhost", undefined, /self-signed/],
    ["expired", "expired", /has an expired certificate/],
    ["elsewhere", "elsewhere", /for another host/],
  ])("%s, trusting %s, fails and says why", async (name, trusted, message) => {
    const failed = await failure(get(await secure(name), trusted ? { ca: pem(trusted) } : {}));
    expect([failed.code, failed.message]).toEqual(["unavailable", expect.stringMatching(message)]);
  });

  test("reuses its connection", async () => {
    const server = https.createServer({ key: pem("localhost"), cert: pem("localhost") }, (_, response) =>
      reply(response, 200, { id: 5 }),
    );
    let connections = 0;
    server.on("secureConnection", () => {
      connections += 1;
    });
    const one = client(`https://127.0.0.1:${await start(server)}`, { ca: pem("localhost") });
    await one.call(users.get, { id: 1 });
    await one.call(users.get, { id: 2 });
    expect(connections).toBe(1);
    await one.close();
  });
  test("on a port that speaks plain HTTP is an error about TLS", async () => {
    const { url } = await pretend((_, response) => reply(response, 200, { id: 5 }));
    expect((await failure(get(url.replace("http:", "https:")))).message).toContain(
      "does not support the same TLS versions",
    );
  });
  test("is missing: plain HTTP on a port with TLS is an error", async () => {
    const url = (await secure("localhost")).replace("https:", "http:");
    expect((await failure(get(url))).code).toBe("unavailable");
  });
});

describe("a request is repeated:", () => {
  const gateway: Handler = (_, response) =>
    response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
  const breakOff: Handler = (request) => request.socket.destroy();
  const thenFine =
    (first: Handler): Handler =>
    (request, response, count) =>
      count === 1 ? first(request, response, count) : reply(response, 200, { id: 5 });
  const busy =
    (status: number, headers: Record<string, string> = { "retry-after": "0" }): Handler =>
    (_, response) =>
      reply(response, status, error(status === 429 ? "too_many_requests" : "unavailable"), headers);

  test.each([
    ["a broken connection", breakOff],
    ["429", busy(429)],
    ["503", busy(503)],
    ["503 until a date", busy(503, { "retry-after": new Date(0).toUTCString() })],
    [
      "503 of a proxy",
      ((_, r) => r.writeHead(503, { "retry-after": "0", "content-type": "text/html" }).end()) as Handler,
    ],
    [
      "429 of a proxy",
      ((_, r) => r.writeHead(429, { "retry-after": "0", "content-type": "text/html" }).end()) as Handler,
    ],
  ])("GET after %s", async (_, handler) => {
    const { url, requests } = await pretend(thenFine(handler));
    expect(await get(url)).toEqual({ id: 5 });
    expect(requests.length).toBe(2);
  });

  test("GET after 502 of a proxy, but not after 504, since the service may still be working", async () => {
    const { url, requests } = await pretend(thenFine(gateway));
    expect(await get(url)).toEqual({ id: 5 });
    expect(requests.length).toBe(2);
    const slow = await pretend((_, response) => response.writeHead(504, { "content-type": "text/html" }).end());
    expect(await failure(get(slow.url))).toMatchObject({ code: "unavailable" });
    expect(slow.requests.length).toBe(1);
  });

  test("more often when the service has answered before, except a PATCH that a proxy may have forwarded", async () => {
    const { url, requests } = await pretend((request, response, count) =>
      count === 1 || count > 5 ? reply(response, 200, { id: 5 }) : gateway(request, response, count),
    );
    const one = client(url);
    await one.call(users.get, { id: 5 });
    const failed = await failure(one.call(users.update, { id: 5, title: "x" }));
    expect([failed.code, requests.length]).toEqual(["unavailable", 2]);
    expect(await one.call(units.move, { id: 1, parent: 2 })).toEqual({ id: 5 });
    expect(requests.length).toBe(6);
  });

  test("at most three times in total", async () => {
    const { url, requests } = await pretend(busy(503));
    expect(await failure(get(url))).toMatchObject({ code: "unavailable", retryAfter: 0 });
    expect(requests.length).toBe(3);
  });

  test.each([
    ["without Retry-After", busy(429, {}), { code: "too_many_requests", retryAfter: undefined }],
    [
      "when the wait would outlast the time-out",
      busy(429, { "retry-after": "60" }),
      { code: "too_many_requests", retryAfter: 60 },
    ],
    [
      "after a conflict",
      ((_, r) => reply(r, 409, error("conflict"), { "retry-after": "0" })) as Handler,
      { code: "conflict", retryAfter: 0 },
    ],
    [
      "after a web page that does not exist",
      ((_, r) => r.writeHead(404, { "retry-after": "0", "content-type": "text/html" }).end()) as Handler,
      { code: "unavailable", retryAfter: undefined },
    ],
  ])("not %s", async (_, handler, expected) => {
    const { url, requests } = await pretend(handler);
    expect(await failure(get(url))).toMatchObject(expected);
    expect(requests.length).toBe(1);
  });

  test("POST with one Idempotency-Key per call", async () => {
    const { url, requests } = await pretend((request, response, count) =>
      count % 2 === 1 ? breakOff(request, response, count) : reply(response, 200, { id: 5 }),
    );
    await client(url).call(units.move, { id: 1, parent: 2 });
    await client(url).call(units.move, { id: 1, parent: 2 });
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[\x21-\x7e]{16,255}$/);
    expect([keys[1], keys[3], keys[0] === keys[2]]).toEqual([keys[0], keys[2], false]);
  });

  test("with the Idempotency-Key of the caller", async () => {
    const { url, requests } = await pretend((_, response) => reply(response, 200, { id: 5 }));
    await client(url).call(units.move, { id: 1, parent: 2 }, { idempotencyKey: "k" });
    await client(url).call(users.update, { id: 5 }, { idempotencyKey: "k" });
    expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["k", undefined]);
  });

  test.each([
    ["a secret POST", (url: string) => client(url).call(auth.renew, {})],
    [
      "a public POST",
      (url: string) => client(url).call({ ...units.move, access: "public" as const }, { id: 1, parent: 2 }),
    ],
  ])("not %s that may have arrived, nor after a refusal", async (_, call) => {
    for (const handler of [breakOff, busy(503)]) {
      const { url, requests } = await pretend(handler);
      await failure(call(url));
      expect([requests.length, requests[0]?.headers["idempotency-key"]]).toEqual([1, undefined]);
    }
  });

  test.each([
    ["PATCH", (url: string) => client(url).call(users.update, { id: 5 })],
    ["DELETE", (url: string) => client(url).call(users.delete, { id: 5 })],
  ])("not %s that may have arrived, but after a refusal for a while", async (_, call) => {
    for (const [handler, expected] of [
      [breakOff, 1],
      [busy(503), 3],
    ] as const) {
      const { url, requests } = await pretend(handler);
      await failure(call(url));
      expect([requests.length, requests[0]?.headers["idempotency-key"]]).toEqual([expected, undefined]);
    }
  });

  test.each([
    ["a read", false, (url: string) => get(url)],
    ["a POST with a key", true, (url: string) => client(url).call(units.move, { id: 1, parent: 2 })],
    ["a secret POST", false, (url: string) => client(url).call(auth.renew, {})],
    ["a PATCH", true, (url: string) => client(url).call(users.update, { id: 5 })],
    ["a DELETE", true, (url: string) => client(url).call(users.delete, { id: 5 })],
    ["a dry run", false, (url: string) => client(url).call(users.delete, { id: 5 }, { dryRun: true })],
  ])("when that does not help, the error of %s says whether it may have changed something: %s", async (_, is, call) => {
    const { url } = await pretend(breakOff);
    expect((await failure(call(url))).hint).toBe(
      is
        ? "The change may have been made. Look before you repeat it."
        : "Check the URL, and that the service is running.",
    );
  });

  test("PATCH and a public POST, when no connection was made", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const calls = [
      client(url).call(users.update, { id: 5 }),
      client(url).call(auth.authenticate, { username: "a", password: "b" }),
    ];
    await new Promise((resolve) => connect(port, "127.0.0.1").once("error", resolve));
    const { requests } = await pretend(
      (request, response) => reply(response, 200, request.method === "POST" ? [{}] : { id: 5 }),
      port,
    );
    await Promise.all(calls);
    expect(requests.length).toBe(2);
  });
});

describe("an aborted call", () => {
  // Longer than a test may take, because the end of the time would end a call, too.
  const timeout = 600_000;
  const calls: [string, (url: string, signal: AbortSignal) => Promise<unknown>][] = [
    ["a call", (url, signal) => client(url, { timeout }).call(users.get, { id: 5 }, { signal })],
    ["a download", (url, signal) => client(url, { timeout }).call(files.get, { id: 5 }, { signal })],
    ["a request", (url, signal) => client(url, { timeout }).raw("GET", "/users/5", { signal })],
  ];
  const stages: [string, Handler | undefined][] = [
    ["before the request", undefined],
    ["while waiting for the answer", () => {}],
  ];
  test.each(calls)("throws its reason: %s", async (_, call) => {
    for (const [stage, handler] of stages) {
      const controller = new AbortController();
      const { url, requests } = await pretend((...given) => {
        handler?.(...given);
        controller.abort(new Error("stop"));
      });
      if (handler === undefined) controller.abort(new Error("stop"));
      await expect(call(url, controller.signal), stage).rejects.toThrow("stop");
      expect(requests.length, stage).toBe(handler === undefined ? 0 : 1);
      expect(getEventListeners(controller.signal, "abort"), stage).toEqual([]);
    }
  });

  test.each(calls)("throws its reason while the answer arrives: %s", async (_, call) => {
    const controller = new AbortController();
    const { signal } = controller;
    let requesting: readonly unknown[] | undefined;
    const { url } = await pretend((_, response) => {
      requesting = getEventListeners(signal, "abort");
      response.writeHead(500, { "content-length": "10" }).write("{");
    });
    const called = call(url, signal);
    const isReading = () =>
      getEventListeners(signal, "abort").some((listener) => requesting?.includes(listener) === false);
    await expect.poll(isReading).toBe(true);
    controller.abort(new Error("stop"));
    await expect(called).rejects.toThrow("stop");
    await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
  });

  test("that comes after the answer does nothing", async () => {
    const { signal } = new AbortController();
    const { url } = await pretend((_, response) => reply(response, 200, { id: 5 }));
    for (const [, call] of calls.filter(([name]) => name !== "a download")) await call(url, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("stops waiting for the next attempt", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let requesting: readonly unknown[] = [];
    const { url, requests } = await pretend((_, response) => {
      requesting = getEventListeners(signal, "abort");
      reply(response, 429, error("too_many_requests"), { "retry-after": "15" });
    });
    const call = client(url).call(users.get, { id: 5 }, { signal });
    const isWaiting = () => getEventListeners(signal, "abort").some((listener) => !requesting.includes(listener));
    await expect.poll(() => requests.length === 1 && isWaiting()).toBe(true);
    controller.abort(new Error("stop"));
    await expect(call).rejects.toThrow("stop");
  });
});

describe("a proxy of the environment", () => {
  /** Forwards plain requests and tunnels others. Records the requests in `asked`. */
  async function proxy() {
    const asked: string[] = [];
    const server = http.createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const onward = http.request(request.url ?? "", { method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    server.on("connect", (request, client) => {
      asked.push(`CONNECT ${request.url}`);
      const [host, port] = (request.url ?? "").split(":");
      const onward = connect(Number(port), host, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(client).pipe(onward);
      });
      sockets.add(onward);
      onward.on("error", () => client.destroy());
      client.on("error", () => onward.destroy());
    });
    return { asked, url: `http://127.0.0.1:${await start(server)}` };
  }

  test("is used for http and https, but not for hosts in NO_PROXY", async () => {
    const { asked, url: through } = await proxy();
    const plain = await pretend((_, response) => reply(response, 200, { id: 5 }));
    expect(await get(plain.url, { env: { HTTP_PROXY: through } })).toEqual({ id: 5 });
    expect(asked).toEqual([`GET ${plain.url}/api/users/5`]);

    const pem = readFileSync(new URL("../data/tls/localhost.pem", import.meta.url), "utf8");
    const server = https.createServer({ key: pem, cert: pem }, (_, response) => reply(response, 200, { id: 5 }));
    const secure = `127.0.0.1:${await start(server)}`;
    expect(await get(`https://${secure}`, { env: { HTTPS_PROXY: through }, ca: pem })).toEqual({ id: 5 });
    expect(asked.at(-1)).toBe(`CONNECT ${secure}`);

    asked.length = 0;
    await get(plain.url, { env: { HTTP_PROXY: through, NO_PROXY: "127.0.0.1" } });
    expect(asked).toEqual([]);
  });

  test("is named by the error when it is unreachable", async () => {
    const failed = await failure(
      get("http://127.0.0.1:1", { env: { HTTP_PROXY: `http://127.0.0.1:${await freePort()}` } }),
    );
    expect([failed.message, failed.hint]).toEqual([
      expect.stringContaining("the proxy"),
      expect.stringContaining("HTTP_PROXY"),
    ]);
  });
});

describe("raw", () => {
  test("sends the given method, path, body and headers, and returns any response", async () => {
    const server = await serveFake();
    const one = client(server.url, { token: "t" });
    for (const path of ["/api/users/5", "users/5", "/users/5"]) {
      const answer = await one.raw("get", path, { query: "x=1" });
      expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([200, { id: 7, name: "Ann" }]);
      expect(server.calls.at(-1)).toMatchObject({ input: { id: 5, x: "1" }, origin: { token: "t" } });
    }
    const posted = await one.raw("POST", "/users/welcome", { body: '{"users":[1]}' });
    expect([posted.status, server.calls.at(-1)?.input]).toEqual([204, { users: [1] }]);
    await one.raw("GET", "/units/reference/api");
    expect(server.calls.at(-1)?.input).toEqual({ reference: "api" });
    const wrong = await one.raw("DELETE", "/units/5", { body: "{}" });
    expect(wrong.body.toString()).toContain("DELETE expects its fields in the query");
    const asText = await one.raw("POST", "/users/welcome", { body: "{}", headers: { "content-type": "text/plain" } });
    expect(asText.status).toBe(415);
    for (const [path, reference] of [
      ["//units/reference/x", "x"],
      ["/units/reference/\ud800", "\ufffd"],
    ]) {
      await one.raw("GET", path!);
      expect(server.calls.at(-1)?.input).toEqual({ reference });
    }
    const missing = await one.raw("GET", "/näh 1", { headers: { "x-request-id": "r" } });
    expect([missing.status, missing.headers["x-request-id"]]).toEqual([404, "r"]);
    expect((await failure(one.raw("GET", "https://elsewhere.example/x"))).code).toBe("bad_request");
    expect((await failure(one.raw("G T", "/x"))).code).toBe("bad_request");
    await server.close();
  });

  test("goes below the path of the URL, and returns each header of a name", async () => {
    const { url, requests } = await pretend((_, r) => r.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end());
    const { headers } = await client(`${url}/deep`).raw("GET", "/apis");
    expect([requests[0]?.url, headers["set-cookie"]]).toEqual(["/deep/api/apis", "a=1, b=2"]);
  });

  test("says after a lost answer that a change may have been made, unless it was none", async () => {
    const { url } = await pretend((request) => request.socket.destroy());
    const hintOf = async (method: string, headers = {}) =>
      (await failure(client(url).raw(method, "/users/5", { headers }))).hint;
    const unsure = "The change may have been made. Look before you repeat it.";
    expect(await hintOf("delete")).toBe(unsure);
    for (const hint of [await hintOf("get"), await hintOf("DELETE", { "dry-run": "true" })])
      expect(hint).toBe("Check the URL, and that the service is running.");
  });
});
