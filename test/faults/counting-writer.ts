/**
 * Makes some 200 units a second for as long as it lives, named 1, 2, 3 ..., and prints each name once it is acknowledged.
 * Arguments: the database.
 */
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { units } from "../../src/contract/units.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";

const [target = ""] = process.argv.slice(2);
const database = await openDatabase(target);
const caller = createService({ database }).caller({ userId: 1 });
// The process may be killed before it would keep what it has compiled.
flushCompileCache();
for (let n = 1; ; n++) {
  const due = performance.now() + 5;
  await caller.call(units.create, { name: String(n), parent: 1 });
  process.stdout.write(`${n}\n`);
  await sleep(Math.max(0, due - performance.now()));
}
