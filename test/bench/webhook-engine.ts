/**
 * A process of its own that delivers. Arguments: the database; `start` to go on until the parent disconnects, else it sends
 * what is due, and tells how much memory that took, in MiB, and how long, in seconds.
 */
import { once } from "node:events";
import { limitHeap } from "../../src/cli/file-io/heap-limit.ts";
import { defaults } from "../../src/contract/settings.ts";
import { createEngine } from "../../src/delivery/delivery.ts";
import { openDatabase } from "../../src/store/open-database.ts";

const [target = "", mode] = process.argv.slice(2);
const rss = () => process.memoryUsage().rss / 1_048_576;

// As wcs serve and wcs webhooks deliver do.
limitHeap();
const database = await openDatabase(target);
const engine = createEngine({
  database,
  settings: async () => ({ ...defaults, "webhooks.allow_private": true }),
  log: { info() {}, error: (fields, message) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`) },
  userAgent: "wcs/bench",
});
if (mode === "start") await serve();
else await drain();
await database.close();

async function serve(): Promise<void> {
  engine.start();
  process.send?.("started");
  await once(process, "disconnect");
  await engine.stop();
}

async function drain(): Promise<void> {
  const began = performance.now();
  const samples: number[] = [];
  const watch = setInterval(() => samples.push(rss()), 50);
  const { due, later } = await engine.drain({ maxSeconds: 600 });
  clearInterval(watch);
  if (due + later > 0) throw new Error(`${due + later} are left`);
  const half = Math.ceil(samples.length / 2);
  const [first, second] = [samples.slice(0, half), samples.slice(half)].map((part) => Math.max(...part));
  process.send?.({ first, second, seconds: (performance.now() - began) / 1000 });
  process.disconnect?.();
}
