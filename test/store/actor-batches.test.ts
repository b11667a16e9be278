import { describe, expect, it } from "vitest";
import { actorBatches } from "../../src/core/pipeline/actor.ts";
import { useDatabase } from "./support.ts";

describe("actors that are loaded together (postgres)", () => {
  const open = useDatabase("postgres");

  it("are loaded although one of them cannot be asked for", async () => {
    const { database } = open();
    await database.write(async (tx) => {
      const names = { first_name: "A", last_name: "B", created_at: 0, updated_at: 0 };
      const rows = [11, 12, 13].map((id) => ({ id, ...names }));
      await tx.insertInto("users").values(rows).execute();
    });
    const load = actorBatches(database.reader);
    // No text of PostgreSQL contains the character 0.
    const asked = [load(11), load(12, "a\0b"), load(13), load(14)];
    const results = await Promise.allSettled(asked);
    expect(results).toMatchObject([
      { status: "fulfilled", value: { actor: { id: 11 } } },
      { status: "rejected", reason: { code: "22021" } },
      { status: "fulfilled", value: { actor: { id: 13 } } },
      { status: "fulfilled", value: undefined },
    ]);
  });
});
