import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sqliteHttp } from "../support/instance.ts";
import { describePlaces, usePlace } from "./places.ts";

const posting = (title: string) => ["posts", "create", "--content-type", "news", "--title", title, "--body", "x"];

describePlaces("--idempotency-key", (place) => {
  const idOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await place().wcs([...args, "--json"]);
    if (code !== 0) throw new Error(stderr);
    const value = JSON.parse(stdout);
    return (value.data ?? value).id;
  };

  it("a command that is repeated with the same key makes one thing, and another with it is refused", async () => {
    const key = ["--idempotency-key", "news-1"];
    const first = await idOf(...posting("Once"), ...key);
    expect(await idOf(...posting("Once"), ...key)).toBe(first);
    expect(await idOf(...posting("Once"), "--idempotency-key", "news-2")).not.toBe(first);
    const other = await place().wcs([...posting("Twice"), ...key]);
    const said = "error: --idempotency-key was used for another request; use a new key.\n";
    expect([other.code, other.stderr]).toEqual([3, said]);
    const dry = await place().wcs([...posting("Twice"), ...key, "--dry-run"]);
    expect([dry.code, dry.stderr]).toEqual([
      0,
      expect.stringContaining("--idempotency-key has no effect in a dry run."),
    ]);
  });

  it("api takes it for POST", async () => {
    const line = ["api", "POST", "/groups", "-f", "name=Sailing"];
    const first = await idOf(...line, "--idempotency-key", "sailing");
    expect(await idOf(...line, "--idempotency-key", "sailing")).toBe(first);
    const read = await place().wcs(["api", "GET", "/groups", "--idempotency-key", "sailing"]);
    expect([read.code, read.stderr]).toEqual([2, expect.stringContaining("keeps no response to GET /groups")]);
  });

  it("is shown in the help of what would be made twice, and taken by all", async () => {
    const helpOf = async (...line: string[]) => (await place().wcs([...line, "--help"])).stdout;
    for (const line of [
      ["posts", "create"],
      ["users", "welcome"],
      ["posts", "files", "add"],
      ["posts", "republish"],
      ["webhooks", "resend"],
    ])
      expect(await helpOf(...line), line.join(" ")).toContain("--idempotency-key");
    for (const line of [
      ["posts", "like"],
      ["users", "deactivate"],
      ["conversations", "seen"],
    ])
      expect(await helpOf(...line), line.join(" ")).not.toContain("--idempotency-key");
    expect((await place().wcs(["users", "reactivate", "1", "--idempotency-key", "again"])).code).toBe(0);
  });

  it("conversations send takes it", async () => {
    const user = "users create --first-name Bo --last-name X --unit 1 --email bo@example.com --json".split(" ");
    const { stdout } = await place().wcs(user);
    const to = String(JSON.parse(stdout).id);
    const line = ["conversations", "send", "--to", to, "Hello", "--idempotency-key", "hello"];
    expect(await idOf(...line)).toBe(await idOf(...line));
  });

  it("a key that cannot be sent is refused, and one for several changes", async () => {
    const spaced = await place().wcs([...posting("Bad"), "--idempotency-key", "a b"]);
    expect([spaced.code, spaced.stderr]).toEqual([2, expect.stringContaining("1 to 255 visible ASCII characters")]);
    const several = await place().wcs(["users", "reactivate", "1", "2", "--idempotency-key", "both"]);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining("is for one change, not for several")]);
  });
});

