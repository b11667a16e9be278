import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { events } from "../../src/contract/events.ts";
import { posts } from "../../src/contract/posts.ts";
import { bootstrap } from "../../src/core/bootstrap.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Figure, median } from "./figure.ts";

const run = promisify(execFile);
const rounds = 5;
const seconds = 3;

/** H1 and H3: requests per second of one client with 32 connections, the server on a core of its own. Needs wrk. */
export async function http(): Promise<Figure[]> {
  const file = join(tmpdir(), `wcs-bench-${process.pid}.db`);
  const postgres = await startPostgres();
  try {
    return [
      ...(await figures("H1", "SQLite", file)),
      ...(await figures("H3", "PostgreSQL, floor: pg alone", `${postgres.url}/postgres`)),
    ];
  } finally {
    await postgres.stop();
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  }
}

async function figures(id: string, where: string, target: string): Promise<Figure[]> {
  const administrator = { email: "a@example.com", first_name: "Ada", last_name: "Admin" };
  const database = await openDatabase(target, {
    create: async (tx) => void (await bootstrap(tx, { administrator, rootUnit: "Acme", now: 1_700_000_000 })),
  });
  const event = { title: "Meeting", type: "chain", start: 1_800_000_000, end: 1_800_003_600 } as const;
  const recurrence = [{ freq: "weekly" as const, count: 20 }];
  const caller = createService({ database }).caller({ userId: 1 });
  await caller.call(events.create, { ...event, recurrence });
  const post = { content_type: "news", title: "Canteen", body: "Now with soup. ".repeat(20) } as const;
  const poll = { question: "Which?", choices: [{ title: "Soup" }, { title: "Salad" }] };
  await caller.call(posts.create, { ...post, poll, confirm: { enabled: true } });
  await database.close();
  const found: Figure[] = [];
  for (const [what, path] of [
    ["GET of a user", "/api/users/1"],
    ["GET of a unit", "/api/units/1"],
    ["GET of an event of 20 dates", "/api/events/1"],
    ["GET of a post with a poll", "/api/content/1"],
  ] as const) {
    const server = fork(new URL("./server.ts", import.meta.url), [target, path], { execArgv: [] });
    const [{ url, floor, jwt }] = (await once(server, "message")) as [{ url: string; floor: string; jwt: string }];
    if (server.pid) await run("taskset", ["-pc", "0", String(server.pid)]);
    const measured: number[] = [];
    const floors: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      floors.push(await requestsPerSecond(floor, jwt));
      measured.push(await requestsPerSecond(url, jwt));
    }
    server.kill("SIGKILL");
    found.push({
      id,
      what: `${what} (${where})`,
      measured: median(measured),
      floor: median(floors),
      unit: "req/s",
      target: ">= 0.5 x",
    });
  }
  return found;
}

async function requestsPerSecond(url: string, jwt: string): Promise<number> {
  const { stdout } = await run("taskset", [
    "-c",
    "1",
    "wrk",
    "-t1",
    "-c32",
    `-d${seconds}`,
    "-H",
    `Authorization: Bearer ${jwt}`,
    url,
  ]);
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} answered with errors`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
