import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { encode } from "../../src/http/codec.ts";
import { freePort } from "../support/free-port.ts";
import { describeBehind, listens, longestPoll, type ProxyExample, type Site } from "./behind-proxy.ts";
import { example, filledIn } from "./support.ts";

/** Writes the example as the only site of a configuration, and returns the arguments that name it. */
function writeSite({ tls, plain, upstream, certificate, key }: Site, folder: string, more: Record<string, string>) {
  mkdirSync(folder);
  const site = filledIn(example("Caddyfile"), {
    ...more,
    "wcs.example.com {": `https://localhost:${tls} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
    "127.0.0.1:8420": upstream,
  });
  const options = `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${tls}\n}\n`;
  writeFileSync(`${folder}/Caddyfile`, options + site);
  return ["--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"];
}

function startCaddy(site: Site, folder: string, more: Record<string, string> = {}) {
  return spawn("caddy", ["run", ...writeSite(site, folder, more)], {
    env: { PATH: process.env.PATH ?? "", HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

const caddy: ProxyExample = {
  name: "caddy",
  package: "caddy",
  versionFlag: "version",
  maxBodyLength: Number(/max_size (\d+)MiB/.exec(example("Caddyfile"))?.[1]) * 1024 * 1024,
  start: startCaddy,
};

const limited = { "transport http {": "transport http {\nresponse_header_timeout 1s" };

describeBehind(caddy, ({ home, site, client, signIn }) => {
  const running: ReturnType<typeof startCaddy>[] = [];
  afterAll(() => {
    for (const child of running) child.kill("SIGKILL");
  });

  it("the example sets no time limit of Caddy that could cut a long poll; they are off unless they are set", () => {
    const limitsOf = (name: string, more: Record<string, string>) => {
      const folder = home().path(name);
      const config = execFileSync("caddy", ["adapt", ...writeSite(site(), folder, more)], {
        env: { PATH: process.env.PATH ?? "", HOME: folder },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      return config.match(/"\w+_timeout":\d+/g);
    };
    const harmless = ['"expect_continue_timeout":10000000000', '"idle_timeout":60000000000'];
    expect(limitsOf("unlimited", {})?.sort()).toEqual(harmless);
    expect(limitsOf("limited", limited)?.sort()).toEqual([...harmless, '"response_header_timeout":1000000000']);
  });

  it("a limit of Caddy would cut the longest poll, which passes with the example", async () => {
    expect((await home().wcs(["conversations", "send", "--to", "bob@example.com", "Quiet"])).code).toBe(0);
    const impatient = { ...site(), tls: await freePort(), plain: await freePort() };
    running.push(startCaddy(impatient, home().path("impatient"), limited));
    await listens(running[0]!, impatient.tls);
    const token = await signIn();
    const [patient, hasty] = [
      client(token, { timeout: 120_000 }),
      client(token, { url: `https://localhost:${impatient.tls}/wcs` }),
    ];
    const { meta } = await patient.call(conversations.follow, { id: 1 });
    const input = { id: 1, after: meta.last_id, wait: longestPoll };
    const waiting = patient.call(conversations.follow, input);
    const { path, query } = encode(conversations.follow, input);
    // Without retries.
    expect((await hasty.raw("GET", path, { query })).status).toBe(504);
    // The poll through the example began earlier, and still waits for its message.
    await home().wcs(["conversations", "send", "--to", "1", "Loud", "--as", "bob@example.com"]);
    expect((await waiting).data.map(({ message }) => message)).toEqual(["Loud"]);
    for (const caller of [patient, hasty]) await caller.close();
  });
});
