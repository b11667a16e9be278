import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { settings } from "../../src/contract/settings.ts";
import { units } from "../../src/contract/units.ts";
import { createClient } from "../../src/http/client/client.ts";
import { readResponse } from "../../src/http/client/read-answer.ts";
import { encode } from "../../src/http/codec.ts";
import { bin, finished, type Home, newHome } from "../cli/support.ts";
import { type Instance, newInstance } from "../support/instance.ts";

let instance: Instance;
let home: Home;
beforeAll(async () => {
  instance = await newInstance({ database: "sqlite", caller: "local" });
  home = newHome();
});
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const server of started) server.kill("SIGKILL");
  await instance.close();
});

/** A server whose process cannot make a file larger than so many KiB, as on a disk that fails; without a number it can. */
async function serve(kibibytes: number | "unlimited") {
  const limited = `ulimit -f ${kibibytes === "unlimited" ? kibibytes : kibibytes * 2}; exec "$0" "$@"`;
  const args = ["serve", "--db", instance.target, "--port", "0", "--log-level", "silent", "--shutdown-notice", "0"];
  const server = spawn("/bin/sh", ["-c", limited, process.execPath, bin, ...args], {
    env: home.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(server);
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const url = String(line).trim();
  const client = createClient({ url, token: await instance.tokenOf(1), userAgent: "test" });
  /** Sends a request once. `client.call` would repeat it for half a minute while the service is unavailable. */
  const send = async (op: AnyOperation, input: Record<string, unknown>) => {
    const { path, query, body } = encode(op, input);
    return readResponse(await client.raw(op.method, path, { query, body: JSON.stringify(body) }), url);
  };
  const stop = async () => {
    await client.close();
    server.kill("SIGTERM");
    const [code] = await once(server, "close");
    return code;
  };
  return { url, send, stop };
}

it("What is written to a disk that fails is not acknowledged, the service is not ready, and is whole again later", async () => {
  const failing = await serve(1536);
  const ready = async (url: string) => (await fetch(`${url}/readyz`)).status;
  expect(await ready(failing.url)).toBe(200);
  const acknowledged: number[] = [];
  /** Repeats a change until it fails. */
  const failureOf = async (change: (time: number) => Promise<unknown>): Promise<unknown> => {
    try {
      for (let time = 0; ; time++) await change(time);
    } catch (error) {
      return error;
    }
  };
  const refused = {
    code: "unavailable",
    message: "The database failed while saving. The change may or may not have been saved; check before you repeat it.",
  };
  const create = async () => {
    const fields = { name: "Unit", parent: 1, contact: { name: "x".repeat(200), phone: "" } };
    acknowledged.push(Object(await failing.send(units.create, fields)).id);
  };
  expect(await failureOf(create)).toMatchObject(refused);
  // There is still room for smaller changes.
  expect(await failureOf((time) => failing.send(settings.set, { name: `Name ${time}` }))).toMatchObject(refused);
  expect(acknowledged.length).toBeGreaterThan(0);
  // Each look writes a page of what is left, once a second.
  await expect.poll(() => ready(failing.url), { interval: 500 }).toBe(503);
  expect((await fetch(`${failing.url}/healthz`)).status).toBe(200);
  expect(await failing.stop()).toBe(0);
  const whole = await serve("unlimited");
  expect(await ready(whole.url)).toBe(200);
  const found = await instance.database.reader.selectFrom("units").select("id").execute();
  expect(acknowledged.filter((id) => !found.some((unit) => unit.id === id))).toEqual([]);
  await whole.send(units.create, { name: "After", parent: 1 });
  expect(await whole.stop()).toBe(0);
});

it.runIf(existsSync("/dev/full"))(
  "A server whose log cannot be written works, and ends when it is told to",
  async () => {
    const args = ["serve", "--db", instance.target, "--port", "0", "--log-level", "debug", "--shutdown-notice", "0"];
    const log = openSync("/dev/full", "w");
    const server = spawn(process.execPath, [bin, ...args], { env: home.env, stdio: ["ignore", "pipe", log] });
    started.push(server);
    // It is a pipe.
    const [line] = (await once(server.stdout!, "data")) as [Buffer];
    const url = String(line).trim();
    for (let request = 0; request < 100; request++) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.kill("SIGTERM");
    expect(await once(server, "close")).toEqual([0, null]);
    closeSync(log);
  },
);

it.runIf(existsSync("/dev/full")).each(["1", "2"])(
  "With --workers %s, a server that cannot write its URL ends with one error",
  async (workers) => {
    const args = ["serve", "--db", instance.target, "--port", "0", "--log-level", "error", "--workers", workers];
    const full = openSync("/dev/full", "w");
    const server = spawn(process.execPath, [bin, ...args], { env: home.env, stdio: ["ignore", full, "pipe"] });
    started.push(server);
    const { code, stderr } = await finished(server);
    expect([code, stderr]).toEqual([
      1,
      "error: The disk is full.\nhint: Free some space, then run the command again.\n",
    ]);
    closeSync(full);
  },
);
