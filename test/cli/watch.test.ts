import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCustomCommand } from "../../src/cli/kit/build-command.ts";
import { type CommandEntry, isGroup, isOperation } from "../../src/cli/kit/command-spec.ts";
import { buildOperation, createInputSpec } from "../../src/cli/kit/input-spec.ts";
import { registry } from "../../src/cli/registry.ts";
import { noPaint } from "../../src/cli/terminal/terminal.ts";
import { isFull } from "../support/effort.ts";
import { newHome, start, useHome } from "./support.ts";
import { hasTmux, openTmux, type TmuxTerminal } from "./tmux.ts";

const home = useHome();
const often = ["--watch", "--interval", "1s"];

/** Starts wcs without a terminal, and collects its output. */
function watching(args: readonly string[], env: Record<string, string> = {}) {
  const child = start([...args, ...often], { ...home().env, ...env });
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (said.stdout += chunk));
  child.stderr?.on("data", (chunk) => (said.stderr += chunk));
  return {
    said,
    async until(stream: "stdout" | "stderr", text: string) {
      while (!said[stream].includes(text)) await once(child[stream]!, "data");
    },
    /** Ends it as Ctrl-C does, and returns the exit code. */
    async stop() {
      child.kill("SIGINT");
      const [code] = await once(child, "close");
      return code;
    },
  };
}

it("--watch prints the output again when it changes, in a pipe", async () => {
  const watched = watching(["units", "get", "2", "--fields", "name"]);
  await watched.until("stdout", "name\tSales\n");
  await home().sit(["units", "update", "2", "--name", "Shops"]);
  await watched.until("stdout", "Shops");
  expect(await watched.stop()).toBe(130);
  expect(watched.said).toEqual({ stdout: "name\tSales\n\nname\tShops\n", stderr: "" });
});

it("--watch -o ndjson prints only new and changed items", async () => {
  const watched = watching(["units", "list", "-o", "ndjson", "--fields", "id,name"]);
  await watched.until("stdout", '"id":2');
  await home().sit(["units", "create", "--name", "West", "--parent", "1"]);
  await watched.until("stdout", "West");
  await home().sit(["units", "update", "2", "--name", "Sales"]);
  await watched.until("stdout", "Sales");
  expect(await watched.stop()).toBe(130);
  const lines = watched.said.stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).name)).toEqual(["Acme", "Shops", "West", "Sales"]);
});

it("--watch ends with an error when the thing is gone, and takes no interval below a second", async () => {
  const made = JSON.parse((await home().sit(["units", "create", "--name", "Gone", "--parent", "1", "--json"])).stdout);
  const child = start(["units", "get", `${made.id}`, ...often], home().env);
  await once(child.stdout!, "data");
  await home().sit(["units", "delete", `${made.id}`, "--yes"]);
  const [code] = await once(child, "close");
  expect(code).toBe(6);
  expect((await home().sit(["units", "list", "--watch", "--interval", "10ms"])).code).toBe(2);
  for (const list of [
    ["units", "list"],
    ["profile", "list"],
  ])
    expect(await home().sit([...list, "--interval", "5s"])).toMatchObject({
      code: 2,
      stderr: "error: --interval is the pause of --watch: pass both.\n",
    });
  expect((await home().sit(["units", "create", "--watch"])).stderr).toContain("Unknown option '--watch'");
});

it("--watch repeats commands of its own and needs no target where the command needs none", async () => {
  const own = newHome();
  await own.wcs(["profile", "add", "first", "--url", "http://127.0.0.1:1"]);
  const profiles = watching(["profile", "list", "-o", "ndjson", "--fields", "name"], own.env);
  await profiles.until("stdout", "first");
  await own.wcs(["profile", "add", "second", "--url", "http://127.0.0.1:2"]);
  await profiles.until("stdout", "second");
  expect(await profiles.stop()).toBe(130);
  const units = watching(["api", "GET", "/units/2", "--query", "name"]);
  await units.until("stdout", "Sales");
  await home().wcs(["units", "update", "2", "--name", "Shops"]);
  await units.until("stdout", "Shops");
  expect(await units.stop()).toBe(130);
  await home().wcs(["units", "update", "2", "--name", "Sales"]);
  const changing = await home().spawn(["api", "DELETE", "/units/2", "--watch"]);
  expect(changing).toMatchObject({ code: 2, stderr: "error: --watch repeats only GET.\n" });
  const following = await home().spawn(["webhooks", "logs", "1", "--watch", "--follow"]);
  expect(following).toMatchObject({ code: 2, stderr: "error: --watch and --follow cannot be used together.\n" });
});

