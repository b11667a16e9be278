import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { describe, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { bootstrap } from "../../src/core/bootstrap.ts";
import { createService } from "../../src/core/service.ts";
import type { Database } from "../../src/store/database.ts";
import { migrations } from "../../src/store/migrations/migration-list.ts";
import { latestMigration, openDatabase } from "../../src/store/open-database.ts";
import { connectPostgres } from "../../src/store/postgres/postgres-database.ts";
import { connectSqlite } from "../../src/store/sqlite/sqlite-database.ts";
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
  // With what gives a password or a token away.
  ...[1, 2].map(
    (n) =>
      `insert into mails (kind, user_id, recipient, payload, created_at) values ('password_reset', 1, 'a@example.com', '{"token":"t${n}"}', ${n})`,
  ),
  "insert into idempotency_keys (actor_id, key, input_hash, response, created_at) values (1, 'k', 'hash', '{}', 1)",
  "insert into user_words (word, user_id, private) values ('ada', 1, 0), ('admin', 1, 0), ('example', 1, 1)",
];
/** What versions wrote when events were new: of a unit with what is below it, on two days; and a personal one that is shared. */
const content = [
  "insert into audiences (id, kind, author_id, owner_unit_id) values (7, 'event', 1, 1)",
  "insert into audiences (id, kind, author_id, personal) values (8, 'event', 1, 1)",
  "insert into audience_units (audience_id, unit_id, falldown, kind) values (7, 1, 1, 'event')",
  "insert into audience_shares (audience_id, user_id) values (8, 1)",
  ...[7, 8].flatMap((id) => [
    `insert into events (id, audience_id, type, title, start_at, end_at, last_at, timezone, uid, created_at, updated_at)
      values (${id}, ${id}, '${id === 7 ? "chain" : "user"}', 'Event', 100, 200, 400, 'UTC', 'e${id}', 1, 1)`,
    `insert into event_dates (event_id, start_at, end_at, span) values (${id}, 300, 400, 0), (${id}, 100, 200, 0)`,
  ]),
];
const hasContent = "0003-content";
const hasMessages = "0004-conversations";
const hasNoSecrets = "0009-secrets";
const hasStretches = "0007-message-stretches";
/** Of a message in conversation 3, as they were kept before there were stretches of conversations. */
const words =
  "insert into message_words (message_id, position, words) values (9, 5000, array_to_tsvector(array['3_crane', '3_w3']))";
const never = Number.MIN_SAFE_INTEGER;
const placesOfContent = ["7 a1", "7 c", "7 d1", "7 o1", "8 a1", "8 s1"].flatMap((place) => [
  `${place} 100-200 after ${never}`,
  `${place} 300-400 after 100`,
]);
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
      const connect = kind === "sqlite" ? connectSqlite : connectPostgres;
      const database = await connect(target, { create: async () => {} });
      await database.write(async (tx) => {
        const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => migrations } });
        const bring = async (name: string) => {
          const { error } = await migrator.migrateTo(name);
          if (error) throw error;
        };
        await bring(names[0]!);
        for (const text of ground) await sql.raw(text).execute(tx);
        if (last >= hasContent) {
          await bring(hasContent);
          for (const text of content) await sql.raw(text).execute(tx);
        }
        await bring(last);
        if (kind === "postgres" && last >= hasMessages && last < hasStretches) await sql.raw(words).execute(tx);
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

    const placesOf = async (database: Database) => {
      const rows = await database.reader.selectFrom("event_places").selectAll().execute();
      return rows
        .map((row) => `${row.event_id} ${row.place} ${row.start_at}-${row.end_at} after ${row.previous_at}`)
        .sort();
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
          if (last < hasNoSecrets) {
            const mails = await database.reader.selectFrom("mails").select(["payload", "created_at"]).execute();
            expect(mails).toMatchObject([{ payload: "{}", created_at: 2 }]);
            expect(await database.reader.selectFrom("idempotency_keys").selectAll().execute()).toEqual([]);
          }
          if (kind === "postgres" && last >= hasMessages && last < hasStretches) {
            const { rows } = await sql`select words::text as words from message_words`.execute(database.reader);
            expect(rows).toEqual([{ words: "'3.1_crane' '3.1_w3'" }]);
          }
          expect(await placesOf(database)).toEqual(last >= hasContent ? placesOfContent : []);
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
