import { describe, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { insertRows } from "../../src/store/bulk.ts";
import { useWorld } from "../support/actors.ts";
import { sqliteLocal } from "../support/instance.ts";
import { turnsDuring } from "../support/turns.ts";

describe("users.list of a unit with thousands of members", () => {
  const world = useWorld(sqliteLocal);

  it("lets other requests run before it has looked at all users", async () => {
    const { addUnit, instance, actors } = world();
    const unit = await addUnit();
    // Others could have all the IDs before.
    const ids = Array.from({ length: 5001 }, (_, n) => 100_000 + n);
    const at = { created_at: 0, updated_at: 0 };
    await instance.database.write(async (tx) => {
      await insertRows(
        tx,
        "users",
        ids.map((id) => ({ id, first_name: "Many", last_name: `Member ${id}`, unit_id: unit.id, ...at })),
      );
      await insertRows(
        tx,
        "memberships",
        ids.map((id) => ({ user_id: id, unit_id: unit.id })),
      );
    });
    const listing = actors.member.call(users.list, { unit: unit.id, limit: 1 });
    expect(await turnsDuring(listing)).toBeGreaterThan(4);
    expect((await listing).data).toMatchObject([{ id: 100_000 }]);
    await instance.database.write(async (tx) => {
      await tx.deleteFrom("memberships").where("unit_id", "=", unit.id).execute();
      await tx.deleteFrom("users").where("unit_id", "=", unit.id).execute();
    });
  });
});
