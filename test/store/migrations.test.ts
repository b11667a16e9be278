import { sql } from "kysely";
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
/** What the first version wrote into a new database. */
const ground = [
  `insert into instance (id, issuer, token_key, created_at) values (1, 'wcs:1', '${"A".repeat(43)}', 1)`,
  "insert into units (reference, name, name_key, path, level, user_count, created_at, updated_at) values ('root', 'Acme', 'acme', '/1/', 0, 1, 1, 1)",
  "insert into users (email, email_key, first_name, last_name, admin, unit_id, created_at, updated_at) values ('a@example.com', 'a@example.com', 'Ada', 'Admin', 1, 1, 1, 1)",
  "insert into memberships (user_id, unit_id) values (1, 1)",
  "insert into user_words (word, user_id, private) values ('ada', 1, 0), ('admin', 1, 0), ('example', 1, 1)",
];
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
        for (const text of ground) await sql.raw(text).execute(tx);
      });
      await database.close();
      return { target, remove };
    };
    const applied = async (database: Database) => {
      const rows = database.reader.selectFrom("kysely_migration" as never).select("name" as never);
      return (await rows.execute()).map((row) => (row as { name: string }).name).sort();
    };

    const wordsOf = async (database: Database) => {
      const rows = await database.reader.selectFrom("user_words").selectAll().orderBy("word").execute();
      return rows.map(({ word, private: hidden, of_name }) => `${word} private ${hidden} of_name ${of_name}`);
    };

    for (const last of names.slice(0, -1)) {
      it(`from ${last} on, whoever opens it first (${kind})`, async () => {
        const { target, remove } = await older(last);
        const opened = await Promise.all([1, 2, 3].map(() => openDatabase(target)));
        for (const database of opened) {
          expect(await applied(database)).toEqual(names);
          const service = createService({ database });
          expect(await codeOf(service.caller({ userId: 1 }).call(users.current, {}))).toBe("ok");
          expect(await wordsOf(database)).toEqual([
            "ada private 0 of_name 1",
            "admin private 0 of_name 1",
            "example private 1 of_name 0",
          ]);
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
