import { type Figure, median } from "./figure.ts";
import { newBench, type Ran } from "./many-users.ts";

const rounds = 3;
const many = 100_000;
const max = 300;

/** B3: memory and CPU time of export, diff and apply of 100 k users on a local file, when there is nothing to change. */
export async function* memoryOfOrganisation(): AsyncGenerator<Figure> {
  const bench = newBench(many);
  try {
    bench.fill();
    for (const format of ["yaml", "json"]) {
      const file = bench.path(`organisation.${format}`);
      const runs: Record<string, Ran[]> = { export: [], diff: [], apply: [] };
      for (let round = 0; round < rounds; round += 1) {
        for (const [command, found] of Object.entries(runs)) found.push(bench.wcs(command, file));
      }
      const cpu = (command: string) => median((runs[command] ?? []).map((run) => run.cpu));
      for (const [command, found] of Object.entries(runs)) {
        const what = `${command} of ${many} users (${format}), memory`;
        const measured = Math.max(...found.map(({ rss }) => rss));
        const note = `floor: the limit; ${cpu(command).toFixed(1)} s of CPU`;
        yield { id: "B3", what, measured, floor: max, unit: "MiB peak", target: "<= 1 x", note };
      }
      const what = `diff of ${many} users (${format})`;
      const note = "floor: export";
      yield { id: "B3", what, measured: cpu("diff"), floor: cpu("export"), unit: "s of CPU", target: "<= 1.5 x", note };
    }
  } finally {
    bench.remove();
  }
}
