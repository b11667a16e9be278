import { describe, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { useWorld } from "../support/actors.ts";
import type { DatabaseKind } from "../support/instance.ts";

describe.each<DatabaseKind>(["sqlite", "postgres"])("the last use of a session (%s)", (kind) => {
  const world = useWorld({ database: kind, caller: "local" });

  it("the last use of a token is written once per minute, whatever the number of requests", async () => {
    const { instance, ids } = world();
    instance.freeze();
    let writes = 0;
    const database: Database = {
      ...instance.database,
      writeLocking(work) {
        writes += 1;
        return instance.database.writeLocking(work);
      },
    };
    const service = createService({ database, clock: () => instance.now() * 1000 });
    const caller = service.caller({ token: await instance.tokenOf(ids.member) });
    const found: number[] = [];
    for (const seconds of [59, 1, 59, 1]) {
      for (let request = 0; request < 3; request++) await caller.call(users.current, {});
      found.push(writes);
      instance.wait(seconds);
    }
    expect(found).toEqual([0, 0, 1, 1]);
  });
});
