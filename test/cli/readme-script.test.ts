import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newReceiver, type Receiver } from "../support/receiver.ts";
import { bin, finished, type Home, newHome, start, useHome } from "./support.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const [, script = ""] = /## Webhooks in CI\n[^#]*?```sh\n(export [^`]*)```/.exec(read("docs/guides/webhooks.md")) ?? [];
const [, firstSteps = ""] = /## Five minutes with it\n[^#]*?```sh\n([^`]*)```/.exec(read("README.md")) ?? [];

const home = useHome();
let receiver: Receiver;
let server: ChildProcess;
let env: Record<string, string>;

/** Returns an empty home with a program `wcs` on the path. */
function newJob(): Home & { env: { PATH: string } } {
  const job = newHome();
  mkdirSync(job.path("bin"));
  writeFileSync(job.path("bin/wcs"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(job.path("bin/wcs"), 0o755);
  return { ...job, env: { ...job.env, PATH: `${job.path("bin")}${delimiter}${job.env.PATH}` } };
}

/** Starts a server, and a CI job that has its token as a secret. */
beforeAll(async () => {
  receiver = await newReceiver();
  await home().sit(["settings", "set", "webhooks.allow_private", "true"]);
  await home().sit(["units", "update", "1", "--reference", "HQ"]);
  const { stdout: token } = await home().sit(["auth", "token"]);
  server = start(["serve", "--port", "0", "--log-level", "silent"], home().env);
  const [url] = (await once(server.stdout!, "data")) as [Buffer];
  const job = newJob();
  const { WCS_CONFIG_DIR: _, ...clean } = job.env;
  env = { ...clean, WCS_TOKEN: token.trim(), JOB: job.folder, URL: String(url).trim() };
});
afterAll(async () => {
  server.kill("SIGKILL");
  await receiver.close();
});

/** Runs the script as it is printed, but for where things are. */
function run(email: string, from = script) {
  writeFileSync(`${env.JOB}/new-people.csv`, `first_name,last_name,email,unit\nKatherine,Johnson,${email},HQ\n`);
  const here = from.replace("https://wcs.example.com", env.URL!).replace("https://payroll.example.com", receiver.url);
  return finished(spawn("bash", ["-c", here], { cwd: env.JOB, env, stdio: "pipe" }));
}

it("the CI script of the guide: 0 when the webhook was called, also when the job runs again", async () => {
  expect(script).toContain("--if-not-exists");
  for (const email of ["one@example.com", "two@example.com"]) {
    const { code, stdout, stderr } = await run(email);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/event\tuser\.create/);
    expect(stdout).toMatch(/status\t200/);
  }
  expect(receiver.received.map(({ path, body }) => [path, JSON.parse(body).data.email])).toEqual([
    ["/hook", "one@example.com"],
    ["/hook", "two@example.com"],
  ]);
  expect(JSON.parse((await home().sit(["webhooks", "list", "--json"])).stdout)).toHaveLength(1);
});

it("the CI script of the guide: 9 when it was not called in time", async () => {
  receiver.answer = (_, response) => response.writeHead(500).end();
  const { code, stderr } = await run("three@example.com", script.replace("--timeout 60s", "--timeout 2s"));
  expect({ code, stderr }).toEqual({
    code: 9,
    stderr: expect.stringContaining(
      "No attempt with event user.create and status 2xx arrived within 2s, but 1 attempt with status 500",
    ),
  });
});

it("the CI script of the guide: 7 when the webhook has another URI, and nobody is imported", async () => {
  const webhook = ["--name", "payroll", "--uri", `${receiver.url}/hook`, "--triggers", "user.create"];
  await home().sit(["webhooks", "create", ...webhook, "--if-not-exists"]);
  const { code, stdout, stderr } = await run("four@example.com", script.replace("/hook", "/other"));
  expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: "", stderr: expect.stringContaining("differs: uri is") });
});

it("the first steps of the README: every command succeeds, and the message has arrived", async () => {
  expect(firstSteps).toMatch(/^wcs init /);
  const { folder, env } = newJob();
  try {
    const { code, stdout, stderr } = await finished(
      spawn("bash", ["-e", "-c", firstSteps], { cwd: folder, env, stdio: "pipe" }),
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/Grace Hopper.*grace@example\.com/);
    expect(stdout).toMatch(/news\tNew canteen/);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/direct.*Shall we meet at ten\?$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
