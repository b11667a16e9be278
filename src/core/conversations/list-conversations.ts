import { type SqlBool, sql } from "kysely";
import { memoize } from "../../contract/bounded-map.ts";
import type { conversations as contract } from "../../contract/conversations.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { Db } from "../../store/database.ts";
import { beginsWith, rowCount } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { words } from "../directory/text-keys.ts";
import { wordKinds } from "../directory/user-words.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { filterIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { numberedPage } from "../pipeline/numbered-page.ts";
import { onlyItem } from "../pipeline/only-item.ts";
import { conversationColumns, conversationQuery, presentConversations } from "./present-conversations.ts";
import { peopleKey } from "./recipients.ts";

/** Maximum number of conversations counted beyond the page. */
const countedBeyond = 1000;

type Input = InputOf<typeof contract.list>;
type Filter = Pick<Input, "status"> & Partial<Omit<Input, "page" | "limit">>;

interface Range {
  readonly user: number;
  readonly limit: number;
  readonly offset: number;
  /** Maximum number of conversations counted. */
  readonly max: number;
}

export const listConversations: Handlers<typeof contract>["list"] = async (ctx, input) => {
  const { page, limit, ...filter } = input;
  requireNoIssues(await conversationFilterIssues(ctx, filter));
  const offset = (page - 1) * limit;
  const range = { user: ctx.actor.id, limit, offset, max: offset + limit + countedBeyond };
  const isSliced = filter.keyword !== undefined && !isOfThese(filter);
  const { found, total } = await (isSliced ? searchInSlices : search)(ctx.db, range, filter);
  const newestFirst = found.toSorted((a, b) => Number(b.latest_message_id) - Number(a.latest_message_id));
  const items = await presentConversations(ctx, newestFirst);
  return numberedPage(ctx, "/conversations", input, { items, total });
};

/** Returns the issue of participants who do not exist or are missing; excluding them would list everything. */
export const conversationFilterIssues = async (ctx: Ctx, { participants, participants_mode }: Partial<Filter>) => ({
  ...(await filterIssues(ctx, { users: { participants } })),
  ...(participants === undefined &&
    participants_mode === "exclude" && { participants_mode: ["requires participants"] }),
});

async function search(db: Db, range: Range, filter: Filter) {
  const { rows, count } = filter.participants === undefined ? plainSearches(filter.status) : searches(filter);
  const [found, counted] = await Promise.all([rows(db, range), count(db, range)]);
  return { found, total: onlyItem(counted).total };
}

/** Returns the searches for lists that only have a status, which are compiled once. */
const plainSearches = memoize((status: Input["status"]) => ({
  rows: prepared((db, p: Range) => pageQuery(db, p, { status })),
  count: prepared((db, p: Range) => countQuery(db, p, { status })),
}));

const searches = (filter: Filter) => ({
  rows: (db: Db, range: Range) => pageQuery(db, range, filter).execute(),
  count: (db: Db, range: Range) => countQuery(db, range, filter).execute(),
});

/** Selects the conversations of the page, in no order. What the user has in each comes with the search, not by a second look-up. */
function pageQuery(db: Db, range: Range, filter: Filter) {
  const page = matchingConversations(db, range.user, filter)
    .select(["p.conversation_id", "p.latest_message_id", "p.mute_rule", "p.muted_until", "p.unread_count"])
    .select("p.archived_at")
    .orderBy("p.latest_message_id", "desc")
    .limit(rowCount(range.limit))
    .offset(rowCount(range.offset));
  return db
    .selectFrom(page.as("own"))
    .innerJoin("conversations as c", "c.id", "own.conversation_id")
    .select(conversationColumns);
}

const countQuery = (db: Db, range: Range, filter: Filter) =>
  db
    .selectFrom(
      matchingConversations(db, range.user, filter)
        .select("p.conversation_id")
        .limit(rowCount(range.max))
        .as("counted"),
    )
    .select((eb) => eb.fn.countAll<number>().as("total"));

/** Returns true for a search of the conversations with exactly these participants, of which there are few. */
const isOfThese = ({ participants, participants_mode }: Filter): boolean =>
  participants !== undefined && participants_mode === "find";

/** Conversations that a statement compares with a keyword, for up to 20 ms, when no other request can run on SQLite. */
const sliceLength = 2048;

/** Searches one slice after the other until enough are counted. Other requests can run in between. */
async function searchInSlices(db: Db, { user, limit, offset, max }: Range, filter: Filter) {
  const ids: number[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const [end] = await conversationsOf(db, user, filter.status)
      // Not null, by the condition of `conversationsOf`.
      .select(sql<number>`p.latest_message_id`.as("message"))
      .where("p.latest_message_id", "<", before)
      .orderBy("p.latest_message_id", "desc")
      .limit(1)
      .offset(sliceLength)
      .execute();
    const matches = await matchingConversations(db, user, filter)
      .select("p.conversation_id as id")
      .where("p.latest_message_id", "<", before)
      .where("p.latest_message_id", ">=", end?.message ?? 0)
      .orderBy("p.latest_message_id", "desc")
      .limit(max - ids.length)
      .execute();
    ids.push(...matches.map(({ id }) => id));
    if (end === undefined || ids.length >= max) break;
    before = end.message;
    await takeTurn();
  }
  const onPage = ids.slice(offset, offset + limit);
  const found = await conversationQuery(db, user).where("c.id", "in", onPage).execute();
  return { found, total: ids.length };
}

/** Returns a query. `isFew` keeps SQLite, by a unary +, from starting with all conversations when another condition leaves few. */
function conversationsOf(db: Db, user: number, status: Filter["status"], isFew = false) {
  const query = db
    .selectFrom("conversation_participants as p")
    .where(isFew ? sql<number>`+p.user_id` : "p.user_id", "=", user)
    .where("p.latest_message_id", "is not", null);
  // A literal, because the index has only those with unread messages.
  if (status === "unread") return query.where("p.unread_count", ">", sql.lit(0));
  return query.where("p.archived_at", status === "archived" ? "is not" : "is", null);
}

function matchingConversations(db: Db, user: number, filter: Filter) {
  const { status, keyword, participants } = filter;
  let query = conversationsOf(db, user, status, isOfThese(filter));
  if (participants !== undefined) {
    const same = db.selectFrom("conversations as c").select("c.id");
    const ofThese = same.where("c.people_key", "=", peopleKey([...participants, user]));
    query = query.where("p.conversation_id", isOfThese(filter) ? "in" : "not in", ofThese);
  }
  if (keyword === undefined) return query;
  const wanted = words(keyword);
  if (wanted.length === 0) return query.where((eb) => eb.lit(false));
  for (const word of wanted) query = query.where(({ eb }) => eb.or([hasInTitle(word), hasParticipant(word)]));
  return query;
}

/** Returns the condition that the title of the conversation of `p` has a word with this beginning. */
const hasInTitle = (word: string) => sql<SqlBool>`exists (
  select 1 from conversations as c where c.id = p.conversation_id and c.title_key like ${`% ${word}%`})`;

/** Returns the condition that another participant of the conversation of `p` has a name with this beginning of a word. */
const hasParticipant = (word: string) =>
  // SQLite keeps the order of a cross join; else it could read all users with the word first.
  sql<SqlBool>`exists (select 1 from conversation_participants as o cross join user_words as w
    where w.user_id = o.user_id and o.conversation_id = p.conversation_id and o.user_id <> p.user_id
    and w.kind = ${wordKinds.name} and ${beginsWith("w.word", word)})`;
