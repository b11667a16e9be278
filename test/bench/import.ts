import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { type Figure, median } from "./figure.ts";
import { type Bench, columns, newBench } from "./many-users.ts";

const rounds = 3;
const many = 100_000;

/** B1: 100 k users from CSV into SQLite, against `sqlite3 .import` of the same rows. */
export async function importing(): Promise<Figure[]> {
  const bench = newBench(many);
  try {
    const measured: number[] = [];
    const peaks: number[] = [];
    const table: number[] = [];
    const all: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { seconds, rss } = bench.fill();
      measured.push(seconds);
      peaks.push(rss);
      table.push(importTable(bench));
      all.push(importAll(bench));
    }
    const what = `import of ${many} users from CSV (SQLite)`;
    const time = { id: "B1", measured: median(measured), unit: "s", target: "<= 4 x" };
    const memory = { id: "B1", measured: median(peaks), unit: "MiB RSS", target: "<= 1 x" };
    const note = "floor: sqlite3 .import";
    return [
      { ...time, what, floor: median(table), note: `${note} into the table of users, with its indexes` },
      { ...time, what: `${what}, all tables`, floor: median(all), note: `${note} of all rows that come of it` },
      { ...memory, what: `${what}, memory`, floor: 160, note: "floor: what it may have" },
    ];
  } finally {
    bench.remove();
  }
}

/** The cheapest way to get the file into a table with the indexes that users have. */
function importTable({ path }: Bench): number {
  const target = path("floor.db");
  const schema = `create table users (${columns.map((name) => `${name} text`).join(", ")});
    create unique index a on users (reference); create unique index b on users (email);
    create index c on users (birthday) where birthday is not null; create index d on users (unit);`;
  return sqlite3(target, `${schema}\n.mode csv\n.import --skip 1 ${path("users.csv")} users\n`);
}

const filled = ["users", "memberships", "membership_user_types", "user_words"] as const;

/** The same with every table that an import fills, each from a file of its own. */
function importAll({ path }: Bench): number {
  const source = path("wcs.db");
  const schema = spawnSync("sqlite3", [source, ".schema"], { encoding: "utf8" }).stdout;
  const loads = filled.map((table) => {
    const { stdout } = spawnSync("sqlite3", ["-csv", source, `select * from ${table}`], { maxBuffer: 2 ** 30 });
    writeFileSync(path(`${table}-rows.csv`), stdout);
    return `.import ${path(`${table}-rows.csv`)} ${table}`;
  });
  return sqlite3(path("floor.db"), `${withoutInternal(schema)}\n.mode csv\n${loads.join("\n")}\n`);
}

const withoutInternal = (schema: string) =>
  schema
    .split("\n")
    .filter((line) => !line.includes("sqlite_"))
    .join("\n");

function sqlite3(target: string, script: string): number {
  for (const end of ["", "-wal", "-shm"]) rmSync(target + end, { force: true });
  const begin = performance.now();
  const { error, status, stderr } = spawnSync("sqlite3", [target], {
    input: `pragma journal_mode = wal; pragma synchronous = full;\n${script}`,
    encoding: "utf8",
  });
  if (error || status !== 0) throw new Error(`this needs sqlite3: ${error?.message ?? stderr}`);
  return (performance.now() - begin) / 1000;
}
