import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auth } from "../../src/contract/auth.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { openNewInstance } from "../support/new-instance.ts";
import type { Figure } from "./figure.ts";
import { serving } from "./serving.ts";

const slowUploads = 5;
const samples = 200;
const program = join(import.meta.dirname, "../../bin/wcs.js");

/** M1: how long large and small requests of others take while five users send 40 MiB each at the slowest rate that is taken. */
export async function uploads(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-uploads-"));
  const target = join(folder, "wcs.db");
  const tokens = await prepare(target);
  const server = await serving(program, target, { ...process.env, WCS_CONFIG_DIR: join(folder, "config") });
  try {
    const [own = "", ...others] = tokens;
    const before = await measure(server.url, own);
    const stop = dripFrom(server.url, others);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const during = await measure(server.url, own);
    stop();
    const line = (what: string, measured: number, floor: number) => ({
      id: "M1",
      what: `${what}, p99 beside five slow uploads`,
      measured,
      floor,
      unit: "ms",
      target: "<= 100 ms",
      note: "floor: without the slow uploads",
    });
    return [line("POST of 2 MB", during.large, before.large), line("GET of a user", during.small, before.small)];
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a database with users, and returns the token of each. */
async function prepare(target: string): Promise<string[]> {
  const database = await openNewInstance(target);
  const service = createService({ database });
  const tokens: string[] = [];
  for (let n = 0; n <= slowUploads; n++) {
    const person = { first_name: "Bo", last_name: `No ${n}`, email: `bo${n}@example.com`, unit: 1 };
    const { id } = await service.caller({ userId: 1 }).call(users.create, person);
    const [{ jwt }] = await service.caller({ userId: id }).call(auth.renew, {});
    tokens.push(jwt);
  }
  await database.close();
  return tokens;
}

/** Begins an upload of 40 MiB with each token, and sends 60 kB of each a second until the function that it returns is called. */
function dripFrom(url: string, tokens: readonly string[]): () => void {
  const { port, hostname } = new URL(url);
  const sockets = tokens.map((token): Socket => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `POST /api/conversations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 41943040\r\n\r\n`,
    );
    return socket;
  });
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write(" ".repeat(6000));
  }, 100);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}

async function measure(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const file = { type: "upload", name: "a.txt" };
  const large: number[] = [];
  const small: number[] = [];
  for (let n = 0; n < samples; n++) {
    // Different bytes each time: content that is known already is not stored again.
    const data = Buffer.from(`${n} ${Math.random()} ${"x".repeat(1_500_000)}`).toString("base64");
    const body = JSON.stringify({ recipients: [1], message: "Look", files: [{ ...file, data }] });
    large.push(await timed(() => fetch(`${url}/api/conversations`, { method: "POST", headers, body })));
    small.push(await timed(() => fetch(`${url}/api/users/${(n % slowUploads) + 1}`, { headers })));
  }
  return { large: percentile(large), small: percentile(small) };
}

async function timed(ask: () => Promise<Response>): Promise<number> {
  const begin = performance.now();
  const response = await ask();
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`answered with ${response.status}`);
  return performance.now() - begin;
}

function percentile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99) - 1] ?? Number.NaN;
}
