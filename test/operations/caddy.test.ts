import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { describeBehind, longestPoll, type ProxyExample } from "./behind-proxy.ts";
import { example, filledIn } from "./support.ts";

const caddy: ProxyExample = {
  name: "caddy",
  package: "caddy",
  versionFlag: "version",
  largestBody: Number(/max_size (\d+)MiB/.exec(example("Caddyfile"))?.[1]) * 1024 * 1024,
  start({ tls, plain, upstream, certificate, key }, folder) {
    mkdirSync(folder);
    const site = filledIn(example("Caddyfile"), {
      "wcs.example.com {": `https://localhost:${tls} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
      "127.0.0.1:8420": upstream,
    });
    const options = `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${tls}\n}\n`;
    writeFileSync(`${folder}/Caddyfile`, options + site);
    return spawn("caddy", ["run", "--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"], {
      env: { PATH: process.env.PATH ?? "", HOME: folder },
      stdio: ["ignore", "ignore", "pipe"],
    });
  },
};

describeBehind(caddy, ({ home, client, signIn }) => {
  it("the longest poll without a message ends with the answer of the service", async () => {
    const caller = client(await signIn(), { timeout: 120_000 });
    expect((await home().wcs(["conversations", "send", "--to", "bob@example.com", "Quiet"])).code).toBe(0);
    const { meta } = await caller.call(conversations.follow, { id: 1 });
    const answer = await caller.call(conversations.follow, { id: 1, after: meta.last_id, wait: longestPoll });
    expect(answer.data).toEqual([]);
    await caller.close();
  });
});