it("every command that lists or shows something takes --watch, and none that changes something", async () => {
  const without: string[] = [];
  const walk = (path: readonly string[], entry: CommandEntry): void => {
    if (isGroup(entry)) {
      for (const [name, child] of Object.entries(entry.commands)) walk([...path, name], child);
      return;
    }
    const { options } = isOperation(entry)
      ? buildOperation(entry, path, { width: 80, paint: noPaint }, createInputSpec(entry))
      : buildCustomCommand(entry, path, { width: 80, paint: noPaint });
    const isReading = isOperation(entry) ? entry.op.method === "GET" : reading.test(path.join(" "));
    if (options.some(({ long }) => long === "--watch") !== isReading) without.push(path.join(" "));
  };
  for (const [name, { load }] of Object.entries(registry)) walk([name], await load());
  expect(without).toEqual([]);
});

/** Custom commands that only read and end by themselves. Commands that check, write files or wait cannot be repeated. */
const reading =
  /^(auth status|(profile|alias) list|profile show|conversations (messages|search)|events calendar|settings get|db (info|outbox)|api)$/;

describe("of a busy instance", () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    const isBusy = asked > 1 && asked < 4;
    const error = { code: "unavailable", message: "The service is shutting down." };
    response.writeHead(isBusy ? 503 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isBusy ? { error } : { data: [{ code: asked === 1 ? "en" : "da", name: "Name" }] }));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => server.close());

  it("--watch waits until the service is back", async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const watched = watching(["languages", "list"], { WCS_URL: url, WCS_TOKEN: "token" });
    await watched.until("stdout", "da\t");
    expect(await watched.stop()).toBe(130);
    expect(watched.said.stderr).toBe(
      "The service is shutting down. Retrying until it is back.\nThe service is back.\n",
    );
  });
});

// The longer form has the other width.
describe.skipIf(!hasTmux).each(isFull ? [120] : [80])("on a terminal with %i columns", (columns) => {
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    terminal = await openTmux(home().env, { columns, rows: 8 });
  });
  afterAll(() => terminal?.close());

  it("--watch redraws the screen, and Ctrl-C restores it", async () => {
    terminal.run("wcs units list --watch --interval 1s");
    const first = await terminal.until((text) => text.includes("Sales"));
    expect(first.split("\n")[0]).toBe("wcs units list --watch --interval 1s · every 1s · Ctrl-C to stop");
    await home().sit(["units", "update", "2", "--name", `Sales ${columns}`]);
    await terminal.until((text) => text.includes(`Sales ${columns}`));
    terminal.keys("C-c");
    await terminal.until((text) => /READY>$/.test(text));
    terminal.keys("echo exit $?", "Enter");
    const last = await terminal.until((text) => /exit \d+\nREADY>$/.test(text));
    expect(last).toMatch(/^(\^C)?\n?READY> ?echo exit \$\?\nexit 130\nREADY>$/);
    await home().sit(["units", "update", "2", "--name", "Sales"]);
  });

  it("--watch fills the width of the screen, and shortens the command in the first line", async () => {
    await home().sit(["units", "update", "2", "--name", "x".repeat(columns)]);
    const flags = "--no-color --tz Europe/Copenhagen --timeout 30s --limit 3";
    terminal.run(`wcs units list --watch --interval 1s -t '{name}' ${flags}`);
    const shown = await terminal.until((text) => text.includes("xxx"));
    expect(shown.split("\n")).toContain("x".repeat(columns));
    expect(shown.split("\n")[0]).toMatch(/^wcs units list .*… · every 1s · Ctrl-C to stop$/);
    terminal.keys("C-c");
    await terminal.until((text) => text.endsWith("READY>"));
    await home().sit(["units", "update", "2", "--name", "Sales"]);
  });

  it("--watch shows as much as fits", async () => {
    terminal.run("wcs units get 2 -o json --watch");
    const shown = await terminal.until((text) => text.includes("more lines"));
    expect(shown.split("\n")).toHaveLength(8);
    terminal.keys("C-c");
    await terminal.until((text) => text.endsWith("READY>"));
  });
});
