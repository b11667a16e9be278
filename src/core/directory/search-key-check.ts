import { sql } from "kysely";
import { fold } from "../../contract/fold-text.ts";
import type { Database, Db } from "../../store/database.ts";
import type { Check } from "../../store/integrity/check-database.ts";
import { maxExamples } from "../../store/integrity/recount.ts";
import { nested, rowsIn } from "../../store/nested-rows.ts";
import { emailKey, titleLookupKey, titleWordsKey, userNameKey } from "./text-keys.ts";
import { searchWords, type WordRow } from "./user-words.ts";

/** A column of a table that is derived from the text of another one. */
interface KeyColumn {
  readonly thing: string;
  readonly table: string;
  readonly text: string;
  readonly key: string;
  readonly derive: (text: string) => string;
}

const keyColumns: readonly KeyColumn[] = [
  { thing: "unit", table: "units", text: "name", key: "name_key", derive: fold },
  { thing: "group", table: "groups", text: "name", key: "name_key", derive: fold },
  { thing: "user type", table: "user_types", text: "name", key: "name_key", derive: fold },
  { thing: "user", table: "users", text: "email", key: "email_key", derive: emailKey },
  { thing: "post", table: "posts", text: "title", key: "title_key", derive: titleLookupKey },
  { thing: "event", table: "events", text: "title", key: "title_key", derive: titleLookupKey },
  { thing: "conversation", table: "conversations", text: "title", key: "title_key", derive: titleWordsKey },
];

const portion = 1000;

/** Checks the columns and words by which things are found. SQL cannot fold texts, so they are read in portions. */
export const searchKeyCheck: Check = {
  name: "search keys",
  passed: "Users are found by their names, titles and addresses, other things by their names.",
  async run({ reader }: Database) {
    let total = 0;
    const examples: string[] = [];
    for await (const issue of issuesIn(reader)) {
      total += 1;
      if (examples.length < maxExamples) examples.push(issue);
    }
    return { total, examples };
  },
};

async function* issuesIn(db: Db): AsyncGenerator<string> {
  for (const column of keyColumns) {
    const { thing, key, derive } = column;
    for await (const row of rowsInPortions((after) => keyRows(db, column, after))) {
      const expected = row.text === null ? null : derive(row.text);
      if (row.key !== expected) yield `${thing} ${row.id}: ${key} is ${row.key}, not ${expected}`;
    }
  }
  for await (const user of rowsInPortions((after) => userRows(db, after))) {
    const name = userNameKey(user);
    if (user.name_key !== name) yield `user ${user.id}: name_key is ${user.name_key}, not ${name}`;
    const expected = wordsOf(searchWords(user));
    if (wordsOf(rowsIn(user.words)) !== expected) yield `user ${user.id} has missing or wrong search words`;
  }
}

async function keyRows(db: Db, { table, text, key }: KeyColumn, after: number) {
  const { rows } = await sql<{ id: number; text: string | null; key: string | null }>`
    select id, ${sql.ref(text)} as text, ${sql.ref(key)} as key from ${sql.table(table)}
    where id > ${after} order by id limit ${sql.lit(portion)}`.execute(db);
  return rows;
}

const userRows = (db: Db, after: number) =>
  db
    .selectFrom("users as u")
    .select(["u.id", "u.first_name", "u.last_name", "u.title", "u.email", "u.name_key"])
    .select(
      nested(
        db,
        db.selectFrom("user_words as w").select(["w.kind", "w.word"]).where("w.user_id", "=", sql.ref<number>("u.id")),
      ).as("words"),
    )
    .where("u.id", ">", after)
    .where("u.deleted_at", "is", null)
    .orderBy("u.id")
    .limit(portion)
    .execute();

/** Yields all rows of a query that returns those after an ID. */
async function* rowsInPortions<T extends { readonly id: number }>(
  read: (after: number) => Promise<T[]>,
): AsyncGenerator<T> {
  let after = 0;
  for (;;) {
    const rows = await read(after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

const wordsOf = (words: readonly WordRow[]) =>
  words
    .map(({ kind, word }) => `${kind}${word}`)
    .toSorted()
    .join();
