import { type Figure, median } from "./figure.ts";
import { newBench, run } from "./many-users.ts";

const rounds = 5;
const many = 100_000;

/** Reads all rows and writes them as JSON lines: what nobody can do without. */
const floor = `
  const { DatabaseSync } = require("node:sqlite");
  const { writeSync } = require("node:fs");
  let text = "";
  for (const row of new DatabaseSync(process.argv[1], { readOnly: true }).prepare("select * from users order by id").iterate()) {
    text += JSON.stringify(row) + "\\n";
    if (text.length > 65536) {
      writeSync(1, text);
      text = "";
    }
  }
  writeSync(1, text);
`;

/** B2: all of 100 k users as JSON lines, on a local file, against rows of node:sqlite through JSON.stringify. */
export async function listing(): Promise<Figure[]> {
  const bench = newBench(many);
  try {
    bench.fill();
    const measured: number[] = [];
    const memory: number[] = [];
    const floors: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { seconds, rss } = bench.wcs("users", "list", "--all", "-o", "ndjson");
      measured.push(seconds);
      memory.push(rss);
      floors.push(run(["--no-warnings", "-e", floor, bench.path("wcs.db")]).seconds);
    }
    const what = `list of ${many} users as JSON lines`;
    return [
      {
        id: "B2",
        what,
        measured: median(measured),
        floor: median(floors),
        unit: "s",
        target: "<= 2.5 x",
        note: "floor: rows of node:sqlite through JSON.stringify, of the table of users alone",
      },
      {
        id: "B2",
        what: `${what}, memory`,
        measured: median(memory),
        floor: 130,
        unit: "MiB RSS",
        target: "<= 1 x",
        note: "floor: what it may have",
      },
    ];
  } finally {
    bench.remove();
  }
}
