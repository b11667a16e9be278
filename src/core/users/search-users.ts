import type { users as contract } from "../../contract/users.ts";
import { insertRows } from "../../store/bulk.ts";
import { afterPrefix, isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { presentUsers } from "../directory/present-users.ts";
import { emailKey, userNameKey, words } from "../directory/text-keys.ts";
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
    .where((eb) =>
      // A user with several matching words is listed at the first of them.
      eb.not(
        eb.exists(
          visible(
            ctx,
            eb.selectFrom("user_words as x").select("x.word").whereRef("x.user_id", "=", "w.user_id"),
            "x.private",
          )
            .where("x.word", ">=", longest)
            .whereRef("x.word", "<", "w.word"),
        ),
      ),
    )
    .orderBy("w.word")
    .orderBy("w.user_id");
  if (!ctx.actor.admin) query = query.where("w.private", "=", 0);
  for (const word of others) {
    query = query.where((eb) =>
      eb.exists(
        visible(
          ctx,
          eb.selectFrom("user_words as x").select("x.word").whereRef("x.user_id", "=", "w.user_id"),
          "x.private",
        )
          .where("x.word", ">=", word)
          .where("x.word", "<", afterPrefix(word)),
      ),
    );
  }
  return query;
}

/** Limits words of e-mail addresses to administrators. */
function visible<Q extends { where(column: "x.private", operator: "=", value: 0): Q }>(
  ctx: Ctx,
  query: Q,
  column: "x.private",
): Q {
  return ctx.actor.admin ? query : query.where(column, "=", 0);
}

/** Returns the words by which a user is found. */
export function searchWords(user: { first_name: string; last_name: string; title: string; email: string | null }) {
  const name = words(`${user.first_name} ${user.last_name}`);
  const title = words(user.title).filter((word) => !name.includes(word));
  const hidden = words(emailKey(user.email ?? "")).filter((word) => !name.includes(word) && !title.includes(word));
  return [
    ...name.map((word) => ({ word, private: 0 as const, of_name: 1 as const })),
    ...title.map((word) => ({ word, private: 0 as const, of_name: 0 as const })),
    ...hidden.map((word) => ({ word, private: 1 as const, of_name: 0 as const })),
  ];
}

const textsOfUser = prepared((db, p: { id: number }) =>
  db.selectFrom("users").select(["first_name", "last_name", "title", "email", "name_key"]).where("id", "=", p.id),
);
const wordsOfUser = prepared((db, p: { id: number }) =>
  db.selectFrom("user_words").select(["word", "private", "of_name"]).where("user_id", "=", p.id),
);
type WordRow = Awaited<ReturnType<typeof wordsOfUser>>[number];

/** Updates the search words and the folded name of a user, where they differ. */
export async function indexUser({ db }: Pick<Ctx, "db">, id: number): Promise<void> {
  const [user] = await textsOfUser(db, { id });
  const wanted = user === undefined ? [] : searchWords(user);
  const name_key = user && userNameKey(user);
  if (user?.name_key !== name_key) await db.updateTable("users").set({ name_key }).where("id", "=", id).execute();
  const known = await wordsOfUser(db, { id });
  const gone = without(known, wanted).map(({ word }) => word);
  if (gone.length > 0) {
    await db
      .deleteFrom("user_words")
      .where("user_id", "=", id)
      .where((eb) => isAmong(db, eb.ref("word"), gone))
      .execute();
  }
  const rows = without(wanted, known).map((each) => ({ ...each, user_id: id }));
  await insertRows(db, "user_words", rows);
}

/** Returns the words of `some` that are not among `others`, or are of another kind there. */
function without<T extends WordRow>(some: readonly T[], others: readonly WordRow[]): T[] {
  const keyOf = ({ word, private: hidden, of_name }: WordRow) => `${hidden}${of_name}${word}`;
  const keys = new Set(others.map(keyOf));
  return some.filter((each) => !keys.has(keyOf(each)));
}
