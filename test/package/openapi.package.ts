import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, startServer } from "../support/running-server.ts";

/** The linters are big, so they have their own lock file and are installed for this test, once for each lock file. */
const tools = join(import.meta.dirname, "../openapi-tools");
const generated = join(tools, "generated");
const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

interface Finding {
  readonly rule: string;
  readonly message: string;
}

/** Runs a program of the tools' own folder; returns its output, however it ends. */
async function run(program: string, ...args: string[]): Promise<string> {
  const path = join(tools, "node_modules/.bin", program);
  const options = { cwd: tools, env: { ...process.env, ...quiet }, maxBuffer: 64_000_000 };
  const { stdout } = await promisify(execFile)(path, args, options).catch((error: { stdout: string }) => error);
  return stdout;
}

async function install(): Promise<void> {
  const lock = await readFile(join(tools, "package-lock.json"));
  const stamp = join(tools, "node_modules/.lock-hash");
  const hash = createHash("sha256").update(lock).digest("hex");
  if ((await readFile(stamp, "utf8").catch(() => "")) === hash) return;
  const args = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: tools });
  await writeFile(stamp, hash);
}

let server: RunningServer;
beforeAll(async () => {
  await install();
  server = await startServer();
  await mkdir(generated, { recursive: true });
  const document = await fetch(`${server.url}/api/openapi.json`);
  await writeFile(join(generated, "openapi.json"), await document.text());
});
afterAll(async () => {
  await server.close();
  await rm(generated, { recursive: true, force: true });
});

it("Spectral finds nothing in the OpenAPI document", async () => {
  const output = await run("spectral", "lint", "generated/openapi.json", "--ruleset", "spectral.yaml", "-f", "json");
  const findings = JSON.parse(output.slice(0, output.lastIndexOf("]") + 1)) as { code: string; message: string }[];
  expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
});

it("Redocly finds nothing in the OpenAPI document but the paths of the interface", async () => {
  const output = await run("redocly", "lint", "generated/openapi.json", "--format=json", "--max-problems=1000");
  const { problems } = JSON.parse(output) as { problems: { ruleId: string; message: string }[] };
  const findings = problems.map(({ ruleId, message }): Finding => ({ rule: ruleId, message }));
  const isOfInterface = ({ rule, message }: Finding) =>
    rule === "no-ambiguous-paths" &&
    /`(\/api\/users\/reference\/\{reference\}|\/users\/collection\/\{userIDs\}|\/units\/reference\/\{unit\})`/.test(
      message,
    );
  expect(findings.filter((finding) => !isOfInterface(finding))).toEqual([]);
  expect(findings.length).toBeGreaterThan(0);
});

it("a client that openapi-typescript generates compiles strictly, and gets a user", async () => {
  await run("openapi-typescript", "generated/openapi.json", "-o", "generated/schema.d.ts");
  expect(await run("tsc", "-p", ".")).toBe("");
  const call = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(tools, "call.ts"), server.url, server.token, ...args]);
  expect(JSON.parse((await call("1")).stdout)).toMatchObject({ name: expect.any(String) });
  expect(JSON.parse((await call("999")).stdout)).toEqual({ code: "not_found" });
});
