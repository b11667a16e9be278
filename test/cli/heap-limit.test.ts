import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const mebibyte = 1024 * 1024;
const module = join(import.meta.dirname, "../../src/cli/file-io/heap-limit.ts");

/** Returns what a module prints as JSON. */
const run = (script: string) =>
  JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));

/** Returns the sizes of the young generation while a process creates objects that outlive a collection, limiting its heap in between. */
function sizesWith(young: number): number[] {
  return run(`
    const { limitHeap } = await import(${JSON.stringify(module)});
    const { getHeapSpaceStatistics } = await import("node:v8");
    const sizes = [];
    for (let round = 0; round < 100; round += 1) {
      limitHeap(${young});
      globalThis.kept = Array.from({ length: 10_000 }, (_, n) => ({ n }));
      sizes.push(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);
    }
    console.log(JSON.stringify(sizes));`);
}

test("the young generation grows up to the limit that is given, and does not grow without one", () => {
  const max = (young: number) => Math.max(...sizesWith(young));
  const small = max(0);
  expect(small).toBeLessThan(8 * mebibyte);
  const large = max(8 * mebibyte);
  expect(large).toBeGreaterThanOrEqual(8 * mebibyte);
  expect(large).toBeLessThanOrEqual(16 * mebibyte);
});

test("a process ends with the flags with which it began, so that its compiled code is kept", () => {
  const [first, limited, last] = run(`
    const { limitHeap } = await import(${JSON.stringify(module)});
    const { cachedDataVersionTag } = await import("node:v8");
    const tags = [cachedDataVersionTag()];
    limitHeap();
    tags.push(cachedDataVersionTag());
    process.on("exit", () => console.log(JSON.stringify([...tags, cachedDataVersionTag()])));`);
  expect(limited).not.toBe(first);
  expect(last).toBe(first);
});

test("sets no flag that the V8 of a later Node does not know, because V8 would complain on stderr", () => {
  const setWith = (v8: string) =>
    run(`
      import v8 from "node:v8";
      import { syncBuiltinESMExports } from "node:module";
      Object.defineProperty(process, "versions", { value: { ...process.versions, v8: "${v8}" } });
      const flags = [];
      v8.setFlagsFromString = (flag) => flags.push(flag);
      syncBuiltinESMExports();
      const { limitHeap } = await import(${JSON.stringify(module)});
      process.on("exit", () => console.log(JSON.stringify(flags.filter((flag) => /gc-phases/.test(flag)))));
      limitHeap();`);
  expect(setWith("14.1.146.11-node.25")).toEqual([]);
  expect(setWith("13.6.233.17-node.37")).toEqual(["--no-separate-gc-phases", "--separate-gc-phases"]);
});
