import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { uploadLimit } from "../../src/contract/file-schemas.ts";
import type { Client } from "../../src/http/client/client.ts";
import { createClient } from "../../src/http/client/client.ts";
import { type Home, useHome } from "../cli/support.ts";
import { freePort } from "../support/free-port.ts";
import { type Mailbox, newMailbox } from "../support/mailbox.ts";
import { example, filledIn, type Server, serve, writeConfig } from "./support.ts";

/** Where a proxy listens, with TLS and without, where it leads to, and its certificate. */
export interface Site {
  readonly tls: number;
  readonly plain: number;
  readonly upstream: string;
  readonly certificate: string;
  readonly key: string;
}

/** A proxy that runs with its example. */
export interface ProxyExample {
  readonly name: string;
  readonly package: string;
  /** Argument that makes the program print its version. */
  readonly versionFlag: string;
  /** Bytes of the largest body that the example lets through. */
  readonly maxBodyLength: number;
  start(site: Site, folder: string): ChildProcess;
}

/** Used by the further tests of a proxy. */
export interface ProxiedService {
  readonly home: () => Home;
  readonly site: () => Site;
  readonly client: (token: string, options?: { readonly timeout?: number; readonly url?: string }) => Client;
  readonly signIn: () => Promise<string>;
}

const password = "a password that nobody guesses";
export const longestPoll = Number(conversations.follow.input().shape.wait.unwrap().maxValue);

/** Returns whether the programs of a test can be started; says which package has what is missing. */
export function canRun(proxy: ProxyExample): boolean {
  const isThere = (program: string, flag: string) => spawnSync(program, [flag]).status === 0;
  if (isThere(proxy.name, proxy.versionFlag) && isThere("openssl", "version")) return true;
  process.stderr.write(
    `${proxy.name} or openssl is missing, so its example was not tested: apt-get install ${proxy.package}.\n`,
  );
  return false;
}

/** Waits until a process listens on a port. Throws its stderr when it ends instead. */
export async function listens(child: ChildProcess, port: number): Promise<void> {
  let said = "";
  child.stderr?.on("data", (chunk) => (said += chunk));
  const isOpen = () =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(socket.destroy() !== undefined)).once("error", () => resolve(false));
    });
  while (!(await isOpen())) {
    if (child.exitCode !== null) throw new Error(said);
    await sleep(20);
  }
}

/** Makes a certificate for localhost that signed itself, and its key. */
function makeCertificate({ certificate, key }: Site): void {
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const args = [...options, "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-addext", names];
  execFileSync("openssl", ["req", "-x509", ...args], { stdio: "ignore" });
}

/** Starts the service with the configuration of the examples. */
async function startService(home: Home, base: string, mailbox: Mailbox): Promise<Server> {
  await home.wcs(["users", "password", "1", "--password-stdin"], { stdin: password });
  const user = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--unit", "1"];
  await home.wcs(["users", "create", ...user]);
  await home.wcs(["settings", "set", "mail.from", "wcs@example.com"]);
  writeFileSync(home.path("secret.key"), Buffer.alloc(32, 3).toString("base64"), { mode: 0o600 });
  const config = filledIn(example("wcs.yaml"), {
    "/var/lib/wcs/wcs.db": `${home.env.XDG_DATA_HOME}/wcs/wcs.db`,
    "port: 8420": "port: 0",
    "metrics_port: 9464": "metrics_port: 0",
    '[127.0.0.1, "::1"]': "[127.0.0.1]",
    "https://wcs.example.com/wcs": base,
  });
  return serve(home, ["--config", writeConfig(home, `${config}smtp_url: smtp://127.0.0.1:${mailbox.port}\n`)]);
}

interface Sent {
  readonly localAddress?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: string;
}

/** Tests that the service works behind a proxy with its example; `further` adds tests of this proxy only. */
export function describeBehind(proxy: ProxyExample, further: (service: ProxiedService) => void = () => {}): void {
  describe.skipIf(!canRun(proxy))(`wcs behind ${proxy.name} as in examples/operations`, () => {
    serviceBehind(proxy, further);
  });
}

