import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

let isLimited = false;
/** True for the V8 of Node 24; later ones say on stderr that they do not know the flag. */
const hasPhases = process.versions.v8.startsWith("13.");

/**
 * Stops V8 from growing its heap by 100 MiB and more while rows are streamed or requests are answered. The young
 * generation may grow until it has `young` bytes, so call it regularly. Nearly all objects of a row, page or request are
 * short-lived, so frequent collection is cheap.
 */
export function limitHeap(young = 0): void {
  // Under other flags, compiled code would not be kept for the next command.
  if (!isLimited)
    process.prependOnceListener("exit", () => {
      setFlagsFromString("--semi-space-growth-factor=2");
      setFlagsFromString("--heap-growing-percent=0");
      if (hasPhases) setFlagsFromString("--separate-gc-phases");
    });
  isLimited = true;
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  const mayGrow = space !== undefined && space.space_size < young;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  setFlagsFromString("--heap-growing-percent=100");
  // V8 would let the young generation grow, and keep all of it, while it marks the heap.
  if (hasPhases) setFlagsFromString("--no-separate-gc-phases");
}
