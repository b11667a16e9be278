import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bootstrap } from "../../src/core/bootstrap.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { type Figure, median } from "./figure.ts";

const run = promisify(execFile);
const rounds = 5;
const seconds = 3;
const text = "The ship comes in at noon; please have the crane ready at the second pier.";

/** H2: messages per second that 32 connections post, each durable when it is answered; the server on a core of its own. Needs wrk. */
export async function posting(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-posting-"));
  const target = join(folder, "wcs.db");
  const administrator = { email: "a@example.com", first_name: "Ada", last_name: "Admin" };
  const database = await openDatabase(target, {
    create: async (tx) => void (await bootstrap(tx, { administrator, rootUnit: "Acme", now: 1_700_000_000 })),
  });
  await database.close();
  const server = fork(new URL("./message-server.ts", import.meta.url), [target, text, join(folder, "floor.db")], {
    execArgv: [],
  });
  try {
    const [{ url, jwt }] = (await once(server, "message")) as [{ url: string; jwt: string }];
    if (server.pid) await run("taskset", ["-pc", "0", String(server.pid)]);
    const script = join(folder, "post.lua");
    writeFileSync(script, `wrk.method = "POST"\nwrk.body = [[${JSON.stringify({ message: text })}]]\n`);
    const measured: number[] = [];
    const floors: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      server.send(seconds);
      const [{ floor }] = (await once(server, "message")) as [{ floor: number }];
      floors.push(floor);
      measured.push(await messagesPerSecond(url, jwt, script));
    }
    const what = "POST of a message, durable when answered (SQLite)";
    const note = "floor: commits of single rows by node:sqlite";
    return [
      { id: "H2", what, measured: median(measured), floor: median(floors), unit: "/s", target: ">= 0.5 x", note },
    ];
  } finally {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function messagesPerSecond(url: string, jwt: string, script: string): Promise<number> {
  const headers = ["-H", `Authorization: Bearer ${jwt}`, "-H", "Content-Type: application/json"];
  const wrk = ["wrk", "-t1", "-c32", `-d${seconds}`, "-s", script, ...headers, url];
  const { stdout } = await run("taskset", ["-c", "1", ...wrk]);
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} answered with errors`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
