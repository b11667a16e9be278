import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { counters } from "../../src/contract/counters.ts";
import { events } from "../../src/contract/events.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Figure, median } from "./figure.ts";
import { base, fillEvents, type Mix, now, ofLastUnit } from "./many-events.ts";

const [few, many] = [500, 50_000];
const rounds = 15;
const calls = 12;
const month = 30 * 86_400;
/** Pages of what all have as many of, small or large. */
const limit = 10;
const mixes: Readonly<Record<string, Mix>> = { "mostly personal": [60, 30, 8, 2], "all for all": [0, 0, 0, 100] };

/** G1: lists, what is next, and one event, of a hundred times as many events. */
export async function manyEvents(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-events-"));
  const postgres = await startPostgres();
  const found: Figure[] = [];
  try {
    for (const [about, mix] of Object.entries(mixes)) {
      const file = (count: number) => join(folder, `${about}-${count}.db`);
      found.push(...(await compare(`SQLite, ${about}`, mix, file)));
      const url = (count: number) => newDatabase(postgres.url, `events_${found.length}_${count}`);
      found.push(...(await compare(`PostgreSQL, ${about}`, mix, url)));
    }
    return found;
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function newDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client(`${server}/postgres`);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `${server}/${name}`;
}

async function compare(
  where: string,
  mix: Mix,
  target: (count: number) => string | Promise<string>,
): Promise<Figure[]> {
  const small = await fillEvents(await target(few), few, mix);
  const large = await fillEvents(await target(many), many, mix);
  const found: Figure[] = [];
  for (const who of ["admin", "member"] as const) {
    for (const [what, ask] of Object.entries(questions)) {
      const times: { small: number[]; large: number[] } = { small: [], large: [] };
      for (let round = 0; round < rounds; round += 1) {
        times.small.push(await time(() => ask(small[who], round)));
        times.large.push(await time(() => ask(large[who], round)));
      }
      found.push({
        id: "G1",
        what: `${what}, ${who} (${where})`,
        measured: median(times.large),
        floor: median(times.small),
        unit: "ms",
        target: "<= 1.3 x",
        note: `${many} events against ${few}`,
      });
    }
  }
  await small.database.close();
  await large.database.close();
  return found;
}

const questions: Readonly<Record<string, (caller: Caller, round: number) => Promise<unknown>>> = {
  "events list": (caller) => caller.call(events.list, { limit }),
  "events list of a month": (caller) => caller.call(events.list, { limit, start: now, end: now + month }),
  "events list from a time on": (caller) => caller.call(events.list, { limit, start: base + 3 * month }),
  "events upcoming": (caller) => caller.call(events.upcoming, {}),
  "events counters": (caller) => caller.call(counters.list, {}),
  // Both may read them; others are refused, which takes another time.
  "events get": (caller, round) => caller.call(events.get, { id: 1 + ((round * 13) % ofLastUnit) }),
};

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  return (performance.now() - start) / calls;
}
