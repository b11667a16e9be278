import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

let bounded = false;

/**
 * Keeps V8 from making more and more room for young objects, 100 MiB of it while rows stream through, once they have
 * `enough` bytes: nearly all that is made for a row is garbage at once. To be called now and then; in short commands it
 * does nothing.
 */
export function keepYoungHeapSmall(enough: number): void {
  if (bounded) return;
  const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
  if (young === undefined || young.space_size < enough) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  bounded = true;
}
