import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteLocal } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { turnsDuring } from "../support/turns.ts";

describe("many reads of one user at once", () => {
  const world = useWorld(sqliteLocal);
  const people = Array.from({ length: 500 }, (_, n) => 400_000 + n);

  beforeAll(() =>
    world().instance.database.write(async (tx) => {
      const named = (id: number) => ({ id, first_name: "Guest", last_name: `${id}`, active: 1 as const });
      await insertRows(
        tx,
        "users",
        people.map((id) => ({ ...named(id), created_at: 1, updated_at: 1 })),
      );
    }),
  );
  afterAll(() =>
    world().instance.database.write((tx) =>
      tx.deleteFrom("users").where("id", ">=", people[0]!).where("id", "<=", people.at(-1)!).execute(),
    ),
  );

  it("let those of others come in between, and are answered in their order", async () => {
    const { outsider, member } = world().actors;
    const answered: string[] = [];
    // Loads what the list needs.
    await outsider.call(users.list, { limit: 500 });
    const flood = Array.from({ length: 40 }, async (_, at) => {
      await outsider.call(users.list, { limit: 500 });
      answered.push(`outsider ${at}`);
    });
    const other = member.call(users.current, {}).then(() => answered.push("member"));
    expect(await turnsDuring(Promise.all(flood))).toBeGreaterThan(8);
    await other;
    expect(answered.indexOf("member")).toBeLessThan(10);
    expect(answered.filter((name) => name !== "member")).toEqual(flood.map((_, at) => `outsider ${at}`));
  });

  it("are refused from the moment at which the sign-in ends, also those that wait for their turn", async () => {
    const { addUser, instance, actors } = world();
    const { id } = await addUser();
    const caller = await instance.as(id);
    await caller.call(users.list, { limit: 500 });
    let isDeactivated = false;
    const reading = Array.from({ length: 30 }, async () => {
      for (;;) {
        const code = await codeOf(caller.call(users.list, { limit: 500 }));
        if (code !== "ok" || isDeactivated) return code;
      }
    });
    await actors.administrator.call(users.deactivate, { id });
    isDeactivated = true;
    const last = await Promise.all(reading);
    // One may have been read before the change was made, and answered after it.
    expect(last.filter((code) => code !== "unauthenticated").length).toBeLessThanOrEqual(1);
  });
});
