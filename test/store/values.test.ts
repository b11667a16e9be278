import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { insertRows, rowsAs } from "../../src/store/bulk.ts";
import { prepared } from "../../src/store/prepared.ts";
import { tries } from "../support/effort.ts";
import { kinds, useDatabase } from "./support.ts";

/** Texts that look like other values, like SQL or like JSON. */
const odd = [
  "",
  " ",
  "null",
  "NULL",
  "true",
  "0",
  "1e3",
  "-0",
  "{}",
  "[1]",
  '"',
  "'",
  "''; --",
  "\\",
  "\\u0000",
  "%_",
  "é\u0301",
  "🥪",
  "\n\r\t",
  "\u2028",
];
const text = fc.oneof(
  fc.constantFrom(...odd),
  fc.string({ unit: "grapheme", maxLength: 20 }).filter((each) => !each.includes("\0") && each.isWellFormed()),
);

for (const kind of kinds) {
  describe(`values (${kind})`, () => {
    const open = useDatabase(kind);

    it("insertRows keeps text and numbers as they are", async () => {
      const row = fc.record({
        recipient: text,
        created_at: fc.maxSafeInteger(),
        last_error: fc.option(text),
        due_at: fc.maxSafeInteger(),
      });
      const property = fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        const { database } = open();
        const full = rows.map((each, n) => ({ kind: "welcome", user_id: n, payload: "", ...each }));
        const made = await database.write((tx) => insertRows(tx, "mails", full, ["id", "user_id"]));
        expect(made).toHaveLength(rows.length);
        const ids = new Map(made.map((each) => [each.user_id, each.id]));
        const kept = new Map(
          (await database.reader.selectFrom("mails").selectAll().execute()).map((each) => [each.id, each]),
        );
        for (const each of full) expect(kept.get(ids.get(each.user_id)!)).toMatchObject(each);
        await database.write((tx) => tx.deleteFrom("mails").execute());
      });
      await fc.assert(property, { numRuns: tries(50) });
    });

    it("insertRows inserts no rows, and very many at once", async () => {
      const { database } = open();
      await database.write(async (tx) => {
        expect(await insertRows(tx, "settings", [])).toEqual([]);
        expect(await insertRows(tx, "settings", [{ key: "one", value: "1" }])).toEqual([]);
        const settings = Array.from({ length: 40_000 }, (_, n) => ({ key: `many ${n}`, value: "x" }));
        await insertRows(tx, "settings", settings);
      });
      const { count } = await database.reader
        .selectFrom("settings")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("key", "like", "many%")
        .executeTakeFirstOrThrow();
      expect(count).toBe(40_000);
    });

    it("rowsAs selects the rows that it was given", async () => {
      const rows = odd.map((word, id) => ({ id, word }));
      const { reader } = open().database;
      const given = rowsAs(reader, "given", { id: "bigint", word: "text" }, rows);
      const found = await sql<(typeof rows)[number]>`select * from ${given} order by id`.execute(reader);
      expect(found.rows.map((row) => ({ ...row }))).toEqual(rows);
      const none = rowsAs(reader, "given", { id: "bigint", word: "text" }, []);
      expect((await sql`select * from ${none}`.execute(reader)).rows).toEqual([]);
    });

    it("in finds rows by no values, by many, and by texts that look like SQL", async () => {
      const { database } = open();
      const { reader } = database;
      await database.write((tx) =>
        insertRows(
          tx,
          "settings",
          odd.map((value, n) => ({ key: `odd ${n}`, value })),
        ),
      );
      const among = async (values: readonly string[]) => {
        const rows = await reader
          .selectFrom("settings")
          .select("value")
          .where("key", "like", "odd %")
          .where("value", "in", values)
          .execute();
        return rows.map((row) => row.value);
      };
      expect(await among([])).toEqual([]);
      expect((await among(odd)).sort()).toEqual([...odd].sort());
      for (const value of odd) expect(await among([value, "not there"])).toEqual([value]);
      expect(await among(Array.from({ length: 100_000 }, (_, n) => `word ${n}`))).toEqual([]);
      const numbers = await reader
        .selectFrom("mails")
        .select("id")
        .where("id", "in", [1, Number.MAX_SAFE_INTEGER])
        .execute();
      expect(numbers).toEqual([]);
    });

    it("prepared takes the values of each run, in transactions and outside of them at the same time", async () => {
      const { database } = open();
      const valuesOf = prepared((db, p: { key: string; also: string }) =>
        db.selectFrom("settings").select("value").where("key", "=", p.key).where("key", "=", p.also),
      );
      const put = prepared((db, p: { key: string; value: string }) =>
        db.insertInto("settings").values({ key: p.key, value: p.value }),
      );
      const keys = Array.from({ length: 30 }, (_, n) => `prepared ${n}`);
      await database.write(async (tx) => {
        for (const key of keys) await put(tx, { key, value: `of ${key}` });
      });
      const run = async (key: string) => {
        const [inside, outside] = await Promise.all([
          database.write((tx) => valuesOf(tx, { key, also: key })),
          valuesOf(database.reader, { key, also: key }),
        ]);
        expect([...inside, ...outside].map((row) => row.value)).toEqual([`of ${key}`, `of ${key}`]);
      };
      await Promise.all(keys.map(run));
      expect(await valuesOf(database.reader, { key: keys[0]!, also: keys[1]! })).toEqual([]);
    });

    it("prepared finds rows by a list of no, one and several values", async () => {
      const { reader } = open().database;
      const among = prepared((db, p: { keys: string[] }) =>
        db.selectFrom("settings").select("key").where("key", "in", p.keys).orderBy("key"),
      );
      const keysOf = async (keys: string[]) => (await among(reader, { keys })).map((row) => row.key);
      expect(await keysOf(["odd 1", "odd 2", "nowhere"])).toEqual(["odd 1", "odd 2"]);
      expect(await keysOf([])).toEqual([]);
      expect(await keysOf(["odd 3"])).toEqual(["odd 3"]);
    });

    it("prepared builds a query with a list once for lists of one item and once for others, in any order", async () => {
      const { reader, write } = open().database;
      await write((tx) =>
        insertRows(
          tx,
          "settings",
          [1, 2, 3, 4].map((n) => ({ key: `form ${n}`, value: "" })),
        ),
      );
      for (const first of [["form 1"], ["form 1", "form 2"]]) {
        let built = 0;
        const among = prepared((db, p: { keys: string[] }) => {
          built += 1;
          return db.selectFrom("settings").select("key").where("key", "in", p.keys).orderBy("key");
        });
        const keysOf = async (keys: string[]) => (await among(reader, { keys })).map((row) => row.key);
        expect(await keysOf(first)).toEqual(first);
        expect(built).toBe(1);
        for (const keys of [["form 3"], ["form 2", "form 4"], ["form 4"], ["form 1", "form 3"]])
          expect(await keysOf(keys)).toEqual(keys);
        expect(built).toBe(2);
      }
    });
  });
}

describe("prepared, on both databases in one process", () => {
  const [sqlite, postgres] = [useDatabase("sqlite"), useDatabase("postgres")];

  it("compiles a query for each of them", async () => {
    const among = prepared((db, p: { keys: string[] }) =>
      db.selectFrom("settings").select("key").where("key", "in", p.keys),
    );
    for (const { database } of [sqlite(), postgres()]) {
      await database.write((tx) => insertRows(tx, "settings", [{ key: "a", value: "1" }]));
      expect((await among(database.reader, { keys: ["a", "b"] })).map((row) => row.key)).toEqual(["a"]);
    }
  });
});
