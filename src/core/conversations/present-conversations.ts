import type { z } from "zod";
import type { conversation as contract } from "../../contract/conversation-schemas.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { currentRule } from "../pipeline/mutes.ts";
import { noConversation } from "./participation.ts";
import { loadMessageParts, messagesById, presentMessage } from "./present-messages.ts";
import { participantsIn } from "./present-participants.ts";

type Conversation = z.infer<ReturnType<typeof contract>>;

export const conversationQuery = (db: Db, user: number) =>
  db
    .selectFrom("conversations as c")
    .innerJoin("conversation_participants as own", "own.conversation_id", "c.id")
    .select(["c.id", "c.type", "c.title", "c.created_at", "c.updated_at"])
    .select(["own.latest_message_id", "own.mute_rule", "own.muted_until", "own.unread_count", "own.archived_at"])
    .where("own.user_id", "=", user);

const conversationById = prepared((db, p: { id: number; user: number }) =>
  conversationQuery(db, p.user).where("c.id", "=", p.id),
);

type ConversationRow = Awaited<ReturnType<typeof conversationById>>[number];

/** Returns the API's representation of the actor's conversations. Runs a constant number of queries. */
export async function presentConversations(ctx: Ctx, rows: readonly ConversationRow[]): Promise<Conversation[]> {
  if (rows.length === 0) return [];
  const latestIds = rows.flatMap((row) => row.latest_message_id ?? []);
  const [allParticipants, latest] = await Promise.all([
    participantsIn(ctx.db, { conversations: rows.map((row) => row.id) }),
    latestIds.length === 0 ? [] : messagesById(ctx.db, { ids: latestIds }),
  ]);
  const participants = Map.groupBy(allParticipants, (each) => each.conversation_id);
  const users = allParticipants.map((each) => each.user_id);
  const parts = await loadMessageParts(ctx, latest, users);
  const messages = new Map(
    latest.map((message) => {
      const author = participants.get(message.conversation_id)?.find((each) => each.user_id === message.author_id);
      return [message.id, presentMessage(message, parts, author)];
    }),
  );
  return rows.map((row) => {
    const { id, created_at, updated_at } = row;
    return {
      id,
      type: row.type,
      title: row.type === "direct" ? null : row.title,
      created_at,
      updated_at,
      latest_message: messages.get(row.latest_message_id ?? 0) ?? null,
      mute_rule: currentRule(row, ctx.now),
      unread_message_count: row.unread_count,
      participants: (participants.get(id) ?? []).map((each) => parts.people.participant(each.user_id, each)),
      publish: { created_at, updated_at },
      archived_at: row.archived_at,
    };
  });
}

/** Returns a conversation. Throws `not_found` when the actor is not a participant. */
export async function presentConversation(ctx: Ctx, id: number): Promise<Conversation> {
  const [conversation] = await presentConversations(ctx, await conversationById(ctx.db, { id, user: ctx.actor.id }));
  if (conversation === undefined) throw noConversation(id);
  return conversation;
}
