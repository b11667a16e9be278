import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyInstance } from "../../src/store/move/copy-instance.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { startPostgres } from "../support/postgres.ts";
import { companyFile, drawn, editorTokens, size } from "./company.ts";
import { type Figure, median } from "./figure.ts";
import { type Message, messageOf, send } from "./load.ts";
import { copyProgram, cpuWithChildren, type ServerProcess, startServer } from "./server-process.ts";

const rounds = 3;
const requestsEach = 400;
const connections = 16;
/** Part of a core that may be in use, so that requests rarely wait for each other. */
const utilisation = 0.6;

const reads = {
  user: { path: "/api/users", count: size.users },
  unit: { path: "/api/units", count: size.units },
  post: { path: "/api/content", count: size.posts },
  event: { path: "/api/events", count: size.events },
} as const;
type Read = keyof typeof reads;
type Mix = Readonly<Record<Read, number>>;

/** Mixes that the model predicts from the costs of single reads. */
const mixes: Readonly<Record<string, Mix>> = {
  "mostly users": { user: 0.7, unit: 0.1, post: 0.1, event: 0.1 },
  "mostly posts": { user: 0.1, unit: 0.1, post: 0.6, event: 0.2 },
};

/** CPU of a request in milliseconds. */
interface Cost {
  readonly server: number;
  readonly database: number;
}

/** The model: costs of requests add up. */
function predicted(mix: Mix, costs: Readonly<Record<Read, Cost>>): Cost {
  const sum = (part: keyof Cost) =>
    Object.entries(mix).reduce((all, [read, n]) => all + n * costs[read as Read][part], 0);
  return { server: sum("server"), database: sum("database") };
}

/** Cores that the servers and PostgreSQL share, or cores of their own. */
type Cores = { readonly shared: number } | { readonly servers: number; readonly database: number };

/** The model: the cores that are used up first limit the requests per second. */
function capacity({ server, database }: Cost, cores: Cores): number {
  const max =
    "shared" in cores
      ? cores.shared / (server + database)
      : Math.min(cores.servers / server, cores.database / database);
  return 1000 * utilisation * max;
}

/** Compares the model with measurements on PostgreSQL, then prints what it says about larger installations. */
export async function* model(): AsyncGenerator<Figure> {
  const postgres = await startPostgres({ durable: true });
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-model-"));
  const servers: ServerProcess[] = [];
  try {
    const target = `${postgres.url}/postgres`;
    const watch = { signal: new AbortController().signal, progress() {} };
    await copyInstance({ from: await companyFile(), to: target, wordsOf: () => [], watch });
    const database = await openDatabase(target);
    const tokens = await editorTokens(database);
    await database.close();
    const program = copyProgram(folder);
    for (let n = 0; n < 2; n += 1) servers.push(await startServer(folder, program, target));
    yield* compare({ servers, tokens, databaseCpu: () => cpuWithChildren(postgres.pid) });
  } finally {
    for (const server of servers) await server.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Setup {
  readonly servers: readonly ServerProcess[];
  readonly tokens: readonly string[];
  readonly databaseCpu: () => number;
}

async function* compare(setup: Setup): AsyncGenerator<Figure> {
  // Both servers have compiled what they need before the first measurement.
  for (const mix of Object.values(mixes)) await costOf(setup, messagesOf(mix, setup.tokens));
  const one = { ...setup, servers: setup.servers.slice(0, 1) };
  const costs = {} as Record<Read, Cost>;
  for (const read of Object.keys(reads) as Read[]) {
    costs[read] = await costOf(one, messagesOf({ user: 0, unit: 0, post: 0, event: 0, [read]: 1 }, setup.tokens));
    yield {
      ...figure(`GET of a ${read}: CPU of the server, of PostgreSQL`, costs[read].server, costs[read].database),
      target: "input",
    };
  }
  for (const [name, mix] of Object.entries(mixes)) {
    const expected = predicted(mix, costs);
    const messages = messagesOf(mix, setup.tokens);
    const target = "0.8 to 1.25 x of the prediction";
    for (const [count, where] of [
      [one, "one server"],
      [setup, "two servers"],
    ] as const) {
      const found = await costOf(count, messages);
      yield { ...figure(`${name}, ${where}: CPU of the servers, predicted`, found.server, expected.server), target };
      yield { ...figure(`${name}, ${where}: CPU of PostgreSQL, predicted`, found.database, expected.database), target };
    }
  }
  const cost = predicted(mixes["mostly users"] as Mix, costs);
  const core = capacity(cost, { shared: 1 });
  for (const [what, cores] of installations)
    yield { id: "P9", what, measured: capacity(cost, cores), floor: core, unit: "requests/s", target: "extrapolated" };
}

const installations: readonly (readonly [string, Cores])[] = [
  ["One core for both", { shared: 1 }],
  ["One machine with 4 cores", { shared: 4 }],
  ["2 servers with 4 cores, PostgreSQL with 8", { servers: 8, database: 8 }],
  ["8 servers with 4 cores, PostgreSQL with 32", { servers: 32, database: 32 }],
];

const figure = (what: string, measured: number, floor: number) => ({ id: "P9", what, measured, floor, unit: "ms" });

/** Requests of a mix for random IDs, in an order that looks random. */
function messagesOf(mix: Mix, tokens: readonly string[]): Message[] {
  return Array.from({ length: requestsEach }, (_, n) => {
    const read = readAt(mix, drawn(n, 21, 1000) / 1000);
    const id = 2 + drawn(n, 22, reads[read].count - 1);
    return messageOf({ path: `${reads[read].path}/${id}`, token: tokens[n % tokens.length] ?? "" });
  });
}

/** Returns the read at a place between 0 and 1 of the mix. */
function readAt(mix: Mix, place: number): Read {
  let end = 0;
  for (const read of Object.keys(mix) as Read[]) {
    end += mix[read];
    if (place < end) return read;
  }
  return "user";
}

/** Returns the CPU of a request; the first round only warms up. */
async function costOf({ servers, databaseCpu }: Setup, messages: readonly Message[]): Promise<Cost> {
  const found: Cost[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const used = () => servers.reduce((sum, server) => sum + server.cpu(), 0);
    const [server, database] = [used(), databaseCpu()];
    await Promise.all(
      servers.map(({ port }, at) =>
        send({ port, messages: messages.filter((_, n) => n % servers.length === at), connections }),
      ),
    );
    const each = (seconds: number) => (seconds * 1000) / messages.length;
    if (round > 0) found.push({ server: each(used() - server), database: each(databaseCpu() - database) });
  }
  return { server: median(found.map((each) => each.server)), database: median(found.map((each) => each.database)) };
}
