/** Takes a lock: `hold` keeps it, `count` adds 1 to the number in a file while it has it. */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { withLock } from "../../src/cli/session/file-lock.ts";

const [what = "", lock = "", file = ""] = process.argv.slice(2);
await withLock(lock, what === "hold" ? 1000 : 5000, async () => {
  process.stdout.write("held\n");
  if (what === "hold") await sleep(600_000);
  const number = Number(readFileSync(file, "utf8"));
  // A request that came in at the same time would read the same number.
  await sleep(5);
  writeFileSync(file, String(number + 1));
});
process.stdout.write("done\n");