describe("a change without a response", () => {
  const place = usePlace(sqliteHttp);
  let drop: (response: ServerResponse) => void;
  const methods: string[] = [];
  // Passes requests on, and loses the responses to changes, and to one read.
  const proxy = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = "", headers, url } = incoming;
    methods.push(method);
    const forwarded = request(new URL(url ?? "", place().args[1]), { method, headers }, (answer) => {
      if (method !== "GET" || url === "/api/timezones") answer.resume().on("end", () => drop(outgoing));
      else answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers));
    });
    incoming.pipe(forwarded);
  });
  beforeAll(() => new Promise<void>((done) => void proxy.listen(0, "127.0.0.1", done)));
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const through = (args: readonly string[]) => {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return place().home.wcs([...args, "--url", url], { env: place().env });
  };
  const titles = async (title: string) => {
    const { stdout } = await place().wcs(["posts", "list", "--json"]);
    return JSON.parse(stdout).filter((post: { title: string }) => post.title === title).length;
  };

  it("that took too long is not to be tried again blindly, and its key makes it once", async () => {
    drop = () => {};
    const { code, stderr } = await through([...posting("Slow"), "--timeout", "2s"]);
    expect([code, stderr]).toEqual([
      8,
      expect.stringMatching(
        /did not answer within 2 s\.\nhint: The change may have been made\. Repeat the command with --idempotency-key \S+: then it is made only once\.\n$/,
      ),
    ]);
    const [, key = ""] = /--idempotency-key (\S+):/.exec(stderr) ?? [];
    expect((await place().wcs([...posting("Slow"), "--idempotency-key", key])).code).toBe(0);
    expect(await titles("Slow")).toBe(1);
  });

  it("whose connection was lost says so after the last repetition", async () => {
    drop = (response) => response.destroy();
    methods.length = 0;
    const { code, stderr } = await through([...posting("Cut"), "--idempotency-key", "cut"]);
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining("may have been made. Repeat the command with --idempotency-key cut: then it is"),
    ]);
    expect(methods).toEqual(["POST", "POST", "POST"]);
    expect(await titles("Cut")).toBe(1);
    const update = await through(["units", "update", "1", "--name", "Acme AG"]);
    expect([update.code, update.stderr]).toEqual([
      8,
      expect.stringContaining("hint: The change may have been made. Look before you repeat it.\n"),
    ]);
    const raw = await through(["api", "POST", "/newer", "--idempotency-key", "new"]);
    expect([raw.code, raw.stderr]).toEqual([8, expect.stringContaining("--idempotency-key new: then it is")]);
  });

  it.each([502, 504, 524])("after status %s of a proxy names the proxy, too", async (status) => {
    drop = (response) => response.writeHead(status, { "content-type": "text/html" }).end();
    const proxy = "hint: A proxy answered in place of the service. Check that the service is running. The change may";
    const update = await through(["units", "update", "1", "--name", "Acme AG"]);
    expect([update.code, update.stderr]).toEqual([8, expect.stringContaining(`${proxy} have been made. Look before`)]);
    const post = await through([...posting(`Status ${status}`), "--idempotency-key", `k${status}`]);
    const { stderr } = post;
    expect(stderr).toContain(`${proxy} have been made. Repeat the command with --idempotency-key k${status}: then`);
    const newer = await through(["api", "PATCH", "/newer"]);
    expect([newer.code, newer.stderr]).toEqual([8, expect.stringContaining(`${proxy} have been made. Look before`)]);
  });

  it("after a success or a failure that is none of the service names the cause, too; after a refusal it was not made", async () => {
    const unsure = "(HTTP_PROXY, HTTPS_PROXY, NO_PROXY). The change may have been made.";
    const lines = [["users", "delete", "9", "--yes"], posting("Page"), ["api", "PATCH", "/newer"]];
    for (const status of [500, 200]) {
      drop = (response) => response.writeHead(status, { "content-type": "text/html" }).end();
      for (const line of lines) {
        const { code, stderr } = await through(line);
        expect([line, code, stderr]).toEqual([line, 8, expect.stringContaining(unsure)]);
      }
    }
    expect((await through(posting("Page"))).stderr).toContain("Repeat the command with --idempotency-key ");
    expect((await through([...posting("Page"), "--dry-run"])).stderr).not.toContain("may have been made");
    drop = (response) => response.writeHead(403, { "content-type": "text/html" }).end();
    for (const line of lines) expect((await through(line)).stderr).not.toContain("may have been made");
  });

  it("was not sent when the connection was not made in time", async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((done) => void silent.listen(0, "127.0.0.1", done));
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const line = ["units", "update", "1", "--name", "Acme AG", "--url", url, "--timeout", "1s"];
    const { code, stderr } = await place().home.spawn(line, { env: place().env });
    silent.close();
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining("did not accept the connection within 1 s.\nhint: Check"),
    ]);
  });

  it("names no key when it is one of several changes", async () => {
    drop = (response) => response.destroy();
    const { code, stderr } = await through(["users", "reactivate", "1", "1", "2"]);
    expect([code, stderr]).toEqual([8, expect.stringContaining("may have been made. Look before you repeat it.")]);
  });

  it("is not meant by the hint of a read, a dry run or a refused connection", async () => {
    drop = (response) => response.destroy();
    const read = await through(["api", "GET", "/timezones"]);
    expect([read.code, read.stderr]).toEqual([8, expect.stringContaining("hint: Check the URL")]);
    const dry = await through([...posting("Dry"), "--dry-run"]);
    expect([dry.code, dry.stderr]).toEqual([8, expect.not.stringContaining("may have been made")]);
    const closed = await place().home.wcs([...posting("Closed"), "--url", "http://127.0.0.1:1"], { env: place().env });
    expect([closed.code, closed.stderr]).toEqual([8, expect.stringContaining("hint: Check the URL")]);
  });
});
