import { once } from "node:events";
import { Agent, get } from "node:http";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { changeDirectly } from "../support/direct.ts";
import { isFull } from "../support/effort.ts";
import type { DatabaseKind } from "../support/instance.ts";
import { receiverOfTest } from "../support/receiver.ts";
import { usePlace } from "./places.ts";
import { finished, start } from "./support.ts";

const metricsToken = "metrics-token";
/** The longer form has the other database. */
const kinds: readonly DatabaseKind[] = isFull ? ["postgres"] : ["sqlite"];

describe.each(kinds)("serve --workers on %s", (database) => {
  const place = usePlace({ database, caller: "local" });
  let server: ReturnType<typeof start> | undefined;
  let token = "";
  beforeAll(async () => {
    await place().wcs(["settings", "set", "webhooks.allow_private", "true"]);
    token = JSON.parse(
      (await place().wcs(["tokens", "create", "--name", "t", "--scopes", "write", "--json"])).stdout,
    ).token;
  });
  afterEach(() => void server?.kill("SIGKILL"));

  /** Starts a server and returns its URL and the lines of its log. */
  async function serve(...more: string[]) {
    const { home, local } = place();
    const env = { ...home.env, WCS_METRICS_TOKEN: metricsToken };
    server = start(["serve", ...local, "--port", "0", "--workers", "2", "--shutdown-notice", "0", ...more], env);
    const log: string[] = [];
    createInterface({ input: server.stderr! }).on("line", (line) => log.push(line));
    const [url] = await once(server.stdout!, "data");
    return { url: String(url).trim(), log, process: server };
  }

  const said = (log: readonly string[], message: string) =>
    log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
  const untilReady = (log: readonly string[], count: number) =>
    expect.poll(() => said(log, "a worker is ready")).toHaveLength(count);
  const ask = (url: string, method = "GET", body?: object) =>
    fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const statusOf = async (url: string, agent: Agent) => {
    const asked = get(url, { agent, headers: { authorization: `Bearer ${metricsToken}` } });
    const [response] = await once(asked, "response");
    response.resume();
    return response.statusCode;
  };
  const countedRequests = async (url: string) => {
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    const text = await metrics.text();
    expect(text.match(/^wcs_waiting\{what="due"\} 0$/gm)).toHaveLength(1);
    // That of the newest worker, as the rule of restarts needs it.
    const [, started] = /^process_start_time_seconds (\d+)$/m.exec(text) ?? [];
    expect(Math.abs(Number(started) - Date.now() / 1000)).toBeLessThan(3600);
    return Number(/_count\{[^}]*route="\/units\/\{id\}"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
  };

  it("both answer on one port, metrics are of both, and SIGTERM ends both", async () => {
    const { url, log, process } = await serve();
    await untilReady(log, 2);
    const answering = new Set<number>();
    let sent = 0;
    // Until both have written a line of the log.
    await expect
      .poll(async () => {
        expect((await ask(`${url}/api/units/1`)).status).toBe(200);
        sent += 1;
        for (const line of log) if (line.includes('"request"')) answering.add(JSON.parse(line).pid);
        return answering.size;
      })
      .toBe(2);
    await expect.poll(() => countedRequests(url)).toBe(sent);
    const ended = once(process, "close");
    process.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(log.filter((line) => line.includes('"finishing"'))).toHaveLength(2);
    expect(log.every((line) => JSON.parse(line).level < 50)).toBe(true);
  });

  it("when one is killed while metrics are collected, the server goes on and replaces it", async () => {
    const { url, log, process } = await serve();
    await untilReady(log, 2);
    const agent = new Agent({ keepAlive: true });
    expect(await statusOf(`${url}/metrics`, agent)).toBe(200);
    const ofRequest = () => log.map((line) => JSON.parse(line)).find(({ route }) => route === "/metrics");
    await expect.poll(ofRequest).toBeDefined();
    const { worker: other } = said(log, "a worker is ready").find(({ worker }) => worker !== ofRequest().pid);
    // The main process learns of the end of one worker and of the question of the other one at the same moment, nearly
    // always of the question first.
    process.kill("SIGSTOP");
    globalThis.process.kill(other, "SIGKILL");
    const status = statusOf(`${url}/metrics`, agent);
    process.kill("SIGCONT");
    expect([503, 200]).toContain(await status);
    await untilReady(log, 3);
    expect(await statusOf(`${url}/metrics`, agent)).toBe(200);
    agent.destroy();
    process.kill("SIGTERM");
    expect(await once(process, "close")).toEqual([0, null]);
  });

  it("when the worker that delivers is killed, the other one delivers and another one is started", async () => {
    const receiver = await receiverOfTest();
    const hook = JSON.stringify({ name: "hook", uri: receiver.url, triggers: ["unit.update"] });
    expect((await place().wcs(["webhooks", "create", "--data", hook])).code).toBe(0);
    const { url, log, process } = await serve();
    let name = 0;
    const change = async () =>
      expect((await ask(`${url}/api/units/1`, "PATCH", { name: `Acme ${name++}` })).status).toBe(200);
    for (let killed = 0; killed < 2; killed += 1) {
      await untilReady(log, 2 + killed);
      await change();
      await receiver.until(killed + 1);
      globalThis.process.kill(said(log, "a worker delivers webhooks and mail").at(-1).worker, "SIGKILL");
      await expect.poll(() => said(log, "a worker ended and will be replaced")).toHaveLength(killed + 1);
    }
    await change();
    await receiver.until(3);
    process.kill("SIGTERM");
    expect(await once(process, "close")).toEqual([0, null]);
    await receiver.close();
  });

  // The main process gives a worker half a minute.
  it.runIf(isFull)("a worker that hangs is killed and replaced, and the server ends as usual", async () => {
    const { log, process } = await serve();
    await untilReady(log, 2);
    const [{ worker }] = said(log, "a worker is ready");
    globalThis.process.kill(worker, "SIGSTOP");
    await untilReady(log, 3);
    expect(said(log, "a worker does not respond and is killed")).toMatchObject([{ worker }]);
    expect(said(log, "a worker ended and will be replaced")).toMatchObject([{ worker, signal: "SIGKILL" }]);
    process.kill("SIGTERM");
    expect(await once(process, "close")).toEqual([0, null]);
  });

  it("a worker that takes over the deliveries while the settings cannot be read goes on, and delivers later", async () => {
    const receiver = await receiverOfTest();
    const hook = JSON.stringify({ name: "later", uri: receiver.url, triggers: ["unit.update"] });
    expect((await place().wcs(["webhooks", "create", "--data", hook])).code).toBe(0);
    const { url, log, process } = await serve();
    await untilReady(log, 2);
    const broken = { key: "name", value: "no JSON" };
    await changeDirectly(place().target, (tx) => tx.insertInto("settings").values(broken).execute());
    globalThis.process.kill(said(log, "a worker delivers webhooks and mail").at(-1).worker, "SIGKILL");
    await expect.poll(() => said(log, "the settings of mail cannot be read")).toHaveLength(1);
    await untilReady(log, 3);
    await changeDirectly(place().target, (tx) => tx.deleteFrom("settings").where("key", "=", "name").execute());
    expect((await ask(`${url}/api/units/1`, "PATCH", { name: "Late" })).status).toBe(200);
    await receiver.until(1);
    expect(said(log, "a worker ended and will be replaced")).toHaveLength(1);
    process.kill("SIGTERM");
    expect(await once(process, "close")).toEqual([0, null]);
    await receiver.close();
  });
});

describe("serve --workers", () => {
  const place = usePlace();

  it("a port in use is told once, by the exit code of one process", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const port = String((taken.address() as { port: number }).port);
    const { home, local } = place();
    const { code, stderr } = await finished(start(["serve", ...local, "--port", port, "--workers", "3"], home.env));
    expect({ code, stderr }).toEqual({ code: 8, stderr: `error: 127.0.0.1:${port} is in use.\n` });
    taken.close();
  });

  it.each(["0", "65", "many", "1.5", "-1"])("%s is refused", async (count) => {
    const { code, stderr } = await place().home.wcs(["serve", ...place().local, `--workers=${count}`]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--workers must be auto or a number from 1 to 64, not '${count}'`);
  });
});
