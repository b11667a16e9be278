import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, type ConnectOptions, connect, ServiceError } from "@wcs-tool/wcs/client";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { password, useWorld } from "../support/actors.ts";
import { freePort } from "../support/free-port.ts";
import { sqliteHttp } from "../support/instance.ts";

const world = useWorld(sqliteHttp);

type Actor = "administrator" | "member";

/** Connects as an actor. */
async function as(actor: Actor, options: Partial<ConnectOptions> = {}): Promise<Client> {
  const { instance, ids } = world();
  return connect({ url: instance.url, token: await instance.tokenOf(ids[actor]), ...options });
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

/** A `fetch` that records its requests, and answers the first ones itself. */
function recorded(...answers: Response[]) {
  const requests: { url: string; method: string; headers: Headers; init: RequestInit | undefined }[] = [];
  const send: typeof fetch = async (input, init) => {
    requests.push({ url: String(input), method: init?.method ?? "GET", headers: new Headers(init?.headers), init });
    return answers.shift() ?? fetch(input, init);
  };
  return { requests, fetch: send };
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: "No.", request_id: "r" } }, { status, headers });

describe("calls", () => {
  it("users.get returns a user to an administrator", async () => {
    const administrator = await as("administrator");
    const user = await administrator.users.get({ id: world().ids.member });
    expect(user).toMatchObject({ content_type: "user", id: world().ids.member, email: "member@example.com" });
  });

  it("users.current takes no input", async () => {
    expect(await (await as("member")).users.current()).toMatchObject({ id: world().ids.member });
  });

  it("IDs go into the path, whatever their name there, and lists into the query", async () => {
    const { ids } = world();
    const administrator = await as("administrator");
    const { conversationId: id } = await administrator.conversations.create({
      recipients: [ids.member],
      message: "High tide, at noon",
    });
    const { requests, fetch } = recorded();
    const member = await as("member", { fetch });
    expect(await member.conversations.get({ id })).toMatchObject({ id });
    expect(requests[0]?.url).toMatch(`/api/conversations/${id}`);
    const { users } = await member.users.collection({ ids: [ids.colleague, ids.member] });
    expect(users.map((user) => user.id)).toEqual([ids.colleague, ids.member]);
    await member.names.find({ kinds: ["units"], texts: ["Acme, Ltd", "Acme"] });
    expect(requests.at(-1)?.url).toMatch(/\?kinds=units&texts\[\]=Acme%2C%20Ltd&texts\[\]=Acme$/);
  });

  it("files.get returns the response of fetch", async () => {
    const administrator = await as("administrator");
    const data = Buffer.from("Tide table").toString("base64");
    const post = await administrator.posts.create({
      content_type: "news",
      title: "Tides",
      files: [{ type: "upload", name: "tides.txt", data }],
    });
    const response = await administrator.files.get({ id: post.files[0]?.id ?? 0 });
    expect(await response.text()).toBe("Tide table");
  });

  it("a write is repeated with the same idempotency key, and executed once", async () => {
    const keys: (string | null)[] = [];
    const lost: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (keys.push(new Headers(init?.headers).get("idempotency-key")) > 1) return response;
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
    };
    const administrator = await as("administrator", { fetch: lost });
    const { id } = await administrator.groups.create({ name: "Rowing" });
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    const { data } = await (await as("administrator")).groups.list();
    expect(data.filter(({ name }) => name === "Rowing").map((group) => group.id)).toEqual([id]);
  });

  it("a dry run changes nothing", async () => {
    const administrator = await as("administrator");
    await administrator.groups.create({ name: "Diving" }, { dryRun: true });
    const { data } = await administrator.groups.list();
    expect(data.map(({ name }) => name)).not.toContain("Diving");
  });

  it("options of a call become headers of a change; no call follows redirects or uses cookies and caches", async () => {
    const { requests, fetch } = recorded();
    const administrator = await as("administrator", { fetch });
    const options = { idempotencyKey: "k", dryRun: true };
    const { id } = await administrator.groups.create({ name: "Climbing" }, options);
    await administrator.groups.create({ name: "Climbing" });
    await administrator.units.update({ id: 1, name: "Acme" }, options);
    await administrator.groups.list({}, options);
    expect(id).toBeGreaterThan(0);
    const names = ["accept", "content-type", "idempotency-key", "dry-run"];
    const json = "application/json";
    expect(requests.map(({ headers }) => names.map((name) => headers.get(name)))).toEqual([
      [json, json, "k", "true"],
      [json, json, expect.stringMatching(/^[0-9a-f]{32}$/), null],
      [json, json, null, "true"],
      [json, null, null, null],
    ]);
    for (const { init } of requests)
      expect(init).toMatchObject({ redirect: "manual", credentials: "omit", cache: "no-store" });
  });

  it("list.all yields the items of all pages", async () => {
    const { requests, fetch } = recorded();
    const administrator = await as("administrator", { fetch });
    const ids: number[] = [];
    for await (const user of administrator.users.list.all({ limit: 2 })) ids.push(user.id);
    const { data } = await administrator.users.list({ limit: 200 });
    expect(ids).toEqual(data.map(({ id }) => id));
    expect(requests.length).toBe(Math.ceil(ids.length / 2) + 1);
  });

  it("all of a list with numbered pages ends with its last page", async () => {
    const born = await Promise.all(["1990-06-01", "1980-06-02"].map((birthday) => world().addUser({ birthday })));
    const { requests, fetch } = recorded();
    const administrator = await as("administrator", { fetch });
    const ids: number[] = [];
    const period = { start: "06-01", end: "06-02", limit: 1 };
    for await (const user of administrator.users.birthdays.all(period)) ids.push(user.id);
    expect(ids).toEqual(born.map(({ id }) => id));
    expect(requests.map(({ url }) => new URL(url).searchParams.get("page"))).toEqual([null, "2"]);
  });
});

