import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { counters } from "../../src/contract/counters.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Figure, median } from "./figure.ts";
import { type Everywhere, fillPosts, type Size } from "./many-posts.ts";

const few: Size = { units: 1000, posts: 2000 };
const many: Size = { units: 100_000, posts: 200_000 };
const rounds = 15;
const calls = 12;
const mixes: Readonly<Record<string, Everywhere>> = { "5 % for all": 5, "all for units": 0 };

/** G1: lists of posts and one post, of a hundred times as many posts in a hundred times as many units. */
export async function* manyPosts(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-posts-"));
  const postgres = await startPostgres();
  try {
    for (const [about, everywhere] of Object.entries(mixes)) {
      const file = (size: Size) => join(folder, `${everywhere}-${size.posts}.db`);
      yield* compare(`SQLite, ${about}`, everywhere, file);
      const url = (size: Size) => newDatabase(postgres.url, `posts_${everywhere}_${size.posts}`);
      yield* compare(`PostgreSQL, ${about}`, everywhere, url);
    }
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

async function* compare(
  where: string,
  everywhere: Everywhere,
  target: (size: Size) => string | Promise<string>,
): AsyncGenerator<Figure> {
  const small = await fillPosts(await target(few), few, everywhere);
  const large = await fillPosts(await target(many), many, everywhere);
  for (const who of ["administrator", "member", "editor"] as const) {
    for (const [what, ask] of Object.entries(questions)) {
      const times: { small: number[]; large: number[] } = { small: [], large: [] };
      for (let round = 0; round < rounds; round += 1) {
        times.small.push(await time(() => ask(small[who], few, round)));
        times.large.push(await time(() => ask(large[who], many, round)));
      }
      yield {
        id: "G1",
        what: `posts ${what}, ${who} (${where})`,
        measured: median(times.large),
        floor: median(times.small),
        unit: "ms",
        target: "<= 1.3 x",
        note: `${many.posts} posts against ${few.posts}`,
      };
    }
  }
  await small.database.close();
  await large.database.close();
}

/** Pages of what all have as many of, small or large. */
const limit = 5;

const questions: Readonly<Record<string, (caller: Caller, size: Size, round: number) => Promise<unknown>>> = {
  list: (caller) => caller.call(posts.list, { limit }),
  "list by update": (caller) => caller.call(posts.list, { limit, sort: "updated" }),
  "list of debates": (caller) => caller.call(posts.list, { limit, content_type: "debate" }),
  "list of the unseen": (caller) => caller.call(posts.list, { limit, unseen: true }),
  "list of a unit": (caller, size) => caller.call(posts.list, { limit, unit: size.units }),
  "list of drafts": (caller) => caller.call(posts.list, { limit, status: "draft" }),
  counters: (caller) => caller.call(counters.list, {}),
  // Members may read some of them only.
  get: (caller, size, round) =>
    caller.call(posts.get, { id: 1 + ((round * 7919) % size.posts) }).catch((error) => {
      if (error.code !== "not_found") throw error;
    }),
};

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  return (performance.now() - start) / calls;
}
