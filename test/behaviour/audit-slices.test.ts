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
  return { id: firstId + n, created_at: 1000 + Math.floor(n / 3), operation: "x.change", path, fields: "[]" };
});

/** IDs of the entries of a path and those below it, newest first. */
const idsOf = (path: string, since = 0, until = Number.POSITIVE_INFINITY) =>
  entries
    .filter((entry) => entry.path === path || entry.path.startsWith(`${path}/`))
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

  it("lets other requests run before it has looked at all of the path", async () => {
    const finding = list({ path: "/users", until: 3900 });
    expect(await turnsDuring(finding)).toBeGreaterThan(2);
    expect((await finding).data.map(({ id }) => id)).toEqual(idsOf("/users", 0, 3900));
  });
});