describe("errors", () => {
  it("a member gets forbidden", async () => {
    const member = await as("member");
    expect(await failure(member.users.delete({ id: world().ids.colleague }))).toMatchObject({
      code: "forbidden",
      status: 403,
    });
  });

  it("invalid fields are named by the input's names", async () => {
    const administrator = await as("administrator");
    const error = await failure(administrator.users.create({ first_name: "", last_name: "X", unit: 0 }));
    expect(error).toMatchObject({ code: "validation_failed", status: 422 });
    expect(error.fields).toMatchObject({ unit: ["must be a positive integer"] });
    expect(error.issues).toContainEqual({ field: "unit", code: "too_small", params: expect.anything() });
    const other = await failure(administrator.conversations.get({ id: -1 }));
    expect(Object.keys(other.fields ?? {})).toEqual(["id"]);
  });

  it("a missing file gets not_found", async () => {
    const administrator = await as("administrator");
    expect(await failure(administrator.files.get({ id: 999_999 }))).toMatchObject({ code: "not_found", status: 404 });
  });

  it("a token that is refused a second time is not asked for again", async () => {
    const { requests, fetch } = recorded();
    const token = vi.fn<() => string>(() => "wcs_wrong");
    const stranger = connect({ url: world().instance.url, token, fetch });
    expect(await failure(stranger.users.current())).toMatchObject({ code: "unauthenticated" });
    expect([requests.length, token.mock.calls.length]).toEqual([2, 2]);
  });

  it("a wrong token gets unauthenticated, and is not sent to public operations", async () => {
    const { instance } = world();
    const { requests, fetch } = recorded();
    const stranger = connect({ url: instance.url, token: "wcs_wrong", fetch });
    expect(await failure(stranger.users.current())).toMatchObject({ code: "unauthenticated", status: 401 });
    const signIn = { username: "member@example.com", password: "not it" };
    expect(await failure(stranger.auth.authenticate(signIn))).toMatchObject({ code: "unauthenticated" });
    expect(requests.map(({ headers }) => headers.has("authorization"))).toEqual([true, false]);
  });

  it("a token that no header can hold is not sent", async () => {
    const { requests, fetch } = recorded();
    const client = connect({ url: world().instance.url, token: "a\r\nb", fetch });
    expect(await failure(client.users.current())).toMatchObject({ code: "unauthenticated" });
    expect(requests).toEqual([]);
  });

  it("too many requests are repeated after Retry-After, or reported with it", async () => {
    const soon = recorded(refusal(429, "too_many_requests", { "retry-after": "0" }));
    const { id } = await (await as("member", { fetch: soon.fetch })).users.current();
    expect(id).toBe(world().ids.member);
    expect(soon.requests).toHaveLength(2);
    const late = recorded(refusal(429, "too_many_requests", { "retry-after": "120" }));
    const error = await failure((await as("member", { fetch: late.fetch })).users.current());
    expect(error).toMatchObject({ code: "too_many_requests", status: 429, retryAfter: 120 });
  });

  it("the service's own limit of sign-ins is reported with the seconds to wait", async () => {
    const client = connect({ url: world().instance.url });
    const attempt = () => failure(client.auth.authenticate({ username: "nobody@example.com", password: "wrong" }));
    const codes: string[] = [];
    for (let count = 0; count < 11; count++) codes.push((await attempt()).code);
    expect(codes.at(-1)).toBe("too_many_requests");
    expect((await attempt()).retryAfter).toBeGreaterThan(0);
  });

  it("a service that is gone is unavailable", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const error = await failure(connect({ url }).users.current());
    expect(error).toMatchObject({ code: "unavailable", message: `${url} refused the connection.` });
  });

  it("a fetch that fails without a reason is unavailable, and leaves no timer", async () => {
    const [begun, cleared] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    const broken = () => Promise.reject(new TypeError("broken"));
    const client = connect({ url: "http://wcs.example.com", fetch: broken });
    expect(await failure(client.users.update({ id: 5, title: "x" }))).toMatchObject({
      code: "unavailable",
      message: "http://wcs.example.com cannot be reached.",
      hint: "The change may have been made. Look before you repeat it.",
    });
    const timers = begun.mock.results.filter((_, at) => Number(begun.mock.calls[at]?.[1]) > 29_000);
    expect(cleared.mock.calls).toEqual(timers.map(({ value }) => [value]));
    for (const spy of [begun, cleared]) spy.mockRestore();
  });

  it.each(["", "ftp://example.com", "http://ada:secret@example.com", "http://example.com/?a"])(
    "the URL %j is refused, without repeating a password",
    (url) => {
      const refused = { code: "unavailable", hint: "Give a URL like https://wcs.example.com." };
      expect(() => connect({ url })).toThrow(expect.objectContaining(refused));
      expect(() => connect({ url })).not.toThrow(/secret/);
    },
  );
});

