/** A process of its own that sends what is due in a database, and tells how much memory that took, in MiB, and how long, in seconds. */
import { defaults } from "../../src/contract/settings.ts";
import { createEngine } from "../../src/delivery/index.ts";
import { openDatabase } from "../../src/store/database.ts";

const rss = () => process.memoryUsage().rss / 1_048_576;

const database = await openDatabase(process.argv[2] ?? "");
const engine = createEngine({
  database,
  settings: async () => ({ ...defaults, "webhooks.allow_private": true }),
  log: { info() {}, error: (fields, message) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`) },
  userAgent: "wcs/bench",
});
const began = performance.now();
const samples: number[] = [];
const watch = setInterval(() => samples.push(rss()), 50);
const { due, later } = await engine.drain({ maxSeconds: 600 });
clearInterval(watch);
if (due + later > 0) throw new Error(`${due + later} are left`);
const half = Math.ceil(samples.length / 2);
const [first, second] = [samples.slice(0, half), samples.slice(half)].map((part) => Math.max(...part));
process.send?.({ first, second, seconds: (performance.now() - began) / 1000 });
await database.close();
process.disconnect?.();
