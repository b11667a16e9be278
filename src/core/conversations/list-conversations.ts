import { sql } from "kysely";
import { memoize } from "../../contract/bounded-map.ts";
import type { conversations as contract } from "../../contract/conversations.ts";
import type { Db } from "../../store/database.ts";
import { afterPrefix, rowCount } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { words } from "../directory/text-keys.ts";
import { wordKinds } from "../directory/user-words.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { numberedPage } from "../pipeline/numbered-page.ts";
import { filterIssues } from "../pipeline/reference-issues.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { conversationQuery, presentConversations } from "./present-conversations.ts";
import { peopleKey } from "./recipients.ts";

/** Maximum number of conversations counted beyond the page. */
const countedBeyond = 1000;

type Input = Parameters<Handlers<typeof contract>["list"]>[1];
type Filter = Pick<Input, "status"> & Partial<Omit<Input, "page" | "limit">>;

/** A page of a user's conversations. */
interface Range {
  readonly user: number;
  readonly limit: number;
  readonly offset: number;
  /** Maximum number of conversations counted. */
  readonly most: number;
}

export const listConversations: Handlers<typeof contract>["list"] = async (ctx, input) => {
  const { page, limit, ...filter } = input;
  refuse(await conversationFilterIssues(ctx, filter));
  const offset = (page - 1) * limit;
  const isPlain = filter.keyword === undefined && filter.participants === undefined;
  const { rows, count } = isPlain ? plainSearches(filter.status) : searches(filter);
  const range = { user: ctx.actor.id, limit, offset, most: offset + limit + countedBeyond };
  const [found, counted] = await Promise.all([rows(ctx.db, range), count(ctx.db, range)]);
  const newestFirst = found.toSorted((a, b) => Number(b.latest_message_id) - Number(a.latest_message_id));
  const items = await presentConversations(ctx, newestFirst);
  // Counting gives one row.
  return numberedPage(ctx, "/conversations", input, { items, total: counted[0]!.total });
};

/** Returns the issue of participants who do not exist; excluding them would list everything. */
export const conversationFilterIssues = (ctx: Ctx, { participants }: Partial<Filter>) =>
  filterIssues(ctx, [["participants", "users", participants]]);

/** Returns the searches for lists that only have a status, which are compiled once. */
const plainSearches = memoize((status: Input["status"]) => ({
  rows: prepared((db, p: Range) => pageQuery(db, p, { status })),
  count: prepared((db, p: Range) => countQuery(db, p, { status })),
}));

const searches = (filter: Filter) => ({
  rows: (db: Db, range: Range) => pageQuery(db, range, filter).execute(),
  count: (db: Db, range: Range) => countQuery(db, range, filter).execute(),
});

/** Selects the conversations of the page, in no order. */
const pageQuery = (db: Db, range: Range, filter: Filter) =>
  conversationQuery(db, range.user).where(
    "c.id",
    "in",
    matchingConversations(db, range.user, filter)
      .select("p.conversation_id")
      .orderBy("p.latest_message_id", "desc")
      .limit(rowCount(range.limit))
      .offset(rowCount(range.offset)),
  );

const countQuery = (db: Db, range: Range, filter: Filter) =>
  db
    .selectFrom(
      matchingConversations(db, range.user, filter)
        .select("p.conversation_id")
        .limit(rowCount(range.most))
        .as("counted"),
    )
    .select((eb) => eb.fn.countAll<number>().as("total"));

function matchingConversations(db: Db, user: number, { status, keyword, participants, participants_mode }: Filter) {
  let query = db
    .selectFrom("conversation_participants as p")
    .where("p.user_id", "=", user)
    .where("p.latest_message_id", "is not", null);
  // A literal, because the index has only those with unread messages.
  if (status === "unread") query = query.where("p.unread_count", ">", sql.lit(0));
  else query = query.where("p.archived_at", status === "archived" ? "is not" : "is", null);
  if (participants !== undefined) {
    const key = peopleKey([...participants, user]);
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
            .where("w.kind", "=", wordKinds.name)
            .where("w.word", ">=", word)
            .where("w.word", "<", afterPrefix(word)),
        ),
      ]),
    );
  }
  return query;
}
