import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyInstance } from "../../src/store/move/copy-instance.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { startPostgres } from "../support/postgres.ts";
import { companyFile, drawn, editorTokens, size } from "./company.ts";
import { type Figure, median } from "./figure.ts";
import { messageOf, send } from "./load.ts";
import { copyProgram, cpuWithChildren, type ServerProcess, startWorkers } from "./server-process.ts";

const rounds = 3;
const requestsEach = 5_000;
const connections = 32;

/** How many workers each of the servers has that share the requests; the first setup is the floor. */
type Setups = Readonly<Record<string, readonly number[]>>;
const onOneMachine: Setups = { "one process": [1], "--workers 2": [2] };
const onSeveral: Setups = { ...onOneMachine, "two servers": [1, 1] };

/**
 * H4: GETs of random users from two processes on one database, against one process. The load and PostgreSQL share the cores with
 * them, so that twice as many requests by the clock need more cores than there are processes.
 */
export async function* workers(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-workers-"));
  const postgres = await startPostgres({ durable: true });
  try {
    const file = join(folder, "wcs.db");
    copyFileSync(await companyFile(), file);
    const url = `${postgres.url}/postgres`;
    const watch = { signal: new AbortController().signal, progress() {} };
    await copyInstance({ from: file, to: url, wordsOf: () => [], watch });
    const program = copyProgram(folder);
    yield* compare("SQLite", onOneMachine, { folder, program, target: file });
    yield* compare("PostgreSQL", onSeveral, { folder, program, target: url, databasePid: postgres.pid });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly program: string;
  readonly target: string;
  /** The first process of the database server; none on SQLite. */
  readonly databasePid?: number;
}

async function* compare(where: string, setups: Setups, place: Place): AsyncGenerator<Figure> {
  const database = await openDatabase(place.target);
  const tokens = await editorTokens(database);
  await database.close();
  const started: { name: string; servers: ServerProcess[]; found: Rates[] }[] = [];
  try {
    for (const [name, counts] of Object.entries(setups)) {
      const servers: ServerProcess[] = [];
      started.push({ name, servers, found: [] });
      for (const count of counts) servers.push(await startWorkers(place, count));
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const { servers, found } of started) {
        const measured = await rates({ servers, tokens, round, databasePid: place.databasePid });
        // The first round only warms up.
        if (round > 0) found.push(measured);
      }
    }
    const [one, ...others] = started.map(({ name, found }) => ({ name, ...middleOf(found) }));
    for (const several of others) yield figure(where, several, one!);
  } finally {
    for (const { servers } of started) await Promise.all(servers.map((server) => server.stop()));
  }
}

interface Rates {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  /** Milliseconds of CPU of the database server for each request. */
  readonly databaseMs: number;
  readonly wrong: number;
}

interface Asking {
  readonly servers: readonly ServerProcess[];
  readonly tokens: readonly string[];
  readonly round: number;
  readonly databasePid: number | undefined;
}

/** Asks for random users, each server for as many. */
async function rates({ servers, tokens, round, databasePid }: Asking): Promise<Rates> {
  const ids = Array.from({ length: requestsEach }, (_, n) => 2 + drawn(round * requestsEach + n, 31, size.users));
  const used = () => servers.reduce((sum, server) => sum + server.cpu(), 0);
  const ofDatabase = () => (databasePid === undefined ? 0 : cpuWithChildren(databasePid));
  const [cpu, database, begin] = [used(), ofDatabase(), performance.now()];
  const wrong = await Promise.all(
    servers.map(({ port }, at) => {
      const own = ids.filter((_, n) => n % servers.length === at);
      return countWrong({ port, ids: own, tokens, connections: connections / servers.length });
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  return {
    perSecond: requestsEach / seconds,
    perCpuSecond: requestsEach / (used() - cpu),
    databaseMs: ((ofDatabase() - database) * 1000) / requestsEach,
    wrong: wrong.reduce((sum, count) => sum + count, 0),
  };
}

interface Requests {
  readonly port: number;
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  readonly connections: number;
}

/** Sends the requests and counts the answers about another user than the one that was asked for. */
async function countWrong({ port, ids, tokens, connections }: Requests): Promise<number> {
  const messages = ids.map((id) => messageOf({ path: `/api/users/${id}`, token: tokens[id % tokens.length]! }));
  let right = 0;
  const onBody = (body: string, at: number) => {
    if (JSON.parse(body).id === ids[at]) right += 1;
  };
  await send({ port, messages, connections, onBody });
  return ids.length - right;
}

/** Returns the medians, and all wrong answers. */
function middleOf(found: readonly Rates[]): Rates {
  const middle = (which: keyof Rates) => median(found.map((each) => each[which]));
  return {
    perSecond: middle("perSecond"),
    perCpuSecond: middle("perCpuSecond"),
    databaseMs: middle("databaseMs"),
    wrong: found.reduce((sum, each) => sum + each.wrong, 0),
  };
}

function figure(where: string, several: Rates & { readonly name: string }, one: Rates): Figure {
  const perCpu = `per CPU second ${several.perCpuSecond.toFixed(0)} of ${one.perCpuSecond.toFixed(0)}`;
  const database = `PostgreSQL ${several.databaseMs.toFixed(2)} of ${one.databaseMs.toFixed(2)} ms of CPU; `;
  return {
    id: "H4",
    what: `GET of a user by random IDs, ${several.name} (${where})`,
    measured: several.perSecond,
    floor: one.perSecond,
    unit: "per second",
    target: ">= 1 x",
    note: `floor: one process; ${perCpu}; ${where === "PostgreSQL" ? database : ""}${several.wrong} + ${one.wrong} wrong answers`,
  };
}