describe("a fake server", () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer(handler);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("an abort ends a call with the reason of the signal", async () => {
    const abort = new AbortController();
    const reason = new Error("The user left.");
    const url = await serve(() => abort.abort(reason));
    await expect(connect({ url }).users.current({}, { signal: abort.signal })).rejects.toBe(reason);
    await expect(connect({ url }).users.current({}, { signal: abort.signal })).rejects.toBe(reason);
  });

  it("an abort ends the wait before a repetition", async () => {
    const abort = new AbortController();
    const reason = new Error("The user left.");
    const url = await serve((_, response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "20" });
      response.end('{"error":{"code":"too_many_requests","message":"No.","request_id":"r"}}', () =>
        abort.abort(reason),
      );
    });
    await expect(connect({ url }).users.current({}, { signal: abort.signal })).rejects.toBe(reason);
  });

  it("a call without an answer ends with the timeout", async () => {
    const url = await serve(() => {});
    const error = await failure(connect({ url, timeout: 100 }).users.current());
    expect(error).toMatchObject({ code: "unavailable", message: `${url} did not answer within 0.1 s.` });
  });

  it("a change without an answer of the service may have been made; a read and a dry run change nothing", async () => {
    const failures: ((request: IncomingMessage, response: ServerResponse) => void)[] = [
      (request) => void request.socket.destroy(),
      (_, response) => void response.writeHead(502).end(),
      (_, response) => void response.writeHead(520).end(),
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ];
    for (const answer of failures) {
      const client = connect({ url: await serve(answer) });
      const unsure = expect.stringMatching(/The change may have been made\. Look before you repeat it\.$/);
      for (const call of [client.users.update({ id: 5, title: "x" }), client.groups.create({ name: "x" })])
        expect((await failure(call)).hint).toEqual(unsure);
      for (const call of [client.users.delete({ id: 5 }, { dryRun: true }), client.users.get({ id: 5 })])
        expect((await failure(call)).hint).not.toEqual(unsure);
    }
    const url = `http://127.0.0.1:${await freePort()}`;
    expect((await failure(connect({ url }).users.delete({ id: 5 }))).hint).not.toContain("may have been made");
  });

  it("a read is repeated after the connection broke off", async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      requests += 1;
      if (requests === 1) request.socket.destroy();
      else response.writeHead(200, { "content-type": "application/json" }).end('{"id":5}');
    });
    expect(await connect({ url }).users.get({ id: 5 })).toEqual({ id: 5 });
  });

  it("an answer of something else, and a redirect, are unavailable", async () => {
    const page = await serve((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"));
    expect((await failure(connect({ url: page }).users.current())).message).toMatch(
      /did not answer like a wcs service/,
    );
    const other = await serve((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"foo":1}'),
    );
    for (const call of [connect({ url: other }).users.current(), connect({ url: other }).users.list()])
      expect((await failure(call)).message).toMatch(/did not answer like a wcs service/);
    const moved = await serve((_, response) => response.writeHead(302, { location: "https://other.example/" }).end());
    expect((await failure(connect({ url: moved }).users.current())).message).toMatch(/redirects to https:\/\/other/);
  });
});

