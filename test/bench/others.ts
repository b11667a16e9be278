import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../support/postgres.ts";
import type { Person } from "./crowd-server.ts";
import type { Figure } from "./figure.ts";

const seconds = 5;
const people = 152;
const pollsEach = 10;
const eventsAtOnce = 8;
const target = "<= 100 ms";

interface Crowd {
  readonly where: string;
  readonly url: string;
  readonly people: readonly Person[];
}
type Disturb = (crowd: Crowd, signal: AbortSignal) => Promise<unknown>;

/** How long others wait while one user, or many who wait for messages, ask for the most that they may. */
export async function others(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-others-"));
  const postgres = await startPostgres({ durable: true });
  try {
    const client = new pg.Client(`${postgres.url}/postgres`);
    await client.connect();
    await client.query("create database others");
    await client.end();
    return [
      ...(await inCrowd("SQLite", join(folder, "wcs.db"))),
      ...(await inCrowd("PostgreSQL", `${postgres.url}/others`)),
    ];
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inCrowd(where: string, database: string): Promise<Figure[]> {
  const server = fork(join(import.meta.dirname, "crowd-server.ts"), [database, String(people)]);
  try {
    const [started] = (await once(server, "message")) as [Pick<Crowd, "url" | "people">];
    const crowd = { where, ...started };
    const alone = await measure(crowd);
    const waits = await measure(crowd, pollAll);
    const events = await measure(crowd, postEvents);
    const figure = (what: string, name: keyof Times, part: number, times: Times): Figure => {
      const [measured, floor] = [at(times[name], part), at(alone[name], part)];
      return { id: "R19", what: `${what} (${where})`, measured, floor, unit: "ms", target, note: "floor: undisturbed" };
    };
    const polls = (people - 2) * pollsEach;
    return [
      figure(`p99 of GET a user, ${polls} polls wait`, "reads", 0.99, waits),
      figure(`p50 of POST a message, ${polls} polls wait`, "writes", 0.5, waits),
      figure(`p99 of POST a message, ${polls} polls wait`, "writes", 0.99, waits),
      figure("p99 of GET a user, one posts the worst events", "reads", 0.99, events),
      figure("p99 of POST a message, one posts the worst events", "writes", 0.99, events),
    ];
  } finally {
    server.kill();
  }
}

interface Times {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

/** Milliseconds of requests of the last pair of the crowd, one after the other, while others disturb it. */
async function measure(crowd: Crowd, disturb?: Disturb): Promise<Times> {
  const abort = new AbortController();
  const disturbing = disturb?.(crowd, abort.signal);
  const [reader, writer] = crowd.people.slice(-2) as [Person, Person];
  // That so many begin at once is not what is measured.
  for (let n = 0; n < 200; n += 1) await request(crowd.url, reader, { path: `/users/${reader.id}` });
  const end = performance.now() + seconds * 1000;
  const repeat = async (ask: () => Promise<unknown>) => {
    const times: number[] = [];
    while (performance.now() < end) {
      const begin = performance.now();
      await ask();
      times.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return times;
  };
  const [reads, writes] = await Promise.all([
    repeat(() => request(crowd.url, reader, { path: `/users/${reader.id}` })),
    repeat(() =>
      request(crowd.url, writer, {
        path: `/conversations/${writer.conversation}/messages`,
        body: { message: "Hello" },
      }),
    ),
  ]);
  abort.abort();
  await disturbing;
  return { reads, writes };
}

/** All but the last pair wait for messages, which they begin to do again when one comes. */
const pollAll: Disturb = async ({ url, people }, signal) => {
  const poll = async (person: Person) => {
    const path = `/conversations/${person.conversation}/messages/new?after=${person.message}&wait=60`;
    while (!signal.aborted) await request(url, person, { path, signal }).catch(() => {});
  };
  await Promise.all(people.slice(0, -2).flatMap((person) => Array.from({ length: pollsEach }, () => poll(person))));
};

/** One user creates events with the most rules, each with more days than there can be. */
const postEvents: Disturb = async ({ url, people: [person] }, signal) => {
  const body = {
    title: "Again",
    type: "user",
    start: 1_800_000_000,
    end: 1_800_003_600,
    recurrence: [0, 1, 2, 3].map((n) => ({ freq: "daily", count: 100_000 - n })),
  };
  const post = async () => {
    while (!signal.aborted) await request(url, person!, { path: "/events", body, signal }).catch(() => {});
  };
  await Promise.all(Array.from({ length: eventsAtOnce }, post));
};

const agent = new http.Agent({ keepAlive: true });

async function request(
  url: string,
  { jwt }: Person,
  { path, body, signal }: { path: string; body?: object; signal?: AbortSignal },
): Promise<void> {
  const sent = http.request(`${url}/api${path}`, {
    agent,
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${jwt}`, ...(body && { "content-type": "application/json" }) },
    ...(signal && { signal }),
  });
  // Connections may still break after the answer or the abort; until then once() tells of it.
  sent.on("error", () => {});
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [http.IncomingMessage];
  response.resume();
  await once(response, "end");
  if (response.statusCode! >= 400) throw new Error(`${path}: ${response.statusCode}`);
}

function at(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
}
