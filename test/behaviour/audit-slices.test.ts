import { beforeAll, describe, expect, it } from "vitest";
import { audit } from "../../src/contract/audit.ts";
import type { InputOf } from "../../src/contract/operation.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";
import { walkPages } from "../support/walk-pages.ts";

/** More than a statement looks at. Groups have the oldest entries; some times are those of several entries. */
const counts = { groups: 8_500, users: 26_500 };
const firstId = 1_000_000;

const entries = Array.from({ length: counts.groups + counts.users }, (_, n) => {
  const isOld = n < counts.groups;
  const path = isOld ? `/groups/${(n * 7) % 300}` : `/users/${(n * 7919) % 30_000}${n % 3 === 0 ? "/units/1" : ""}`;
  const operation = ["users.create", "users.update", "groups.update"][n % 3]!;
  return {
    id: firstId + n,
    created_at: 1000 + Math.floor(n / 3),
    actor_id: 1 + (n % 2),
    operation,
    path,
    fields: "[]",
  };
});
type Entry = (typeof entries)[number];

/** IDs of the entries of a path and those below it, newest first. */
const idsOf = (path: string, since = 0, until = Number.POSITIVE_INFINITY) =>
  idsWhere((entry) => entry.path === path || entry.path.startsWith(`${path}/`), since, until);

const idsWhere = (matches: (entry: Entry) => boolean, since = 0, until = Number.POSITIVE_INFINITY) =>
  entries
    .filter(matches)
    .filter(({ created_at }) => created_at >= since && created_at <= until)
    .map(({ id }) => id)
    .reverse();

// PostgreSQL never blocks the event loop, and reads the page by one statement.
describe("audit.list of a path with thousands of entries (SQLite)", () => {
  const world = useWorld(sqliteLocal);
  beforeAll(() =>
    world().instance.database.write(async (tx) => {
      await tx.deleteFrom("audit_entries").execute();
      await insertRows(tx, "audit_entries", entries);
    }),
  );

  const list = (input: Partial<InputOf<typeof audit.list>>) =>
    world().actors.administrator.call(audit.list, { limit: 500, ...input });
  const walk = (input: Partial<InputOf<typeof audit.list>>) =>
    walkPages((cursor) => list({ ...input, ...(cursor && { cursor }) }));

  it.each(["/groups", "/users/7919"])("finds each of %s once, in both directions", async (path) => {
    const ids = idsOf(path);
    expect(await walk({ path })).toEqual({ forth: ids, back: ids });
  });

  it.each(["/groups", "/users"])("finds those of %s in a period", async (path) => {
    const period = { since: 3500, until: 4200 };
    const ids = idsOf(path, period.since, period.until);
    expect(await walk({ path, ...period })).toEqual({ forth: ids, back: ids });
  });

  it.each(["/groups/7", "/users"])("finds those of %s by an actor, and of some operations", async (path) => {
    const ids = new Set(idsOf(path));
    const period = { since: 3000, until: 4200 };
    for (const [filter, matches] of [
      [{ actor: 2 }, (entry: Entry) => entry.actor_id === 2],
      [{ operation: "users.*" }, (entry: Entry) => entry.operation !== "groups.update"],
      [
        { actor: 2, operation: "users.update" },
        (entry: Entry) => entry.actor_id === 2 && entry.operation === "users.update",
      ],
    ] as const) {
      const found = idsWhere((entry) => ids.has(entry.id) && matches(entry), period.since, period.until);
      expect(await walk({ path, ...filter, ...period })).toEqual({ forth: found, back: found });
    }
  });

  it("finds those of a group of operations once, in both directions", async () => {
    const ids = idsWhere(({ operation }) => operation !== "groups.update", 9000);
    expect(await walk({ operation: "users.*", since: 9000 })).toEqual({ forth: ids, back: ids });
  });

  it("lets other requests run before it has looked at all of the path", async () => {
    const finding = list({ path: "/users", until: 3900 });
    expect(await turnsDuring(finding)).toBeGreaterThan(2);
    expect((await finding).data.map(({ id }) => id)).toEqual(idsOf("/users", 0, 3900));
  });
});
