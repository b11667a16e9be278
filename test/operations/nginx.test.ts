import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auth } from "../../src/contract/auth.ts";
import { conversations } from "../../src/contract/conversations.ts";
import { uploadLimit } from "../../src/contract/file-schemas.ts";
import { createClient } from "../../src/http/client/client.ts";
import { start, useHome } from "../cli/support.ts";
import { type Mailbox, newMailbox } from "../support/mailbox.ts";
import { freePort } from "../support/postgres.ts";
import { example, filledIn, type Server, serve, writeConfig } from "./support.ts";

const hasNginx = spawnSync("nginx", ["-v"]).status === 0 && spawnSync("openssl", ["version"]).status === 0;
if (!hasNginx)
  process.stderr.write(
    "nginx or openssl is missing, so the example for nginx was not tested: apt-get install nginx-light.\n",
  );

const password = "a password that nobody guesses";
const home = useHome();
let server: Server;
let mailbox: Mailbox;
let ca: string;
/** Where nginx listens with TLS, and the base URL with its path. */
let port: number;
let base: string;
const running: ChildProcess[] = [];

/** Starts nginx with the example as its only site. */
async function startNginx(name: string, values: Record<string, string>): Promise<void> {
  const folder = home().path(name);
  mkdirSync(folder);
  const site = filledIn(example("nginx.conf"), values);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (each) => `${each}_temp_path ${folder}/${each};`,
  );
  const main = `daemon off;\nmaster_process off;\nerror_log stderr;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${paths.join("\n")}\n${site}}\n`;
  writeFileSync(`${folder}/nginx.conf`, main);
  const nginx = spawn("nginx", ["-p", folder, "-e", "stderr", "-c", `${folder}/nginx.conf`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.push(nginx);
  let said = "";
  nginx.stderr.on("data", (chunk) => (said += chunk));
  const wanted = Number(/127\.0\.0\.1:(\d+) ssl/.exec(site)?.[1]);
  const isOpen = () =>
    new Promise((resolve) => {
      const socket = connect(wanted, "127.0.0.1");
      socket.once("connect", () => resolve(socket.destroy() !== undefined)).once("error", () => resolve(false));
    });
  while (!(await isOpen())) {
    if (nginx.exitCode !== null) throw new Error(said);
    await sleep(20);
  }
}

const placed = (tls: number, plain: number) => ({
  "listen 80;": `listen 127.0.0.1:${plain};`,
  "listen 443 ssl;": `listen 127.0.0.1:${tls} ssl;`,
  "server_name wcs.example.com;": "server_name localhost;",
  "/etc/letsencrypt/live/wcs.example.com/fullchain.pem": home().path("cert.pem"),
  "/etc/letsencrypt/live/wcs.example.com/privkey.pem": home().path("key.pem"),
  "server 127.0.0.1:8420;": `server ${new URL(server.url).host};`,
});

beforeAll(async () => {
  if (!hasNginx) return;
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const files = ["-keyout", home().path("key.pem"), "-out", home().path("cert.pem")];
  const options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...options, ...files, "-subj", "/CN=localhost", "-addext", names], {
    stdio: "ignore",
  });
  ca = readFileSync(home().path("cert.pem"), "utf8");
  mailbox = await newMailbox();
  await home().wcs(["users", "password", "1", "--password-stdin"], { stdin: password });
  const user = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--unit", "1"];
  await home().wcs(["users", "create", ...user]);
  await home().wcs(["settings", "set", "mail.from", "wcs@example.com"]);
  port = await freePort();
  base = `https://localhost:${port}/wcs`;
  writeFileSync(home().path("secret.key"), Buffer.alloc(32, 3).toString("base64"), { mode: 0o600 });
  const config = filledIn(example("wcs.yaml"), {
    "/var/lib/wcs/wcs.db": `${home().env.XDG_DATA_HOME}/wcs/wcs.db`,
    "port: 8420": "port: 0",
    "metrics_port: 9464": "metrics_port: 0",
    '[127.0.0.1, "::1"]': "[127.0.0.1]",
    "https://wcs.example.com/wcs": base,
  });
  server = await serve(home(), [
    "--config",
    writeConfig(home(), `${config}smtp_url: smtp://127.0.0.1:${mailbox.port}\n`),
  ]);
  await startNginx("nginx", placed(port, await freePort()));
});
afterAll(async () => {
  for (const child of [...running, server?.process]) child?.kill("SIGKILL");
  await mailbox?.close();
});

