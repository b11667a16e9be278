import { Migrator } from "kysely/migration";
import { describe, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { bootstrap } from "../../src/core/bootstrap.ts";
import { createService } from "../../src/core/service.ts";
import { type Database, latestMigration, openDatabase } from "../../src/store/database.ts";
import { migrations } from "../../src/store/migrations/index.ts";
import { firstAdministrator, newDatabase } from "../support/instance.ts";
import { codeOf, tally } from "../support/outcome.ts";
import { kinds } from "./support.ts";

const names = Object.keys(migrations);
const fill = { administrator: firstAdministrator, rootUnit: "Acme", now: 1 };

describe("migrations", () => {
  it("run in the order of their names, and the last one is known", () => {
    expect(names).toEqual([...names].sort());
    expect(names.at(-1)).toBe(latestMigration);
  });

  for (const kind of kinds) {
    /** A database as the version with that last migration left it. */
    const older = async (last: string) => {
      const { target, remove } = await newDatabase(kind);
      const { connect } = await import(`../../src/store/${kind}.ts`);
      const database: Database = await connect(target, { create: async () => {} });
      await database.write(async (tx) => {
        const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
        const { error } = await migrator.migrateTo(last);
        if (error) throw error;
        await bootstrap(tx, fill);
      });
      await database.close();
      return { target, remove };
    };
    const applied = async (database: Database) => {
      const rows = database.reader.selectFrom("kysely_migration" as never).select("name" as never);
      return (await rows.execute()).map((row) => (row as { name: string }).name).sort();
    };

    for (const last of names.slice(0, -1)) {
      it(`from ${last} on, whoever opens it first (${kind})`, async () => {
        const { target, remove } = await older(last);
        const opened = await Promise.all([1, 2, 3].map(() => openDatabase(target)));
        for (const database of opened) {
          expect(await applied(database)).toEqual(names);
          const service = createService({ database });
          expect(await codeOf(service.caller({ userId: 1 }).call(users.current, {}))).toBe("ok");
        }
        await Promise.all(opened.map((database) => database.close()));
        await remove();
      });
    }

    it(`two that make a database at once: one does, the other is told (${kind})`, async () => {
      const { target, remove } = await newDatabase(kind);
      const made: Database[] = [];
      const make = async () => {
        made.push(await openDatabase(target, { create: async (tx) => void (await bootstrap(tx, fill)) }));
      };
      expect(await tally([make(), make(), make()])).toEqual({ ok: 1, conflict: 2 });
      expect(await made[0]!.reader.selectFrom("users").select("id").execute()).toHaveLength(1);
      await made[0]!.close();
      const again = await openDatabase(target);
      expect(await applied(again)).toEqual(names);
      await again.close();
      await remove();
    });
  }
});
