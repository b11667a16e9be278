import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isFull } from "../support/effort.ts";
import { start, useHome } from "./support.ts";
import { hasTmux, openTmux, type TmuxTerminal } from "./tmux.ts";

const home = useHome();
const token = "metrics-token";
let server: ReturnType<typeof start>;
let env: Record<string, string>;

beforeAll(async () => {
  const { sit } = home();
  await sit(["settings", "set", "webhooks.allow_private", "true"]);
  await sit(["webhooks", "create", "--name", "broken", "--uri", "http://127.0.0.1:9/none"]);
  await sit(["units", "update", "2", "--name", "Shops"]);
  const made = await sit(["tokens", "create", "--name", "top", "--scopes", "read", "--json"]);
  server = start(["serve", "--port", "0"], { ...home().env, WCS_METRICS_TOKEN: token });
  const [url] = await once(server.stdout!, "data");
  server.stderr?.resume();
  env = { WCS_URL: String(url).trim(), WCS_TOKEN: JSON.parse(made.stdout).token };
});
afterAll(() => void server.kill("SIGKILL"));

const snapshot = async (more: Record<string, string> = {}, ...args: string[]) =>
  home().sit(["top", "--once", "--json", ...args], { env: { ...env, ...more } });

it("top --once --json prints requests, queue, webhooks and errors", async () => {
  await home().sit(["units", "list"], { env });
  const { code, stdout, stderr } = await snapshot({ WCS_METRICS_TOKEN: token });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const found = JSON.parse(stdout);
  expect(found).toMatchObject({
    requests: { failed: 0, routes: expect.arrayContaining([expect.objectContaining({ route: "/units", count: 1 })]) },
    queue: { due: expect.any(Number), later: expect.any(Number), mails: 0, failed_mails: 0 },
    process: { memory_bytes: expect.any(Number) },
    webhooks: [{ name: "broken", active: true, succeeded: 0, failed: expect.any(Number) }],
    missing: [],
  });
  expect(found.errors[0]).toMatchObject({ webhook: "broken", event: "unit.update", status: "refused" });
});

it("top says what it cannot show, and shows the rest", async () => {
  const { stdout } = await snapshot();
  expect(JSON.parse(stdout)).toMatchObject({
    requests: null,
    queue: null,
    webhooks: [{ name: "broken" }],
    missing: [expect.stringMatching(/shows no metrics \(401\); set WCS_METRICS_TOKEN/)],
  });
  const wrong = JSON.parse((await snapshot({ WCS_METRICS_TOKEN: "other" })).stdout);
  expect(wrong.missing).toEqual([expect.stringContaining("is not that of the instance")]);
  const local = JSON.parse((await home().sit(["top", "--once", "--json"])).stdout);
  expect(local).toMatchObject({ requests: null, webhooks: [{ name: "broken" }] });
  expect(local.missing).toEqual([expect.stringContaining("a database has no metrics")]);
});

it("top sends the token for metrics only where the environment or a profile says", async () => {
  const seen: (string | undefined)[] = [];
  const other = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(headers.authorization === `Bearer ${token}` ? 200 : 401, { "content-type": "text/plain" }).end();
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const read = async (more: Record<string, string>, ...args: string[]) => {
    seen.length = 0;
    const { stdout, stderr } = await home().wcs(["top", "--once", "--json", ...args], {
      env: { WCS_METRICS_TOKEN: token, ...more },
    });
    return { seen: [...seen], output: stdout + stderr };
  };
  const own = { WCS_URL: env.WCS_URL!, WCS_TOKEN: env.WCS_TOKEN! };
  const refused = await read(own, "--metrics-url", url);
  expect(refused.seen).toEqual([undefined]);
  expect(refused.output).toContain(`WCS_METRICS_TOKEN is not sent there; set WCS_METRICS_URL=${url}`);
  expect(refused.output).not.toContain(token);
  expect((await read({}, "--metrics-url", url)).seen).toEqual([undefined]);
  const attacked = await read({ WCS_TOKEN: "none" }, "--url", url);
  expect(attacked.seen.filter((sent) => sent?.includes(token))).toEqual([]);
  const bound = { ...own, WCS_METRICS_URL: own.WCS_URL };
  expect((await read(bound, "--metrics-url", url)).seen).toEqual([undefined]);
  expect((await read({ ...own, WCS_METRICS_URL: `${url}/metrics` })).seen).toEqual([`Bearer ${token}`]);
  await home().wcs(["profile", "add", "other", "--url", url]);
  const known = await read({ WCS_TOKEN: "none" }, "--profile", "other");
  expect(known.seen).toContain(`Bearer ${token}`);
});

it("top without a terminal needs --once", async () => {
  expect(await home().sit(["top"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--once") });
});

// The longer form has the other width.
describe.skipIf(!hasTmux).each(isFull ? [120] : [80])("on a terminal with %i columns", (columns) => {
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    terminal = await openTmux({ ...home().env, ...env, WCS_METRICS_TOKEN: token }, { columns, rows: 30 });
  });
  afterAll(() => terminal?.close());

  it("top draws until Ctrl-C", async () => {
    terminal.run("wcs top --interval 1s");
    const shown = await terminal.until((text) => /\d\/s, /.test(text));
    for (const title of ["Requests", "Queue", "Webhooks, last hour", "Latest errors"]) expect(shown).toContain(title);
    expect(shown).toMatch(/GET \/metrics$/m);
    terminal.keys("C-c");
    await terminal.until((text) => text.endsWith("READY>"));
    // The terminal echoes what is typed again.
    terminal.keys("-l", 'echo "exit $?"');
    await terminal.until((text) => text.endsWith('READY> echo "exit $?"'));
    terminal.keys("Enter");
    await terminal.until((text) => /^exit 130$/m.test(text));
  });
});
