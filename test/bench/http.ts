import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/store/open-database.ts";
import { startPostgres } from "../support/postgres.ts";
import { anyUser, companyFile, drawn, editorTokens, fillCompany, size } from "./company.ts";
import { type Figure, median } from "./figure.ts";
import type { KnownAnswer } from "./floor-server.ts";
import { listFigures } from "./lists.ts";
import { type Message, messageOf, send } from "./load.ts";
import { recordStatements } from "./recorded-statements.ts";
import { copyProgram, cpuWithChildren, type ServerProcess, startFloor, startServer } from "./server-process.ts";
import { writeFigures } from "./writing.ts";

const rounds = 3;
const connections = 32;
const writesPerSecond = 50;
/** Maximum number of writes at a time, because a server that is too slow for the rate refuses those that wait for long. */
const maxWrites = 10;

const things = {
  "a user": { path: "/api/users", count: size.users },
  "a unit": { path: "/api/units", count: size.units },
  "a post": { path: "/api/content", count: size.posts },
  "an event": { path: "/api/events", count: size.events },
} as const;
type Thing = keyof typeof things;

/** Shared by the benchmarks of one database. */
export interface Bench {
  readonly folder: string;
  readonly target: string;
  readonly server: ServerProcess;
  /** Tokens of users who ask; the token of a request follows from the ID in it. */
  readonly tokens: readonly string[];
  /** Returns the CPU seconds of PostgreSQL so far; 0 on SQLite. */
  readonly databaseCpu: () => number;
}

/**
 * H1 to H3, on the built `wcs serve` with its default options. The load comes from this process, on another core than the
 * server. Rates are per CPU second of the server, because the machine may be shared.
 */
export const httpReads = () => onSqlite(readFigures);
export const httpLists = () => onSqlite(listFigures);
export const httpWrites = () => onSqlite(writeFigures);

/** H3: GETs of random IDs on a PostgreSQL server that syncs to disk. */
export async function* httpPostgres(): AsyncGenerator<Figure> {
  const postgres = await startPostgres({ durable: true });
  try {
    const target = `${postgres.url}/postgres`;
    await fillCompany(target);
    yield* onServer(target, postgresFigures, () => cpuWithChildren(postgres.pid));
  } finally {
    await postgres.stop();
  }
}

