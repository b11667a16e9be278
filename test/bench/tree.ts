import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { sql } from "kysely";
import { units } from "../../src/contract/units.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { openNewInstance } from "../support/new-instance.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Figure, median } from "./figure.ts";

const rounds = 7;

/** G2: moving a branch of 10 k units, against one UPDATE of as many paths in a transaction. */
export async function tree(): Promise<Figure[]> {
  const file = join(tmpdir(), `wcs-bench-tree-${process.pid}.db`);
  const postgres = await startPostgres({ durable: true });
  try {
    return [await move("SQLite", file), await move("PostgreSQL", `${postgres.url}/postgres`)];
  } finally {
    await postgres.stop();
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  }
}

async function move(where: string, target: string): Promise<Figure> {
  const database = await openNewInstance(target);
  const caller = createService({ database }).caller({ userId: 1 });
  const [left, right] = [await make("left", 1), await make("right", 1)];
  const top = await make("top", left);
  const rows = (from: number, parents: readonly number[]) =>
    parents.flatMap((_, index) =>
      Array.from({ length: 99 }, (_, child) => ({
        reference: `u${from}-${index}-${child}`,
        name: `Unit ${child}`,
        parent: from === 1 ? "top" : `u1-0-${index}`,
      })),
    );
  await load(caller, rows(1, [top]));
  await load(
    caller,
    rows(
      2,
      Array.from({ length: 99 }, (_, index) => index),
    ),
  );
  const measured: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await time(() => caller.call(units.move, { id: top, parent: round % 2 === 0 ? right : left })));
    floors.push(await updatePaths(database));
  }
  const unit = await caller.call(units.get, { id: top });
  await database.close();
  const what = `move of a branch of ${unit.stats.children_total + 1} units (${where})`;
  return { id: "G2", what, measured: median(measured), floor: median(floors), unit: "ms", target: "<= 2 x" };

  async function make(reference: string, parent: number): Promise<number> {
    return (await caller.call(units.create, { name: reference, reference, parent })).id;
  }
}

async function load(
  caller: ReturnType<ReturnType<typeof createService>["caller"]>,
  rows: Record<string, string>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += 500) {
    const { results } = await caller.call(units.import, { rows: rows.slice(start, start + 500) });
    if (results.some((row) => row.action !== "created")) throw new Error("the units did not go in");
  }
}

/** The floor: as many paths and levels, in one statement of one transaction; then back, not timed. */
async function updatePaths(database: Database): Promise<number> {
  const floor = await time(() =>
    database.write(async (tx) => {
      await sql`update units set path = '/~' || path, level = level + 1 where path >= '/1/' and path < '/10'`.execute(
        tx,
      );
    }),
  );
  await database.write(async (tx) => {
    await sql`update units set path = substr(path, 3), level = level - 1 where path >= '/~' and path < '/~~'`.execute(
      tx,
    );
  });
  return floor;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
