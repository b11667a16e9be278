import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allOperations } from "../../src/contract/all-operations.ts";
import { type Client, createClient } from "../../src/http/client/client.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "wcs-upgrade-"));
const env = { PATH: process.env.PATH ?? "", HOME: folder, WCS_DB: join(folder, "wcs.db"), TZ: "UTC" };
let server: ChildProcess;
let client: Client;

/** Starts a copy of the program, and removes its files while it runs, as an upgrade does. */
beforeAll(async () => {
  for (const part of ["bin", "dist"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(folder, "bin/wcs.js"), ...args], { env, encoding: "utf8" });
  run("init", "--demo", "--no-profile", "--admin-email", "ada@example.com", "--admin-name", "Ada Lovelace");
  const { token } = JSON.parse(run("tokens", "create", "--name", "test", "--scopes", "write", "--json"));
  const args = ["serve", "--port", "0", "--log-level", "error"];
  server = spawn(process.execPath, [join(folder, "bin/wcs.js"), ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [url] = (await once(createInterface({ input: server.stdout! }), "line")) as [string];
  rmSync(join(folder, "dist"), { recursive: true });
  client = createClient({ url, token, userAgent: "test" });
});
afterAll(async () => {
  await client.close();
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a request with an ID in each place of the path, and returns the status. */
async function statusOf(method: string, path: string, id: string, body?: object): Promise<number> {
  const filled = path.replace(/\{\w+(?:=\w+)?\}/g, id);
  const { status } = await client.raw(method, filled, body && { body: JSON.stringify(body) });
  return status;
}

it("each operation answers when an upgrade has removed the files of the running server", async () => {
  const operations = await allOperations();
  const failed: string[] = [];
  const check = (name: string, status: number) => {
    if (status >= 500) failed.push(`${name}: ${status}`);
  };
  const reads = operations.filter(({ method }) => method === "GET");
  for (const { name, method, path } of reads) check(name, await statusOf(method, path, "1"));
  const writes = operations.filter(({ method }) => method !== "GET");
  for (const { name, method, path } of writes) check(name, await statusOf(method, path, "999999", {}));
  expect(failed).toEqual([]);
  expect(reads.length).toBeGreaterThan(30);
});

it("the built server refuses a path that is not UTF-8", async () => {
  for (const id of ["%zz", "%ff"]) expect(await statusOf("GET", "/users/{id}", id)).toBe(400);
});