function serviceBehind(proxy: ProxyExample, further: (service: ProxiedService) => void): void {
  const home = useHome();
  let server: Server;
  let mailbox: Mailbox;
  let site: Site;
  let ca: string;
  let base: string;
  let started: ChildProcess;

  beforeAll(async () => {
    const [tls, plain] = [await freePort(), await freePort()];
    const files = { certificate: home().path("cert.pem"), key: home().path("key.pem") };
    mailbox = await newMailbox();
    base = `https://localhost:${tls}/wcs`;
    server = await startService(home(), base, mailbox);
    site = { tls, plain, upstream: new URL(server.url).host, ...files };
    makeCertificate(site);
    ca = readFileSync(site.certificate, "utf8");
    started = proxy.start(site, home().path(proxy.name));
    await listens(started, tls);
  });
  afterAll(async () => {
    for (const child of [started, server?.process]) child?.kill("SIGKILL");
    await mailbox?.close();
  });

  const clientFor = (token?: string, options = {}) =>
    createClient({ url: base, userAgent: "test", ca, ...(token && { token }), ...options });
  const signIn = async (): Promise<string> => {
    const client = clientFor();
    const [{ jwt }] = await client.call(auth.authenticate, { username: "ada@example.com", password });
    await client.close();
    return jwt;
  };
  /** Sends a request from an address of this machine and returns the status and the body. */
  function send(path: string, { localAddress = "127.0.0.1", headers = {}, method = "GET", body }: Sent = {}) {
    return new Promise<{ status: number; text: string; location: string | undefined }>((resolve, reject) => {
      const sent = request(
        `${base}${path}`,
        {
          ca,
          localAddress,
          headers: { host: `localhost:${site.tls}`, ...headers },
          method,
          servername: "localhost",
          host: "127.0.0.1",
        },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (chunk) => (text += chunk));
          // An answer that has come has a status.
          answer.on("end", () => resolve({ status: answer.statusCode!, text, location: answer.headers.location }));
        },
      );
      sent.on("error", reject).end(body);
    });
  }

  it("serves API, pages and redirects below the path, and nothing beside it", async () => {
    expect((await send("/readyz")).status).toBe(200);
    expect((await send("/")).text).toContain("Acme");
    expect(await send("")).toMatchObject({ location: expect.stringMatching(/\/wcs\/$/) });
    expect((await send("/metrics")).status).toBe(404);
    const client = clientFor(await signIn());
    const document = JSON.parse((await send("/openapi.json")).text) as { servers: { url: string }[] };
    expect(document.servers[0]?.url).toBe(base);
    await client.close();
    const plain = await new Promise((resolve) => {
      const where = { host: "127.0.0.1", port: site.plain, path: "/wcs/docs", headers: { host: "localhost" } };
      httpRequest(where, (answer) => resolve(answer.headers.location)).end();
    });
    expect(plain).toMatch(/^https:\/\/localhost(:\d+)?\/wcs\/docs$/);
  });

  it("links in mails begin with the base URL and lead through the proxy", async () => {
    expect((await home().wcs(["users", "welcome", "bob@example.com"])).code).toBe(0);
    await expect.poll(() => mailbox.mails.length).toBe(1);
    const link = /https?:\S+token=\S+/.exec(mailbox.mails[0]!.text)![0];
    expect(link.startsWith(`${base}/welcome?`)).toBe(true);
    expect((await send(link.slice(base.length))).text).toContain("<form");
  });

  it("limits of sign-ins and the audit log see the client's own address, not one that it made up", async () => {
    const attempt = async (localAddress: string) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" };
      const body = JSON.stringify({ username: "ada@example.com", password: "wrong" });
      return (await send("/api/authenticate", { localAddress, headers, method: "POST", body })).status;
    };
    const statuses = [];
    for (let time = 0; time < 11; time++) statuses.push(await attempt("127.0.0.2"));
    expect([statuses.slice(0, 10), statuses[10]]).toEqual([Array(10).fill(401), 429]);
    expect(await attempt("127.0.0.3")).toBe(401);
    const listed = await home().wcs(["audit", "list", "--operation", "auth.authenticate", "--limit", "20", "--json"]);
    const addresses = new Set((JSON.parse(listed.stdout) as { address: string }[]).map(({ address }) => address));
    expect([addresses.has("127.0.0.2"), addresses.has("127.0.0.3"), addresses.has("203.0.113.9")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("a file of the largest size passes; a larger body is answered with 413", async () => {
    const token = await signIn();
    const file = home().path("large.bin");
    writeFileSync(file, Buffer.alloc(26_214_400, 7));
    const message = ["conversations", "send", "--to", "bob@example.com", "Here", "--file", file, "--json"];
    const env = { WCS_TOKEN: token, WCS_URL: base };
    expect(await home().spawn([...message, "--ca-file", site.certificate], { env })).toMatchObject({ code: 0 });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const length = String(uploadLimit + 1);
    const refused = await send("/api/conversations", {
      method: "POST",
      headers: { ...headers, "content-length": length, expect: "100-continue" },
    }).catch(() => undefined);
    expect(refused?.status).toBe(413);
    expect(proxy.maxBodyLength).toBeGreaterThan(uploadLimit);
  });

  it("an upload that is refused gets the reason each time", async () => {
    const body = JSON.stringify({ message: "A".repeat(30_000_000) });
    const client = clientFor("invalid");
    const statuses = [];
    for (let time = 0; time < 12; time++)
      statuses.push((await client.raw("POST", "/api/conversations", { body })).status);
    await client.close();
    expect(statuses).toEqual(Array(12).fill(401));
  });

  it("a poll gets its message", async () => {
    expect((await home().wcs(["conversations", "send", "--to", "bob@example.com", "one"])).code).toBe(0);
    const client = clientFor(await signIn());
    const { meta } = await client.call(conversations.follow, { id: 1 });
    const answer = client.call(conversations.follow, { id: 1, after: meta.last_id, wait: longestPoll });
    await home().wcs(["conversations", "send", "--to", "1", "two", "--as", "bob@example.com"]);
    expect((await answer).data.map(({ message }) => message)).toEqual(["two"]);
    await client.close();
  });

  further({ home, site: () => site, client: clientFor, signIn });
}
