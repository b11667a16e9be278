/** Delivers until it is killed. Arguments: the database, and by how many seconds its clock is ahead. */
import { flushCompileCache } from "node:module";
import { defaults } from "../../src/contract/settings.ts";
import { createEngine } from "../../src/delivery/delivery.ts";
import { openDatabase } from "../../src/store/open-database.ts";

const [target = "", ahead = "0"] = process.argv.slice(2);
const database = await openDatabase(target);
const engine = createEngine({
  database,
  clock: () => Date.now() + Number(ahead) * 1000,
  settings: async () => ({ ...defaults, "webhooks.allow_private": true }),
  log: {
    info() {},
    error: (fields, message) => void process.stderr.write(`${message} ${String((fields as { err: unknown }).err)}\n`),
  },
  userAgent: "wcs/test",
});
engine.start();
// The process may be killed before it would keep what it has compiled.
flushCompileCache();
process.stdout.write("started\n");
