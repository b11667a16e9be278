import { existsSync, readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Reads the files of the bundle that operations load on demand, because an upgrade removes them below a running server. Loading them all
 * at once would take a third of a second. Sources and an executable have no list of them, and nothing is done.
 */
export function keepServerChunks(): void {
  const folder = import.meta.dirname;
  const list = join(folder, "server-chunks.json");
  if (!existsSync(list)) return;
  const { cache } = createRequire(list);
  const paths = (JSON.parse(readFileSync(list, "utf8")) as string[]).map((name) => join(folder, name));
  const urls = new Set(paths.map((path) => pathToFileURL(path).href));
  const kept = new Map(
    paths.filter((path) => !cache[path]).map((path) => [pathToFileURL(path).href, readFileSync(path)] as const),
  );
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = specifier.startsWith("./") ? new URL(specifier, context.parentURL).href : "";
      return urls.has(url) ? { url, format: "commonjs", shortCircuit: true } : nextResolve(specifier, context);
    },
    load(url, context, nextLoad) {
      const source = kept.get(url);
      return source ? { source, format: "commonjs", shortCircuit: true } : nextLoad(url, context);
    },
  });
}
