import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { start } from "../cli/support.ts";
import { freePort } from "../support/free-port.ts";
import { receiverOfTest } from "../support/receiver.ts";
import { describeBehind, listens, longestPoll, type ProxyExample, type Site } from "./behind-proxy.ts";
import { example, filledIn } from "./support.ts";

/** Starts nginx with the example as its only site. */
function startNginx(
  { tls, plain, upstream, certificate, key }: Site,
  folder: string,
  more: Record<string, string> = {},
) {
  mkdirSync(folder);
  const site = filledIn(example("nginx.conf"), {
    "listen 80;": `listen 127.0.0.1:${plain};`,
    "listen 443 ssl;": `listen 127.0.0.1:${tls} ssl;`,
    "server_name wcs.example.com;": "server_name localhost;",
    "/etc/letsencrypt/live/wcs.example.com/fullchain.pem": certificate,
    "/etc/letsencrypt/live/wcs.example.com/privkey.pem": key,
    "server 127.0.0.1:8420;": `server ${upstream};`,
    ...more,
  });
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (each) => `${each}_temp_path ${folder}/${each};`,
  );
  const main = `daemon off;\nmaster_process off;\nerror_log stderr;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${paths.join("\n")}\n${site}}\n`;
  writeFileSync(`${folder}/nginx.conf`, main);
  return spawn("nginx", ["-p", folder, "-e", "stderr", "-c", `${folder}/nginx.conf`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

const nginx: ProxyExample = {
  name: "nginx",
  package: "nginx-light",
  versionFlag: "-v",
  maxBodyLength: Number(/client_max_body_size (\d+)m;/.exec(example("nginx.conf"))?.[1]) * 1024 * 1024,
  start: startNginx,
};

describeBehind(nginx, ({ home, site, signIn }) => {
  const running: ReturnType<typeof start>[] = [];
  afterAll(() => {
    for (const child of running) child.kill("SIGKILL");
  });

  it("nginx waits longer than the longest poll", () => {
    const seconds = Number(/proxy_read_timeout (\d+)s;/.exec(example("nginx.conf"))?.[1]);
    expect(seconds).toBeGreaterThan(longestPoll);
  });

  /** Starts an nginx that waits one second for an answer, and returns a function that starts a command behind it. */
  async function behindImpatientNginx() {
    const other = { ...site(), tls: await freePort(), plain: await freePort() };
    const impatient = startNginx(other, home().path(`impatient-${other.tls}`), {
      "proxy_read_timeout 90s;": "proxy_read_timeout 1s;",
    });
    running.push(impatient);
    await listens(impatient, other.tls);
    const env = { ...home().env, WCS_TOKEN: await signIn() };
    return (args: readonly string[]) => {
      const target = ["--url", `https://localhost:${other.tls}/wcs`, "--ca-file", other.certificate];
      const child = start([...args, "-o", "ndjson", ...target], env);
      running.push(child);
      const said = { stdout: "", stderr: "" };
      child.stdout?.on("data", (chunk) => (said.stdout += chunk));
      child.stderr?.on("data", (chunk) => (said.stderr += chunk));
      const cuts = () => said.stderr.split("Retrying until it is back.").length - 1;
      const rows = () =>
        said.stdout
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      return { said, cuts, rows };
    };
  }

  it("a proxy that cuts long polls: conversations follow goes on, without loss or repeats", async () => {
    const run = await behindImpatientNginx();
    const follow = run(["conversations", "follow", "1", "--last", "0"]);
    const texts: string[] = [];
    // One message while a poll is cut, then one when it may be open, and two at once.
    for (const round of [1, 2, 3]) {
      await expect.poll(follow.cuts).toBeGreaterThanOrEqual(round);
      for (const text of [`${round} cut`, `${round} next`]) {
        texts.push(text);
        await home().wcs(["conversations", "send", "--to", "1", text, "--as", "bob@example.com"]);
      }
      await expect.poll(() => follow.rows().length).toBeGreaterThanOrEqual(texts.length);
    }
    expect(follow.rows().map(({ message }) => message)).toEqual(texts);
  });

  it("a proxy that cuts long polls: webhooks logs --follow misses and repeats nothing", async () => {
    const run = await behindImpatientNginx();
    const receiver = await receiverOfTest();
    await home().wcs(["settings", "set", "webhooks.allow_private", "true"]);
    const hook = ["--name", "ci", "--uri", receiver.url, "--triggers", "unit.create"];
    expect((await home().wcs(["webhooks", "create", ...hook])).code).toBe(0);
    const follow = run(["webhooks", "logs", "1", "--follow", "--since", "-1h"]);
    for (const round of [1, 2, 3]) {
      await home().wcs(["units", "create", "--name", `Round ${round}`, "--parent", "1"]);
      await expect.poll(() => follow.rows().length).toBeGreaterThanOrEqual(round);
    }
    const ids = follow.rows().map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });
});
