import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/store/open-database.ts";
import { companyFile, drawn, editorTokens, size } from "./company.ts";
import type { Figure } from "./figure.ts";
import { type Message, messageOf, send } from "./load.ts";
import { copyProgram, startServer } from "./server-process.ts";

/** M1 is defined for a million; by default the run is shorter, to end within minutes on a busy machine. */
const total = Number(process.env.WCS_BENCH_REQUESTS ?? 200_000);
const portions = 10;
const connections = 32;

/** Paths of requests that all differ: things by ID, and searches and filters with texts that do not occur twice. */
const paths: readonly ((n: number) => string)[] = [
  (n) => `/api/users/${2 + drawn(n, 11, size.users)}`,
  (n) => `/api/units/${1 + drawn(n, 12, size.units)}`,
  (n) => `/api/content/${1 + drawn(n, 13, size.posts)}`,
  (n) => `/api/events/${1 + drawn(n, 14, size.events)}`,
  (n) => `/api/users/search?q=family${n}`,
  (n) => `/api/users?unit=${1 + drawn(n, 15, size.units)}&limit=${1 + (n % 10)}`,
];

/** M1: memory of the built `wcs serve` after many different requests, and the CPU time that they took. */
export async function* memoryOfServer(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-memory-"));
  try {
    const target = join(folder, "wcs.db");
    copyFileSync(await companyFile(), target);
    const database = await openDatabase(target);
    const tokens = await editorTokens(database);
    await database.close();
    const server = await startServer(folder, copyProgram(folder), target);
    const idle = server.rss();
    yield { id: "M1", what: "idle server", measured: idle, floor: 100, unit: "MiB RSS", target: "<= 1 x", note: limit };
    const samples: string[] = [];
    const cpu = server.cpu();
    for (let portion = 0; portion < portions; portion += 1) {
      await send({ port: server.port, messages: requests(portion, tokens), connections });
      samples.push(server.rss().toFixed(0));
    }
    const seconds = server.cpu() - cpu;
    const note = `${limit}; ${samples.join(", ")} after each tenth; ${((seconds / total) * 1e6).toFixed(0)} us of CPU for each request`;
    const what = `server after ${total} different requests`;
    yield { id: "M1", what, measured: server.peak(), floor: 250, unit: "MiB peak", target: "<= 1 x", note };
    await server.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const limit = "floor: the limit";

function requests(portion: number, tokens: readonly string[]): Message[] {
  return Array.from({ length: total / portions }, (_, at) => {
    const n = portion * (total / portions) + at;
    return messageOf({ path: paths[n % paths.length]!(n), token: tokens[drawn(n, 16, tokens.length)]! });
  });
}
