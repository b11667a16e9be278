import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

let bounded = false;

/**
 * Stops V8 from growing its heap by 100 MiB and more while rows are streamed or requests are answered. Takes effect in the first call after the
 * young generation has reached `young` bytes, so call it regularly. Nearly all objects of a row, page or request are short-lived,
 * so frequent collection is cheap.
 */
export function limitHeap(young = 0): void {
  if (bounded) return;
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  if (space === undefined || space.space_size < young) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=100");
  bounded = true;
}
