import { describe, expect, it } from "vitest";
import { BoundedMap, memoize } from "../../src/contract/bounded-map.ts";
import { cacheByVersion } from "../../src/core/pipeline/memory-cache.ts";

describe("memory", () => {
  it("cacheByVersion loads again when the version changes", async () => {
    let loads = 0;
    const value = cacheByVersion(async () => ++loads);
    expect([await value(1), await value(1), await value(2), await value(2), await value(1)]).toEqual([1, 1, 2, 2, 3]);
  });

  it("cacheByVersion loads each time without a version", async () => {
    let loads = 0;
    const value = cacheByVersion(async () => ++loads);
    expect([await value(1), await value(undefined), await value(undefined)]).toEqual([1, 2, 3]);
  });

  it("cacheByVersion does not cache failures", async () => {
    let loads = 0;
    const value = cacheByVersion(async () => {
      loads += 1;
      if (loads === 1) throw new Error("down");
      return loads;
    });
    await expect(value(1)).rejects.toThrow("down");
    expect(await value(1)).toBe(2);
  });

  it("BoundedMap forgets the oldest entry, and a change does not make an entry newer", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("b", 3);
    expect([...map]).toEqual([
      ["a", 1],
      ["b", 3],
    ]);
    map.set("c", 4);
    expect([...map.keys()]).toEqual(["b", "c"]);
  });

  it("memoize computes once for a key, also when the result is undefined", () => {
    const keys: string[] = [];
    const compute = memoize((key: string) => void keys.push(key));
    for (const key of ["a", "b", "a"]) expect(compute(key)).toBeUndefined();
    expect(keys).toEqual(["a", "b"]);
  });
});
