import { sql } from "kysely";
import type { users as contract } from "../../contract/users.ts";
import { insertRows, updateRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { afterPrefix, isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { presentUsers } from "../directory/present-users.ts";
import { emailKey, foldedWords, userNameKey, words } from "../directory/text-keys.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";

/**
 * Finds users by the beginnings of words, ordered by word and ID. The longest word starts the search; the others narrow
 * it down.
 */
export const searchUsers: Handlers<typeof contract>["search"] = async (ctx, { q, limit }) => {
  const [longest, ...others] = words(q).sort((a, b) => b.length - a.length);
  if (longest === undefined) return { data: [] };
  const found = await usersWithWords(ctx, longest, others).limit(limit).execute();
  const ids = found.map((row) => row.user_id);
  return { data: await presentUsers(ctx, ids) };
};

function usersWithWords(ctx: Ctx, longest: string, others: readonly string[]) {
  let query = ctx.db
    .selectFrom("user_words as w")
    .innerJoin("users as u", "u.id", "w.user_id")
    .select("w.user_id")
    .where("w.word", ">=", longest)
    .where("w.word", "<", afterPrefix(longest))
    .where("u.active", "=", 1)
    // A user with several matching words is listed at the first of them.
    .where(({ not, exists }) =>
      not(exists(otherWords(ctx).where("x.word", ">=", longest).where("x.word", "<", sql.ref<string>("w.word")))),
    )
    .orderBy("w.word")
    .orderBy("w.user_id");
  if (!ctx.actor.admin) query = query.where("w.private", "=", 0);
  for (const word of others) {
    query = query.where(({ exists }) =>
      exists(otherWords(ctx).where("x.word", ">=", word).where("x.word", "<", afterPrefix(word))),
    );
  }
  return query;
}

/** Selects the words `x` of the user of the word `w`; only administrators search the words of e-mail addresses. */
function otherWords({ db, actor }: Ctx) {
  const words = db.selectFrom("user_words as x").select("x.word").where("x.user_id", "=", sql.ref<number>("w.user_id"));
  return actor.admin ? words : words.where("x.private", "=", 0);
}

/** The texts of a user that are searched. */
interface Texts {
  readonly first_name: string;
  readonly last_name: string;
  readonly title: string;
  readonly email: string | null;
}

/** Returns the words by which a user is found. A repeated word counts as that of the name, else as that of the title. */
export function searchWords(user: Texts) {
  const found = new Map<string, { word: string; private: 0 | 1; of_name: 0 | 1 }>();
  const add = (text: string, hidden: 0 | 1, of_name: 0 | 1) => {
    for (const word of foldedWords(text)) if (!found.has(word)) found.set(word, { word, private: hidden, of_name });
  };
  add(`${user.first_name} ${user.last_name}`, 0, 1);
  add(user.title, 0, 0);
  add(emailKey(user.email ?? ""), 1, 0);
  return [...found.values()];
}

const textsOfUser = prepared((db, p: { id: number }) =>
  db.selectFrom("users").select(["first_name", "last_name", "title", "email", "name_key"]).where("id", "=", p.id),
);
const wordsOfUser = prepared((db, p: { id: number }) =>
  db.selectFrom("user_words").select(["word", "private", "of_name"]).where("user_id", "=", p.id),
);
type WordRow = Awaited<ReturnType<typeof wordsOfUser>>[number];

const deleteWords = prepared((db, p: { id: number; words: readonly string[] }) =>
  db
    .deleteFrom("user_words")
    .where("user_id", "=", p.id)
    .where((eb) => isAmong(db, eb.ref("word"), p.words)),
);

/** Updates the search words and the folded name of a user, where they differ. */
export async function indexUser({ db }: Pick<Ctx, "db">, id: number): Promise<void> {
  const [user] = await textsOfUser(db, { id });
  if (user === undefined) return;
  const name_key = userNameKey(user);
  if (user.name_key !== name_key) await updateRow(db, "users", id, { name_key });
  await setSearchWords({ db }, id, user);
}

/** Updates the search words of a user with these texts, where they differ. */
export async function setSearchWords({ db }: Pick<Ctx, "db">, id: number, user: Texts): Promise<void> {
  const wanted = searchWords(user);
  const known = await wordsOfUser(db, { id });
  const gone = without(known, wanted).map(({ word }) => word);
  if (gone.length > 0) await deleteWords(db, { id, words: gone });
  await insertWords(db, id, without(wanted, known));
}

/** Adds the search words of a new user. */
export const addSearchWords = ({ db }: Pick<Ctx, "db">, id: number, user: Texts): Promise<void> =>
  insertWords(db, id, searchWords(user));

async function insertWords(db: Db, id: number, words: readonly WordRow[]): Promise<void> {
  const rows = words.map(({ word, private: hidden, of_name }) => ({ word, private: hidden, of_name, user_id: id }));
  await insertRows(db, "user_words", rows);
}

/** Returns the words of `some` that are not among `others`, or are of another kind there. */
function without<T extends WordRow>(some: readonly T[], others: readonly WordRow[]): T[] {
  const keyOf = ({ word, private: hidden, of_name }: WordRow) => `${hidden}${of_name}${word}`;
  const keys = new Set(others.map(keyOf));
  return some.filter((each) => !keys.has(keyOf(each)));
}