describe("tokens", () => {
  /** Addresses of users with a password, one for each test: the clock moves. */
  const addresses: string[] = [];
  beforeAll(async () => {
    for (let count = 0; count < 4; count++) addresses.push((await world().addUser({ password })).email ?? "");
  });
  const account = () => ({ username: addresses.pop() ?? "", password });
  const signIn = async (credentials: { username: string; password: string }) => {
    const [{ jwt }] = await connect({ url: world().instance.url }).auth.authenticate(credentials);
    return jwt;
  };
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Moves the clocks of the service and of the client. */
  const wait = (seconds: number) => {
    world().instance.wait(seconds);
    vi.useFakeTimers({ toFake: ["Date"], now: world().instance.now() * 1000 });
  };

  it("an expired token is replaced by the function, once for calls at the same time", async () => {
    const credentials = account();
    const token = vi.fn(() => signIn(credentials));
    const client = connect({ url: world().instance.url, token });
    await Promise.all([client.users.current(), client.users.current()]);
    expect(token).toHaveBeenCalledTimes(1);
    // The client's clock stays, so that it learns of the end from the service.
    world().instance.wait(90_000);
    await Promise.all([client.users.current(), client.users.current()]);
    expect(token).toHaveBeenCalledTimes(2);
  });

  it("a token that has expired by the client's clock is replaced before a call is refused", async () => {
    const credentials = account();
    wait(0);
    const { requests, fetch } = recorded();
    const client = connect({ url: world().instance.url, token: () => signIn(credentials), fetch });
    await client.users.current();
    wait(90_000);
    await client.users.current();
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(Array(2).fill("/api/users/current"));
  });

  it("the token of a sign-in is renewed once less than half of its life is left", async () => {
    const onTokenRenewed = vi.fn<(token: string) => void>();
    wait(0);
    const token = await signIn(account());
    const { requests, fetch } = recorded();
    const client = connect({ url: world().instance.url, token, onTokenRenewed, fetch });
    await client.users.current();
    expect(onTokenRenewed).not.toHaveBeenCalled();
    wait(50_000);
    await Promise.all([client.users.current(), client.users.current()]);
    expect(onTokenRenewed).toHaveBeenCalledTimes(1);
    const [[renewed = ""] = []] = onTokenRenewed.mock.calls;
    expect(requests.filter(({ url }) => url.endsWith("/renew"))).toHaveLength(1);
    expect(requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${renewed}`);
    wait(50_000);
    await client.users.current();
    expect(onTokenRenewed).toHaveBeenCalledTimes(2);
  });

  it("a token whose renewal fails is used until it expires, and renewed a minute later at the earliest", async () => {
    wait(0);
    const token = await signIn(account());
    const { requests, fetch } = recorded();
    const refusing = vi.fn<typeof fetch>((input, init) =>
      String(input).endsWith("/renew") ? Promise.resolve(refusal(500, "internal")) : fetch(input, init),
    );
    const client = connect({ url: world().instance.url, token, fetch: refusing });
    wait(50_000);
    await client.users.current();
    expect(requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${token}`);
    const tries = async (seconds: number) => {
      wait(seconds);
      await client.users.current();
      return refusing.mock.calls.filter(([url]) => String(url).endsWith("/renew")).length;
    };
    expect([await tries(0), await tries(20), await tries(60)]).toEqual([1, 1, 2]);
    wait(50_000);
    expect(await failure(client.users.current())).toMatchObject({ code: "unauthenticated" });
    // An expired token cannot be renewed.
    expect(refusing.mock.calls.filter(([url]) => String(url).endsWith("/renew"))).toHaveLength(2);
  });
});
