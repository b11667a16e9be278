import { insertRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { emailKey, foldedWords } from "./text-keys.ts";

/** The kinds of search words, by the text that they are from. Searches find them in this order. */
export const wordKinds = { name: 0, title: 1, email: 2 } as const;
type WordKind = (typeof wordKinds)[keyof typeof wordKinds];

type Texts = RowOf<"users", "first_name" | "last_name" | "title" | "email">;

/** Returns the words by which a user is found. A repeated word counts as that of the name, else as that of the title. */
export function searchWords(user: Texts) {
  const found = new Map<string, { kind: WordKind; word: string }>();
  const add = (text: string, kind: WordKind) => {
    for (const word of foldedWords(text)) if (!found.has(word)) found.set(word, { kind, word });
  };
  add(`${user.first_name} ${user.last_name}`, wordKinds.name);
  add(user.title, wordKinds.title);
  add(emailKey(user.email ?? ""), wordKinds.email);
  return [...found.values()];
}

const wordsOfUser = prepared((db, p: { id: number }) =>
  db.selectFrom("user_words").select(["kind", "word"]).where("user_id", "=", p.id),
);
export type WordRow = Awaited<ReturnType<typeof wordsOfUser>>[number];

const deleteWords = prepared((db, p: { id: number; words: readonly string[] }) =>
  db.deleteFrom("user_words").where("user_id", "=", p.id).where("word", "in", p.words),
);

/** Updates the search words of a user with these texts, where they differ. */
export async function setSearchWords({ db }: Ctx, id: number, user: Texts): Promise<void> {
  const wanted = searchWords(user);
  const known = await wordsOfUser(db, { id });
  const gone = without(known, wanted).map(({ word }) => word);
  if (gone.length > 0) await deleteWords(db, { id, words: gone });
  await insertWords(db, id, without(wanted, known));
}

export const addSearchWords = ({ db }: Pick<Ctx, "db">, id: number, user: Texts): Promise<void> =>
  insertWords(db, id, searchWords(user));

async function insertWords(db: Db, id: number, words: readonly WordRow[]): Promise<void> {
  const rows = words.map(({ kind, word }) => ({ kind, word, user_id: id }));
  await insertRows(db, "user_words", rows);
}

/** Returns the words of `some` that are not among `others`, or are of another kind there. */
function without<T extends WordRow>(some: readonly T[], others: readonly WordRow[]): T[] {
  const keyOf = ({ kind, word }: WordRow) => `${kind}${word}`;
  const keys = new Set(others.map(keyOf));
  return some.filter((each) => !keys.has(keyOf(each)));
}
