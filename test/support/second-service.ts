/** Executes operations for the process that started it; see `startSecondProcess`. */
import { flushCompileCache } from "node:module";
import { allOperations } from "../../src/contract/all-operations.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { outcome } from "./outcome.ts";

interface Request {
  readonly id: number;
  readonly token: string;
  readonly name: string;
  readonly input: object;
}

const [target = ""] = process.argv.slice(2);
const service = createService({ database: await openDatabase(target) });
const operations = new Map((await allOperations()).map((op) => [op.name, op]));
process.on("message", async ({ id, token, name, input }: Request) => {
  process.send?.({ id, outcome: await outcome(service.invoke(operations.get(name)!, input, { token })) });
});
// The process may be killed before it would keep what it has compiled.
flushCompileCache();
process.send?.("ready");
