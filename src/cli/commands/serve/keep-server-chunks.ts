import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Reads the files of the bundle that operations load on demand, because an upgrade removes them below a running server. Loading them all
 * at once would take a third of a second. Sources and an executable have no list of them, and nothing is done.
 */
export function keepServerChunks(): void {
  const list = join(import.meta.dirname, "server-chunks.json");
  if (!existsSync(list)) return;
  const { keep } = createRequire(list)("../bin/bundle.js") as { keep(names: readonly string[]): void };
  keep(JSON.parse(readFileSync(list, "utf8")));
}
