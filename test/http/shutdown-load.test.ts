import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bin, type Home, newHome } from "../cli/support.ts";
import { kills, timeFor } from "../faults/counts.ts";
import { type Instance, newInstance } from "../support/instance.ts";

/** Clients that open a connection for each request, each as fast as it is answered. */
const clients = 16;

let instance: Instance;
let home: Home;
const started: ChildProcess[] = [];
beforeAll(async () => {
  instance = await newInstance({ database: "sqlite", caller: "local" });
  home = newHome();
});
afterAll(async () => {
  for (const server of started) server.kill("SIGKILL");
  await instance.close();
});

/** One request on a connection of its own: the status, `refused` when nobody listens, or how it broke off. */
function ask(port: number, path: string, token: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    let failure = "no answer";
    socket.on("connect", () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
    });
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      failure = error.code === "ECONNREFUSED" ? "refused" : `${error.code}`;
    });
    socket.on("close", () => resolve(text.slice(9, 12) || failure));
  });
}

it.each(["1", "2"])(
  "SIGTERM under load resets no connection of clients that do not keep them (workers: %s)",
  { timeout: timeFor(kills) },
  async (workers) => {
    const token = await instance.tokenOf(1);
    for (let round = 0; round < kills; round++) {
      const quiet = ["--log-level", "silent", "--shutdown-notice", "0.2", "--workers", workers];
      const args = ["serve", "--db", instance.target, "--port", "0", ...quiet];
      const server = spawn(process.execPath, [bin, ...args], { env: home.env, stdio: ["ignore", "pipe", "inherit"] });
      started.push(server);
      const [line] = (await once(server.stdout, "data")) as [Buffer];
      const port = Number(new URL(String(line).trim()).port);
      const seen = new Map<string, number>();
      const client = async () => {
        for (let outcome = ""; outcome !== "refused"; ) {
          outcome = await ask(port, "/api/users/1", token);
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
      };
      const load = Promise.all(Array.from({ length: clients }, client));
      await expect.poll(() => [...seen.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100);
      const closed = once(server, "close");
      server.kill("SIGTERM");
      await expect.poll(() => ask(port, "/readyz", token)).toMatch(/503|refused/);
      await load;
      expect(await closed).toEqual([0, null]);
      expect([...seen.keys()].sort()).toEqual(["200", "refused"]);
    }
  },
);

it("an invalid --shutdown-notice is a usage error", async () => {
  for (const notice of ["soon", "-1", "3601", "61m", "2 hours", ""]) {
    const { code, stderr } = await home.wcs(["serve", "--db", instance.target, `--shutdown-notice=${notice}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--shutdown-notice must be a number of seconds")]);
  }
});

it.each(["0", "0.5", "2s", "1m", "3600"])("--shutdown-notice %s is valid", async (notice) => {
  const serve = ["serve", "--check", "--db", instance.target, "--port", "0"];
  const { code, stderr } = await home.wcs([...serve, "--shutdown-notice", notice]);
  expect([code, stderr]).toEqual([0, ""]);
});
