import type { conversations as contract } from "../../contract/conversations.ts";
import { messagesWithWords } from "../../store/message-words.ts";
import { inOrderOf } from "../directory/in-order-of.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { decodeCursor, encodeCursor, makeCursorPage, type Position } from "../pipeline/cursor.ts";
import { newestFirst, noUpperBound, oldestFirst, type Range, visibleMessage } from "./find-message.ts";
import { type Participation, participation } from "./participation.ts";
import { type MessageRow, messagesById, presentMessages, presentOneMessage } from "./present-messages.ts";
import { wordsInOrder } from "./query-words.ts";

export const messageReadHandlers = {
  async messages(ctx, { id, limit, cursor, starter_message_id, query }) {
    const mine = await participation(ctx, id);
    if (starter_message_id !== undefined && cursor === undefined && query === undefined) {
      return pageAround(ctx, mine, starter_message_id, limit);
    }
    const list = query === undefined ? listOf(id) : `${listOf(id)} ${query}`;
    const position = decodeCursor<number>(ctx, list, cursor);
    const range = rangeOf(mine, position, limit + 1);
    // A search ends at the last message.
    const upToLast = { ...range, before: Math.min(range.before, mine.last_position + 1) };
    const found =
      query === undefined
        ? await readMessages(ctx, range, position)
        : await searchMessages(ctx, upToLast, position, query);
    const { rows, meta } = makeCursorPage(ctx, list, found, { limit, position, keyOf: (row) => row.position });
    return { data: await presentMessages(ctx, mine, rows), meta };
  },

  async message(ctx, { id, messageId }) {
    const mine = await participation(ctx, id);
    return presentOneMessage(ctx, mine, await visibleMessage(ctx, mine, messageId));
  },

  async follow(ctx, { id, after, wait, limit }) {
    let mine = await participation(ctx, id);
    if (after === undefined) {
      const [last] = await newestFirst(ctx.db, rangeOf(mine, undefined, 1));
      return { data: [], meta: { last_id: last?.id ?? 0 } };
    }
    const position = after === 0 ? 0 : (await visibleMessage(ctx, mine, after, "after")).position;
    const data = await ctx.waitFor({ seconds: wait, topics: [`conversation:${id}`] }, async () => {
      const range = { id, after: Math.max(position, mine.cleared_position), before: noUpperBound, limit };
      const rows = await oldestFirst(ctx.db, range);
      // Checked after reading: a participant who was removed meanwhile must not read on.
      mine = await participation(ctx, id);
      const { cleared_position } = mine;
      const visible = rows.filter((row) => row.position > cleared_position);
      return visible.length > 0 ? presentMessages(ctx, mine, visible) : undefined;
    });
    return { data: data ?? [], meta: { last_id: data?.at(-1)?.id ?? after } };
  },
} satisfies Partial<Handlers<typeof contract>>;

/** Returns the issue of a message to start from that is not in the conversation, unless it is ignored. */
export const starterIssues: NonNullable<Checks<typeof contract>["messages"]> = async (ctx, known, isWrong) => {
  const { id, starter_message_id: starter, cursor, query } = known;
  const isIgnored = cursor !== undefined || query !== undefined || isWrong("cursor") || isWrong("query");
  if (id === undefined || starter === undefined || isIgnored) return {};
  await visibleMessage(ctx, await participation(ctx, id), starter, "starter_message_id");
  return {};
};

const listOf = (conversation: number) => `messages ${conversation}`;

function rangeOf({ id, cleared_position }: Participation, position: Position<number> | undefined, limit: number) {
  return position?.direction === "before"
    ? { id, after: Math.max(position.key, cleared_position), before: noUpperBound, limit }
    : { id, after: cleared_position, before: position?.key ?? noUpperBound, limit };
}

function readMessages(ctx: Ctx, range: Range, position: Position<number> | undefined): Promise<MessageRow[]> {
  return position?.direction === "before" ? oldestFirst(ctx.db, range) : newestFirst(ctx.db, range);
}

async function searchMessages(
  ctx: Ctx,
  { id, ...range }: Range,
  position: Position<number> | undefined,
  query: string,
): Promise<MessageRow[]> {
  const words = wordsInOrder(query);
  if (words.length === 0) return [];
  const back = position?.direction === "before";
  const ids = await messagesWithWords(ctx.db, { conversation: id, words, newestFirst: !back, ...range });
  return [...inOrderOf(ids, await messagesById(ctx.db, { ids }))];
}

/** Returns a page with the message in its middle, or nearer to an end where one side has too few messages. */
async function pageAround(ctx: Ctx, mine: Participation, starter: number, limit: number) {
  const { id, cleared_position } = mine;
  const { position } = await visibleMessage(ctx, mine, starter, "starter_message_id");
  const newer = await oldestFirst(ctx.db, { id, after: position, before: noUpperBound, limit: limit - 1 });
  const older = await newestFirst(ctx.db, { id, after: cleared_position, before: position + 1, limit });
  const half = Math.floor((limit - 1) / 2);
  const newerShown = Math.min(newer.length, Math.max(half, limit - older.length));
  const rows = [...newer.slice(0, newerShown).reverse(), ...older.slice(0, limit - newerShown)];
  const cursor = (direction: "after" | "before", row: MessageRow) =>
    encodeCursor(ctx, listOf(id), { direction, key: row.position });
  return {
    data: await presentMessages(ctx, mine, rows),
    // The page has at least the message in its middle.
    meta: { next_cursor: cursor("after", rows.at(-1)!), prev_cursor: cursor("before", rows[0]!) },
  };
}