const clientFor = (token?: string) => createClient({ url: base, userAgent: "test", ca, ...(token && { token }) });
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
      { ca, localAddress, headers, method, servername: "localhost", host: "127.0.0.1" },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        answer.on("end", () => resolve({ status: answer.statusCode!, text, location: answer.headers.location }));
      },
    );
    sent.on("error", reject).end(body);
  });
}
interface Sent {
  readonly localAddress?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: string;
}

describe.skipIf(!hasNginx)("wcs behind nginx as in examples/operations", () => {
  it("serves API, pages and redirects below the path, and nothing beside it", async () => {
    expect((await send("/readyz")).status).toBe(200);
    expect((await send("/")).text).toContain("Acme");
    expect(await send("")).toMatchObject({ status: 301, location: expect.stringMatching(/\/wcs\/$/) });
    expect((await send("/metrics")).status).toBe(404);
    const client = clientFor(await signIn());
    const document = JSON.parse((await send("/openapi.json")).text) as { servers: { url: string }[] };
    expect(document.servers[0]?.url).toBe(base);
    await client.close();
    const plain = await new Promise((resolve) => {
      const site = readFileSync(home().path("nginx/nginx.conf"), "utf8");
      const wanted = Number(/listen 127\.0\.0\.1:(\d+);/.exec(site)?.[1]);
      httpRequest({ host: "127.0.0.1", port: wanted, path: "/wcs/docs" }, (answer) =>
        resolve(answer.headers.location),
      ).end();
    });
    expect(plain).toBe("https://127.0.0.1/wcs/docs");
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
    const env = { WCS_TOKEN: token, WCS_URL: base, NODE_EXTRA_CA_CERTS: home().path("cert.pem") };
    const sent = await home().spawn(
      [
        "conversations",
        "send",
        "--to",
        "bob@example.com",
        "Here",
        "--file",
        file,
        "--ca-file",
        home().path("cert.pem"),
        "--json",
      ],
      { env },
    );
    expect(sent).toMatchObject({ code: 0 });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const length = String(uploadLimit + 1);
    const refused = await send("/api/conversations", {
      method: "POST",
      headers: { ...headers, "content-length": length, expect: "100-continue" },
    }).catch(() => undefined);
    expect(refused?.status).toBe(413);
    const limit = Number(/client_max_body_size (\d+)m;/.exec(example("nginx.conf"))?.[1]) * 1024 * 1024;
    expect(limit).toBeGreaterThan(uploadLimit);
  });

  it("nginx waits longer than the longest poll, and a poll gets its message", async () => {
    const longest = Number(conversations.follow.input().shape.wait.unwrap().maxValue);
    const seconds = Number(/proxy_read_timeout (\d+)s;/.exec(example("nginx.conf"))?.[1]);
    expect(seconds).toBeGreaterThan(longest);
    expect((await home().wcs(["conversations", "send", "--to", "bob@example.com", "one"])).code).toBe(0);
    const client = clientFor(await signIn());
    const { meta } = await client.call(conversations.follow, { id: 1 });
    const answer = client.call(conversations.follow, { id: 1, after: meta.last_id, wait: longest });
    await home().wcs(["conversations", "send", "--to", "1", "two", "--as", "bob@example.com"]);
    expect((await answer).data.map(({ message }) => message)).toEqual(["two"]);
    await client.close();
  });

  it("a proxy that cuts long polls: the command connects again and misses nothing", async () => {
    const tls = await freePort();
    await startNginx("impatient", {
      ...placed(tls, await freePort()),
      "proxy_read_timeout 90s;": "proxy_read_timeout 1s;",
    });
    const url = base.replace(String(port), String(tls));
    const token = await signIn();
    const follow = start(
      [
        "conversations",
        "follow",
        "1",
        "--last",
        "0",
        "-o",
        "ndjson",
        "--url",
        url,
        "--ca-file",
        home().path("cert.pem"),
      ],
      { ...home().env, WCS_TOKEN: token },
    );
    running.push(follow);
    const said = { stdout: "", stderr: "" };
    follow.stdout?.on("data", (chunk) => (said.stdout += chunk));
    follow.stderr?.on("data", (chunk) => (said.stderr += chunk));
    while (!said.stderr.includes("Retrying until it is back.")) await once(follow.stderr!, "data");
    await home().wcs(["conversations", "send", "--to", "1", "three", "--as", "bob@example.com"]);
    while (!said.stdout.includes('"three"')) await once(follow.stdout!, "data");
    expect(said.stdout.trim().split("\n")).toHaveLength(1);
  });
});
