import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

let bounded = false;

/**
 * Keeps V8 from taking 200 MiB and more where rows stream through, as soon as there is room for `young` bytes of young
 * objects. To be called now and then. Nearly all that is made for a row or a page is garbage soon, so collecting it
 * often costs little.
 */
export function keepHeapSmall(young = 0): void {
  if (bounded) return;
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  if (space === undefined || space.space_size < young) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=100");
  bounded = true;
}
