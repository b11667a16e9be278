import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Figure, median } from "./figure.ts";
import { type Bench, newBench, type Ran, run } from "./many-users.ts";

const rounds = 3;
const many = 100_000;
const filled = ["users", "memberships", "membership_user_types", "user_words"];

/** B1: 100 k users from CSV into SQLite, against a program that only inserts the rows of all tables that an import fills. */
export async function importing(): Promise<Figure[]> {
  const bench = newBench(many);
  try {
    const imports: Ran[] = [];
    const floors: Ran[] = [];
    for (let round = 0; round < rounds; round++) {
      imports.push(bench.fill());
      floors.push(insertRows(bench));
    }
    const what = `import of ${many} users from CSV (SQLite)`;
    const cpu = (runs: readonly Ran[]) => median(runs.map((each) => each.cpu));
    const seconds = (runs: readonly Ran[]) => median(runs.map((each) => each.seconds)).toFixed(1);
    const note = `floor: node:sqlite inserts all rows that result; by the clock ${seconds(imports)} and ${seconds(floors)} s`;
    const peak = Math.max(...imports.map(({ rss }) => rss));
    return [
      { id: "B1", what, measured: cpu(imports), floor: cpu(floors), unit: "s of CPU", target: "<= 2 x", note },
      {
        id: "B1",
        what: `${what}, memory`,
        measured: peak,
        floor: 160,
        unit: "MiB peak",
        target: "<= 1 x",
        note: "floor: the limit",
      },
    ];
  } finally {
    bench.remove();
  }
}

function insertRows({ path }: Bench): Ran {
  const target = path("floor.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(target + end, { force: true });
  return run([join(import.meta.dirname, "import-floor.ts"), path("wcs.db"), target, ...filled]);
}
