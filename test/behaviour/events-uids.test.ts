import { expect, it } from "vitest";
import { events } from "../../src/contract/events.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { wrongFields } from "../support/outcome.ts";

describeOnOneDatabase("events by their UIDs", (environment) => {
  const world = useWorld(environment);
  const start = 1_800_000_000;
  const add = async (caller: Caller, uid: string, type: "chain" | "user" = "chain", shares: number[] = []) =>
    (await caller.call(events.create, { title: uid, type, start, end: start, uid, shares })).id;
  const uids = async (caller: Caller, uid: string[], more = {}) =>
    (await caller.call(events.list, { uid, ...more })).hits.map((event) => event.uid);

  it("events.list returns the events with the given UIDs that the actor may read, whatever characters they contain", async () => {
    const { administrator, member, outsider } = world().actors;
    const odd = ["a,b@example.com", "c&d=e;f", "%2C ü 会\u{1f384}", "g[]", "+"];
    for (const uid of odd) await add(administrator, uid);
    await add(member, "own", "user");
    expect((await uids(administrator, odd)).sort()).toEqual(odd.toSorted());
    expect(await uids(administrator, ["c&d=e;f", "nobody's", "a", "own"])).toEqual(["c&d=e;f"]);
    expect(await uids(member, ["own"])).toEqual(["own"]);
    expect(await uids(outsider, ["own"])).toEqual([]);
    expect(await uids(administrator, odd, { type: "user" })).toEqual([]);
    expect(await uids(administrator, odd, { start: start + 1 })).toEqual([]);
    expect(await uids(administrator, odd, { end: start - 1 })).toEqual([]);
    expect((await uids(administrator, odd, { start, end: start })).sort()).toEqual(odd.toSorted());
  });

  it("events.list: the same UID names different events of different authors", async () => {
    const { actors, ids: known } = world();
    const { administrator, member } = actors;
    const ids = [await add(administrator, "both"), await add(member, "both", "user", [known.administrator])];
    const { hits } = await administrator.call(events.list, { uid: ["both"] });
    expect(hits.map(({ id }) => id)).toEqual(ids);
    expect(new Set(hits.map(({ author }) => author.id)).size).toBe(2);
  });

  it("events.list accepts 100 UIDs", async () => {
    const { administrator } = world().actors;
    const many = Array.from({ length: 101 }, (_, at) => `${at}`);
    expect(await uids(administrator, many.slice(1))).toEqual([]);
    expect(await wrongFields(uids(administrator, many))).toEqual(["uid"]);
    expect(await wrongFields(uids(administrator, ["", "x".repeat(256)]))).toEqual(["uid.0", "uid.1"]);
  });
});