async function* onSqlite(figures: (bench: Bench) => AsyncGenerator<Figure>): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-data-"));
  try {
    const target = join(folder, "wcs.db");
    copyFileSync(await companyFile(), target);
    yield* onServer(target, figures);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* onServer(
  target: string,
  figures: (bench: Bench) => AsyncGenerator<Figure>,
  databaseCpu = () => 0,
): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-http-"));
  try {
    const bench = { ...(await begin(folder, target)), databaseCpu };
    yield* figures(bench);
    await bench.server.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* readFigures(bench: Bench): AsyncGenerator<Figure> {
  for (const thing of Object.keys(things) as Thing[]) {
    const requests = await requestsFor(bench, thing, 10_000);
    const floor = await startFloor(["bytes", requests.file]);
    const base = { floor, requests };
    const what = `GET of ${thing} by 10,000 random IDs (SQLite`;
    yield await reads(bench, { ...base, id: "H1b", what: `${what})`, target: ">= 0.40 x", writes: false });
    yield await reads(bench, { ...base, id: "H1", what: `${what}, 50 writes/s)`, target: ">= 0.35 x", writes: true });
    await floor.stop();
  }
}

async function* postgresFigures(bench: Bench): AsyncGenerator<Figure> {
  for (const thing of Object.keys(things) as Thing[]) {
    const requests = await requestsFor(bench, thing, 2_000);
    const floor = await startFloor(["statements", requests.file, bench.target]);
    const what = `GET of ${thing} by 2,000 random IDs (PostgreSQL, 50 writes/s)`;
    yield await reads(bench, { id: "H3", what, target: ">= 0.5 x", floor, requests, writes: true });
    await floor.stop();
  }
}

async function begin(folder: string, target: string): Promise<Omit<Bench, "databaseCpu">> {
  const database = await openDatabase(target);
  const tokens = await editorTokens(database);
  await database.close();
  const server = await startServer(folder, copyProgram(folder), target);
  return { folder, target, server, tokens };
}

interface Requests {
  readonly messages: readonly Message[];
  /** The answers, for the floor. */
  readonly file: string;
}

/** Asks for each ID once, which also warms the server up, and stores the answers for the floor. */
async function requestsFor({ folder, target, server, tokens }: Bench, thing: Thing, count: number): Promise<Requests> {
  const { path, count: existing } = things[thing];
  const first = thing === "a user" ? 2 : 1;
  const ids = Array.from({ length: count }, (_, n) => first + drawn(n, 11, existing));
  const messages = ids.map((id) => messageOf({ path: `${path}/${id}`, token: tokens[id % tokens.length]! }));
  const answers: Record<string, KnownAnswer> = {};
  const onBody = (body: string, at: number) => {
    answers[`${path}/${ids[at]}`] = { body };
  };
  await send({ port: server.port, messages, connections, onBody });
  if (target.startsWith("postgres")) {
    const askers = new Map(ids.map((id) => [`${path}/${id}`, 2 + (id % tokens.length)]));
    for (const [at, statements] of await recordStatements(target, askers)) {
      answers[at] = { body: answers[at]!.body, statements };
    }
  }
  const file = join(folder, "answers.json");
  writeFileSync(file, JSON.stringify(answers));
  return { messages, file };
}

interface Reading {
  readonly id: string;
  readonly what: string;
  readonly target: string;
  readonly floor: ServerProcess;
  readonly requests: Requests;
  readonly writes: boolean;
}

async function reads(bench: Bench, { id, what, target, floor, requests, writes }: Reading): Promise<Figure> {
  const ours: Rates[] = [];
  const theirs: Rates[] = [];
  // The floor is quick, and its CPU time is counted in steps of 10 ms.
  const several = Array.from({ length: target.startsWith("postgres") ? 1 : 3 }, () => requests.messages).flat();
  await send({ port: floor.port, messages: several, connections });
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await rates(floor, several, bench.databaseCpu));
    const writer = writes ? startWrites(bench) : undefined;
    ours.push(await rates(bench.server, requests.messages, bench.databaseCpu));
    await writer?.stop();
  }
  const middle = (all: readonly Rates[], which: keyof Rates) => median(all.map((each) => each[which]));
  const ofDatabase = (all: readonly Rates[]) => middle(all, "databaseMs").toFixed(2);
  const onPostgres = bench.target.startsWith("postgres");
  const database = onPostgres ? `; PostgreSQL ${ofDatabase(ours)} of ${ofDatabase(theirs)} ms of CPU` : "";
  const wall = `by the clock ${middle(ours, "perSecond").toFixed(0)} of ${middle(theirs, "perSecond").toFixed(0)}`;
  return {
    id,
    what,
    measured: middle(ours, "perCpuSecond"),
    floor: middle(theirs, "perCpuSecond"),
    unit: "per CPU second",
    target,
    note: wall + database,
  };
}

interface Rates {
  readonly perCpuSecond: number;
  readonly perSecond: number;
  /** Milliseconds of CPU of the database for each request, writes beside it included. */
  readonly databaseMs: number;
}

async function rates(server: ServerProcess, messages: readonly Message[], databaseCpu: () => number): Promise<Rates> {
  const [cpu, ofDatabase, begin] = [server.cpu(), databaseCpu(), performance.now()];
  await send({ port: server.port, messages, connections });
  const seconds = (performance.now() - begin) / 1000;
  const databaseMs = ((databaseCpu() - ofDatabase) * 1000) / messages.length;
  return { perCpuSecond: messages.length / (server.cpu() - cpu), perSecond: messages.length / seconds, databaseMs };
}

let written = 0;

/** Writes at a steady rate, until it is stopped: titles of users, and messages in turn. */
function startWrites({ server, tokens }: Bench): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  let failure: unknown;
  const write = () => {
    if (running.size >= maxWrites) return;
    written += 1;
    const conversation = 1 + ((written - 1) % tokens.length);
    const message =
      written % 2 === 0
        ? messageOf({
            method: "PATCH",
            path: `/api/users/${anyUser(written)}`,
            token: tokens[0]!,
            body: { title: `Title ${written}` },
          })
        : messageOf({
            method: "POST",
            path: `/api/conversations/${conversation}/messages`,
            token: tokens[conversation % tokens.length]!,
            body: { message: `Message ${written}` },
          });
    const sent = send({ port: server.port, messages: [message], connections: 1 })
      .catch((error) => {
        failure ??= error;
      })
      .finally(() => running.delete(sent));
    running.add(sent);
  };
  const timer = setInterval(write, 1000 / writesPerSecond);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      if (failure !== undefined) throw failure;
    },
  };
}
