import { basename } from "node:path";
import type { OutputChunk } from "rolldown";

/** The modules that each module imports on demand. */
type LazyImports = ReadonlyMap<string, readonly string[]>;

/** Modules that load others only for a command, for a call to another service, or while a database is opened. */
const loadsForOthers = /\/src\/(cli|store|http\/client)\//;

/**
 * Returns the names of the chunks that `wcs serve` loads on demand: those that the operations, the pages and the deliveries can reach.
 */
export function serverChunks(chunks: readonly OutputChunk[], lazyImports: LazyImports): string[] {
  const chunkOf = new Map(chunks.flatMap((chunk) => chunk.moduleIds.map((id) => [id, chunk])));
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const roots = ["core/service.ts", "http/app.ts", "delivery/delivery.ts", "contract/all-operations.ts"];
  const queue = [...chunkOf]
    .filter(([id]) => roots.some((root) => id.endsWith(`/src/${root}`)))
    .map(([, chunk]) => chunk);
  const reached = new Set(queue);
  for (const chunk of queue) {
    const lazy = chunk.moduleIds.filter((id) => !loadsForOthers.test(id)).flatMap((id) => lazyImports.get(id) ?? []);
    const next = [...lazy.map((id) => chunkOf.get(id)), ...chunk.imports.map((name) => byName.get(name))];
    for (const each of next) {
      if (each === undefined || reached.has(each)) continue;
      reached.add(each);
      queue.push(each);
    }
  }
  return [...reached].map(({ fileName }) => basename(fileName)).sort();
}
