import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { size } from "./company.ts";
import { type Figure, median } from "./figure.ts";
import type { Bench } from "./http.ts";
import { messageOf, send } from "./load.ts";
import { recordStatements, type Statement } from "./recorded-statements.ts";

const rounds = 5;
const requestsEach = 60;
/** Times that the requests are sent before, since V8 still compiles during the first 1,000. GETs of single objects have 10,000 before them. */
const warmUps = 50;
const pagesEach = 8;
const treePage = 500;

/** The lists of H1c: the path, the milliseconds of CPU that a request may take, and how many requests make one. */
const lists: readonly { what: string; path: string; max: number; times?: number }[] = [
  { what: "100 users", path: "/api/users?limit=100", max: 1 },
  { what: "100 units", path: "/api/units?limit=100", max: 0.6 },
  { what: "25 posts", path: "/api/content?limit=25", max: 0.7 },
  { what: "25 conversations", path: "/api/conversations?limit=25", max: 0.7 },
  { what: "25 events", path: "/api/events?limit=25", max: 0.8 },
  { what: "upcoming events", path: "/api/events/upcoming", max: 0.4 },
  { what: "counters", path: "/api/counters", max: 0.3 },
  { what: "tree of units", path: `/api/units/tree?limit=${treePage}`, max: 3, times: size.units / treePage },
];

/** H1c: CPU of the server for each request of a list, pages and callers in turn, against the same statements alone. */
export async function* listFigures(bench: Bench): AsyncGenerator<Figure> {
  for (const { what, path, max, times = 1 } of lists) {
    const pages = await pagesOf(bench, path);
    const asked = Array.from({ length: requestsEach }, (_, n) => ({
      path: pages[n % pages.length]!,
      editor: n % bench.tokens.length,
    }));
    const messages = asked.map((each) => messageOf({ path: each.path, token: bench.tokens[each.editor]! }));
    const ask = () => send({ port: bench.server.port, messages, connections: 4 });
    for (let again = 0; again < warmUps; again += 1) await ask();
    const measured: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = bench.server.cpu();
      // CPU time is counted in steps of 10 ms.
      for (let again = 0; again < 5; again += 1) await ask();
      measured.push(((bench.server.cpu() - before) * 1000 * times) / (5 * messages.length));
    }
    const statements = await recordStatements(bench.target, new Map(asked.map((each) => [each.path, 2 + each.editor])));
    const alone = statementTime(bench.target, [...statements.values()]) * times;
    yield {
      id: "H1c",
      what: `List of ${what}, CPU of a request (SQLite)`,
      measured: median(measured),
      floor: alone,
      unit: "ms",
      target: `<= ${max} ms`,
      note: "floor: the same statements and JSON.stringify",
    };
  }
}

/** Returns the paths of the first pages of a list. */
async function pagesOf({ server, tokens }: Bench, path: string): Promise<string[]> {
  if (!path.includes("?")) return [path];
  if (path.includes("/events")) return Array.from({ length: pagesEach }, (_, n) => `${path}&page=${n + 1}`);
  const pages = [path];
  while (pages.length < pagesEach) {
    let next: string | null = null;
    const onBody = (body: string) => {
      next = JSON.parse(body).meta?.next_cursor ?? null;
    };
    const messages = [messageOf({ path: pages.at(-1)!, token: tokens[0]! })];
    await send({ port: server.port, messages, connections: 1, onBody });
    if (next === null) break;
    pages.push(`${path}&cursor=${next}`);
  }
  return pages;
}

/** Returns the milliseconds of CPU that the statements of a request take, with JSON.stringify of their rows. */
function statementTime(file: string, requests: readonly (readonly Statement[])[]): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const run = () => {
    for (const statements of requests) {
      for (const { text, values } of statements) {
        const statement = prepared.get(text) ?? database.prepare(text);
        prepared.set(text, statement);
        JSON.stringify(statement.all(...(values as SQLInputValue[])));
      }
    }
  };
  run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let again = 0; again < 5; again += 1) run();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000 / (5 * requests.length));
  }
  database.close();
  return median(times);
}
