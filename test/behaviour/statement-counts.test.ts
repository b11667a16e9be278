import { StatementSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { conversations } from "../../src/contract/conversations.ts";
import { counters } from "../../src/contract/counters.ts";
import { events } from "../../src/contract/events.ts";
import { names } from "../../src/contract/names.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import { newWorld, type World } from "../support/actors.ts";
import { counted } from "../support/counted.ts";
import type { DatabaseKind } from "../support/instance.ts";

type Request = (caller: Caller, world: World) => Promise<unknown>;

/** Maximum number of statements of a request, without those that identify the caller. */
const max: Record<string, [number | Record<DatabaseKind, number>, Request]> = {
  "users.get": [1, (caller, { ids }) => caller.call(users.get, { id: ids.member })],
  "users.list": [{ sqlite: 4, postgres: 3 }, (caller) => caller.call(users.list, {})],
  "units.get": [1, (caller, { units: { north } }) => caller.call(units.get, { id: north })],
  "units.list": [2, (caller) => caller.call(units.list, {})],
  "posts.get": [{ sqlite: 2, postgres: 1 }, (caller) => caller.call(posts.get, { id: 1 })],
  "events.get": [1, (caller) => caller.call(events.get, { id: 1 })],
  "users.update": [10, (caller, { ids }) => caller.call(users.update, { id: ids.member, first_name: "Other" })],
  "users.create": [
    13,
    (caller) => caller.call(users.create, { first_name: "A", last_name: "B", email: "counted@example.com", unit: 1 }),
  ],
  "names.find": [
    21,
    (caller) => caller.call(names.find, { texts: Array.from({ length: 50 }, (_, at) => `Lars Jensen ${at}`) }),
  ],
  "conversations.get": [6, (caller) => caller.call(conversations.get, { id: 1 })],
  "conversations.send": [7, (caller) => caller.call(conversations.send, { id: 1, message: "Hello" })],
  "posts.create": [11, (caller) => caller.call(posts.create, { content_type: "news", title: "T", body: "B", unit: 1 })],
};

describe.each<DatabaseKind>(["sqlite", "postgres"])("statements of a request (%s)", (database) => {
  let world: World;
  beforeAll(async () => {
    world = await newWorld({ database, caller: "local" });
    const { administrator } = world.actors;
    await administrator.call(posts.create, { content_type: "news", title: "Soup", body: "", unit: 1 });
    await administrator.call(events.create, { title: "Meeting", type: "chain", start: 2e9, end: 2e9 + 60 });
    await administrator.call(conversations.create, { recipients: [world.ids.member], message: "Hello" });
  });
  afterAll(() => world.instance.close());

  it.each(Object.entries(max))("%s runs a bounded number", async (_, [bound, request]) => {
    const watched = counted(world.instance.database);
    const caller = createService({ database: watched.database }).caller({ userId: world.ids.administrator });
    await caller.call(users.current, {});
    // Identifying the caller takes a statement on PostgreSQL each time.
    const before = watched.statements() + (database === "postgres" ? 1 : 0);
    await request(caller, world);
    expect(watched.statements() - before).toBeLessThanOrEqual(typeof bound === "number" ? bound : bound[database]);
  });

  it.each<["administrator" | "manager", number, Request]>([
    ["administrator", 10, (caller, { ids }) => caller.call(users.deactivate, { id: ids.member }, { dryRun: true })],
    [
      "manager",
      13,
      (caller, { ids }) => caller.call(users.update, { id: ids.member, first_name: "A" }, { dryRun: true }),
    ],
  ])("the %s needs no statement to show that no ability is lacking", async (name, bound, request) => {
    const watched = counted(world.instance.database);
    const caller = createService({ database: watched.database }).caller({ userId: world.ids[name] });
    await caller.call(users.current, {});
    const before = watched.statements() + (database === "postgres" ? 1 : 0);
    await request(caller, world);
    expect(watched.statements() - before).toBeLessThanOrEqual(bound);
  });

  it("names.find reads titles that are hidden once for all texts with which they begin", async () => {
    const { actors, ids, instance } = world;
    const title = "x".repeat(60);
    const { id } = await actors.administrator.call(posts.create, {
      content_type: "news",
      title,
      publish: { status: false },
    });
    const one = instance.database.reader.selectFrom("posts").selectAll().where("id", "=", id);
    const { id: _, ...row } = await one.executeTakeFirstOrThrow();
    for (let portion = 0; portion < 3; portion += 1)
      await instance.database.write((tx) => tx.insertInto("posts").values(Array(500).fill(row)).execute());
    const watched = counted(instance.database);
    const caller = createService({ database: watched.database }).caller({ userId: ids.outsider });
    const statementsFor = async (texts: string[]) => {
      const before = watched.statements();
      expect(await caller.call(names.find, { texts, kinds: ["posts"] })).toEqual({ data: [] });
      return watched.statements() - before;
    };
    await caller.call(users.current, {});
    const texts = Array.from({ length: 59 }, (_, n) => title.slice(n + 1));
    expect(await statementsFor(texts)).toBeLessThanOrEqual(await statementsFor(["x"]));
  });
});

describe("statements of lists (sqlite)", () => {
  let world: World;
  beforeAll(async () => {
    world = await newWorld({ database: "sqlite", caller: "local" });
  });
  afterAll(() => world.instance.close());

  const lists: Record<string, Request> = {
    "posts.list": (caller) => caller.call(posts.list, { limit: 7 }),
    "events.list": (caller) => caller.call(events.list, { limit: 7 }),
    "events.list since": (caller) => caller.call(events.list, { limit: 7, start: 2e9 }),
    "events.upcoming": (caller) => caller.call(events.upcoming, {}),
    "counters.list": (caller) => caller.call(counters.list, {}),
    "conversations.list": (caller) => caller.call(conversations.list, {}),
    "users.list": (caller) => caller.call(users.list, {}),
    "units.tree": (caller) => caller.call(units.tree, {}),
  };

  it.each(Object.entries(lists))(
    "%s has literal limits, because SQLite would parse others at each run",
    async (_, list) => {
      const all = vi.spyOn(StatementSync.prototype, "all");
      try {
        for (const caller of [world.actors.administrator, world.actors.member]) await list(caller, world);
        const texts = all.mock.contexts.map((statement) => (statement as StatementSync).sourceSQL);
        expect(texts.length).toBeGreaterThan(0);
        expect(texts.filter((text) => /\blimit \?/.test(text))).toEqual([]);
      } finally {
        all.mockRestore();
      }
    },
  );
});
