import type { conversations as contract } from "../../contract/conversations.ts";
import { afterPrefix } from "../../store/dialect.ts";
import { words } from "../directory/text-keys.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { pageOf } from "../pipeline/numbered-page.ts";
import { presentConversations } from "./present-conversations.ts";
import { peopleKey } from "./recipients.ts";

/** Maximum number of conversations counted beyond the page. */
const countedBeyond = 1000;

type Input = Parameters<Handlers<typeof contract>["list"]>[1];

export const listConversations: Handlers<typeof contract>["list"] = async (ctx, input) => {
  const { page, limit } = input;
  const offset = (page - 1) * limit;
  const matching = matchingConversations(ctx, input);
  const { total } = await ctx.db
    .selectFrom(
      matching
        .select("p.conversation_id")
        .limit(offset + limit + countedBeyond)
        .as("counted"),
    )
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .select("p.conversation_id")
    .orderBy("p.latest_message_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const ids = rows.map((row) => row.conversation_id);
  const items = await presentConversations(ctx, ids);
  return pageOf(ctx, "/conversations", input, { items, total });
};

function matchingConversations(ctx: Ctx, { status, keyword, participants, participants_mode }: Input) {
  let query = ctx.db
    .selectFrom("conversation_participants as p")
    .where("p.user_id", "=", ctx.actor.id)
    .where("p.latest_message_id", "is not", null);
  if (status === "unread") query = query.where("p.unread_count", ">", 0);
  else query = query.where("p.archived_at", status === "archived" ? "is not" : "is", null);
  if (participants !== undefined) {
    const key = peopleKey([...participants, ctx.actor.id]);
    query = query.where(({ eb, exists, not, selectFrom }) => {
      const same = exists(
        selectFrom("conversations as c")
          .select("c.id")
          .whereRef("c.id", "=", "p.conversation_id")
          .where("c.people_key", "=", key),
      );
      return participants_mode === "find" ? eb.and([same]) : not(same);
    });
  }
  if (keyword === undefined) return query;
  const wanted = words(keyword);
  if (wanted.length === 0) return query.where((eb) => eb.lit(false));
  for (const word of wanted) {
    query = query.where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom("conversations as c")
            .select("c.id")
            .whereRef("c.id", "=", "p.conversation_id")
            .where("c.title_key", "like", `% ${word}%`),
        ),
        exists(
          selectFrom("conversation_participants as o")
            .innerJoin("user_words as w", "w.user_id", "o.user_id")
            .select("o.user_id")
            .whereRef("o.conversation_id", "=", "p.conversation_id")
            .whereRef("o.user_id", "<>", "p.user_id")
            .where("w.of_name", "=", 1)
            .where("w.word", ">=", word)
            .where("w.word", "<", afterPrefix(word)),
        ),
      ]),
    );
  }
  return query;
}
