import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../support/postgres.ts";
import { execute } from "../support/template-databases.ts";
import { type Figure, median } from "./figure.ts";

/** Returns the target of a new database with that name. */
type NewTarget = (name: string) => Promise<string>;

/** Measures on SQLite and on PostgreSQL. */
export async function* onBothDatabases(
  measure: (where: string, newTarget: NewTarget) => AsyncIterable<Figure>,
): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-"));
  const postgres = await startPostgres({ durable: true });
  try {
    yield* measure("SQLite", async (name) => join(folder, `${name}.db`));
    yield* measure("PostgreSQL", async (name) => {
      await execute(`${postgres.url}/postgres`, `create database ${name}`);
      return `${postgres.url}/${name}`;
    });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Comparison<T> {
  readonly small: T;
  readonly large: T;
  readonly rounds: number;
  /** How often each is asked in a round. */
  readonly calls: number;
}

/** G1: the median time of a question to a large instance, beside that of the same question to a small one. */
export async function compare<T>(
  ask: (instance: T, round: number) => Promise<unknown>,
  { small, large, rounds, calls }: Comparison<T>,
) {
  const time = async (instance: T, round: number) => {
    const start = performance.now();
    for (let call = 0; call < calls; call += 1) await ask(instance, round);
    return (performance.now() - start) / calls;
  };
  const [floors, times]: number[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    floors!.push(await time(small, round));
    times!.push(await time(large, round));
  }
  return { id: "G1", measured: median(times!), floor: median(floors!), unit: "ms", target: "<= 1.3 x" };
}
