import { type SqlBool, sql } from "kysely";
import type { users as contract } from "../../contract/users.ts";
import type { Db } from "../../store/database.ts";
import { afterPrefix, listed, rowCount } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { presentUsers } from "../directory/present-users.ts";
import { words } from "../directory/text-keys.ts";
import { wordKinds } from "../directory/user-words.ts";
import type { Handlers } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";

/** Finds users by beginnings of words in names, titles, then addresses. The word with the fewest entries starts, others narrow down. */
export const searchUsers: Handlers<typeof contract>["search"] = async (ctx, { q, inactive, limit }) => {
  const { name, title, email } = wordKinds;
  const kinds = ctx.actor.admin ? [name, title, email] : [name, title];
  const asked = words(q);
  const first = await findRarest(ctx.db, asked, kinds);
  if (first === undefined) return { data: [] };
  const found = new Set<number>();
  const others = asked.filter((word) => word !== first);
  for (const kind of kinds) {
    if (found.size < limit)
      await findByKind(ctx.db, { kind, kinds, first, others, limit, least: inactive ? 0 : 1 }, found);
  }
  return { data: await presentUsers(ctx, [...found]) };
};

/** Entries that the first statement of a search looks at, and any at most: 8,192 take up to 25 ms, when no other request can run on SQLite. */
const slice = { first: 512, max: 8192 };

/** Returns the word with the fewest entries. Does not count beyond a slice, so the first of several longer ones is returned. */
async function findRarest(db: Db, asked: readonly string[], kinds: readonly number[]): Promise<string | undefined> {
  let [rarest] = asked;
  if (asked.length < 2) return rarest;
  let fewest: number = slice.max;
  for (const word of asked) {
    const [entries] = await countEntries(db, { kinds, low: word, high: afterPrefix(word), max: fewest });
    const count = Number(entries?.count);
    if (count >= fewest) continue;
    fewest = count;
    rarest = word;
  }
  return rarest;
}

interface Range {
  readonly low: string;
  readonly high: string;
}

const countEntries = prepared((db, p: Range & { readonly kinds: readonly number[]; readonly max: number }) => {
  const entries = db
    .selectFrom("user_words as w")
    .select("w.user_id")
    .where("w.kind", "in", p.kinds)
    .where("w.word", ">=", p.low)
    .where("w.word", "<", p.high)
    .limit(rowCount(p.max));
  return db.selectFrom(entries.as("e")).select((eb) => eb.fn.countAll<number>().as("count"));
});

interface WordSearch {
  /** The kind of the entries of `first`. */
  readonly kind: number;
  /** The kinds that the actor may search. */
  readonly kinds: readonly number[];
  readonly first: string;
  readonly others: readonly string[];
  readonly limit: number;
  /** The least value of the column `active`: 1 for active users only. */
  readonly least: 0 | 1;
}

/** Adds users until there are `limit`, one slice of the entries after the other. Other requests can run in between. */
async function findByKind(db: Db, { first, limit, ...search }: WordSearch, found: Set<number>): Promise<void> {
  let key = { word: first, user_id: 0 };
  for (let size = slice.first; ; size = Math.min(4 * size, slice.max)) {
    const range = { ...search, low: key.word, lowId: key.user_id, high: afterPrefix(first), highId: 0 };
    const [end] = await readEntry(db, { ...range, skipped: size });
    const max = limit - found.size;
    const last = end && { high: end.word, highId: end.user_id };
    const matches = await readMatches(db, { ...range, ...last, limit: max });
    for (const { user_id } of matches) found.add(user_id);
    // Some users may have been found before.
    const next = matches.length === max ? matches.at(-1) : end;
    if (next === undefined || found.size >= limit) return;
    key = next;
    await takeTurn();
  }
}

/** A range of the entries of a kind. The lower limit is not in it, the upper one is. */
interface EntryRange extends Range {
  readonly kind: number;
  readonly lowId: number;
  readonly highId: number;
}

const entriesIn = (db: Db, p: EntryRange) =>
  db
    .selectFrom("user_words as w")
    .select(["w.word", "w.user_id"])
    .where("w.kind", "=", p.kind)
    .where(sql<SqlBool>`(w.word, w.user_id) > (${p.low}, ${p.lowId})`)
    .where(sql<SqlBool>`(w.word, w.user_id) <= (${p.high}, ${p.highId})`)
    .orderBy("w.word")
    .orderBy("w.user_id");

/** Returns the entry after the first `skipped` of a range. */
const readEntry = prepared((db, p: EntryRange & { readonly skipped: number }) =>
  entriesIn(db, p).limit(1).offset(rowCount(p.skipped)),
);

interface MatchSearch extends EntryRange, Pick<WordSearch, "kinds" | "others" | "limit" | "least"> {}

/** Returns the entries of a range whose users also have all other words. */
const readMatches = prepared((db, p: MatchSearch) => {
  const value = sql.ref<string>("other.value");
  const after = sql<string>`${value} || ${afterPrefix("")}`;
  // As a value: PostgreSQL would join `exists` with all entries of the word.
  const word = db
    .selectFrom("user_words as x")
    .select("x.word")
    .where("x.user_id", "=", sql.ref<number>("w.user_id"))
    .where("x.kind", "in", p.kinds)
    .where("x.word", ">=", value)
    .where("x.word", "<", after)
    .limit(1);
  return entriesIn(db, p)
    .innerJoin("users as u", "u.id", "w.user_id")
    .where("u.active", ">=", p.least)
    .where(sql<SqlBool>`not exists (select 1 from ${listed(db, "other", p.others)} where ${word} is null)`)
    .limit(rowCount(p.limit));
});
