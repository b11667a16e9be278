import type { users as contract } from "../../contract/users.ts";
import { afterPrefix } from "../../store/dialect.ts";
import { presentUsers } from "../directory/present-users.ts";
import { emailKey, words } from "../directory/text-keys.ts";
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

/** Updates the search words of a user. */
export async function indexUser(ctx: Pick<Ctx, "db">, id: number): Promise<void> {
  const user = await ctx.db
    .selectFrom("users")
    .select(["first_name", "last_name", "title", "email"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await ctx.db.deleteFrom("user_words").where("user_id", "=", id).execute();
  const rows = searchWords(user).map((each) => ({ ...each, user_id: id }));
  if (rows.length > 0) await ctx.db.insertInto("user_words").values(rows).execute();
}
