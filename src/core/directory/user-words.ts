import { once } from "../../contract/once.ts";
import { deleteEach, findRows, insertRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { emailKey, foldedWords } from "./text-keys.ts";

/** The kinds of search words, by the text that they are from. Searches find them in this order. */
export const wordKinds = { name: 0, title: 1, email: 2 } as const;
type WordKind = (typeof wordKinds)[keyof typeof wordKinds];

type Texts = RowOf<"users", "first_name" | "last_name" | "title" | "email">;

/** Names in a script that is written without spaces, as 王 and 伟, are one word in a text: 王伟. */
const unspaced = once(() => /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]+$/u);

/** Returns the words by which a user is found. A repeated word counts as that of the name, else as that of the title. */
export function searchWords(user: Texts) {
  const found = new Map<string, { kind: WordKind; word: string }>();
  const add = (text: string, kind: WordKind) => {
    for (const word of foldedWords(text)) if (!found.has(word)) found.set(word, { kind, word });
  };
  const { first_name: first, last_name: last } = user;
  add(`${first} ${last}`, wordKinds.name);
  if (unspaced().test(first + last)) add(`${last + first} ${first + last}`, wordKinds.name);
  add(user.title, wordKinds.title);
  add(emailKey(user.email ?? ""), wordKinds.email);
  return [...found.values()];
}

export type WordRow = Omit<UserWord, "user_id">;
type UserWord = RowOf<"user_words">;

type NamedUser = Texts & { readonly id: number };

/** Updates the search words of users with these texts, where they differ. */
export async function setSearchWords({ db }: Ctx, users: readonly NamedUser[]): Promise<void> {
  if (users.length === 0) return;
  const wanted = users.flatMap(wordsOf);
  const known = await findRows(db, "user_words", { user_id: users.map(({ id }) => id) }, ["kind", "word", "user_id"]);
  await deleteEach(db, "user_words", without(known, wanted));
  await insertWords(db, without(wanted, known));
}

export const addSearchWords = ({ db }: Pick<Ctx, "db">, ...users: readonly NamedUser[]): Promise<void> =>
  insertWords(db, users.flatMap(wordsOf));

const wordsOf = (user: NamedUser): UserWord[] =>
  searchWords(user).map(({ kind, word }) => ({ kind, word, user_id: user.id }));

/** Inserts words sorted, so that neighbouring index entries are written together. */
async function insertWords(db: Db, words: readonly UserWord[]): Promise<void> {
  const byWord = Map.groupBy(words, ({ kind, word }) => `${kind}${word}`);
  const sorted = [...byWord.keys()].sort().flatMap((key) => byWord.get(key) ?? []);
  await insertRows(db, "user_words", sorted);
}

/** Returns the words of `some` that are not among `others`, or are of another kind there. */
function without(some: readonly UserWord[], others: readonly UserWord[]): UserWord[] {
  const keyOf = ({ kind, word, user_id }: UserWord) => `${user_id} ${kind}${word}`;
  const keys = new Set(others.map(keyOf));
  return some.filter((each) => !keys.has(keyOf(each)));
}
