import type { z } from "zod";
import type { conversation as contract } from "../../contract/conversation-schemas.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns, takeTurn } from "../pipeline/event-loop-turns.ts";
import { currentRule } from "../pipeline/mutes.ts";
import { noConversation } from "./participation.ts";
import { loadMessageParts, messagesById, presentMessage } from "./present-messages.ts";
import { type ParticipantRow, participantsIn } from "./present-participants.ts";

type Conversation = z.infer<ReturnType<typeof contract>>;

/** Columns of a conversation, and of the part `own` that a user has in it. */
export const conversationColumns = [
  ...(["c.id", "c.type", "c.title", "c.created_at", "c.updated_at"] as const),
  ...(["own.latest_message_id", "own.mute_rule", "own.muted_until", "own.unread_count", "own.archived_at"] as const),
];

export const conversationQuery = (db: Db, user: number) =>
  db
    .selectFrom("conversations as c")
    .innerJoin("conversation_participants as own", "own.conversation_id", "c.id")
    .select(conversationColumns)
    .where("own.user_id", "=", user);

const conversationById = prepared((db, p: { id: number; user: number }) =>
  conversationQuery(db, p.user).where("c.id", "=", p.id),
);

type ConversationRow = Awaited<ReturnType<typeof conversationById>>[number];

/** Conversations whose participants are read, and participants that are presented, before other requests can run: up to 20 ms. */
const portion = { conversations: 25, participants: 2500 };

/** Returns the API's representation of the actor's conversations. Runs a constant number of queries unless their groups are large. */
export async function presentConversations(ctx: Ctx, rows: readonly ConversationRow[]): Promise<Conversation[]> {
  if (rows.length === 0) return [];
  const latestIds = rows.flatMap((row) => row.latest_message_id ?? []);
  const [allParticipants, latest] = await Promise.all([
    loadParticipants(ctx, rows),
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
  const present = (row: ConversationRow): Conversation => {
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
  };
  const presented: Conversation[] = [];
  let sinceTurn = 0;
  for (const row of rows) {
    const { length } = participants.get(row.id) ?? [];
    sinceTurn += length;
    if (sinceTurn > portion.participants) {
      await takeTurn();
      sinceTurn = length;
    }
    presented.push(present(row));
  }
  return presented;
}

async function loadParticipants(ctx: Ctx, rows: readonly ConversationRow[]) {
  const participants: ParticipantRow[] = [];
  const ids = rows.map((row) => row.id);
  for await (const conversations of inTurns(ids, portion.conversations)) {
    for (const participant of await participantsIn(ctx.db, { conversations })) participants.push(participant);
  }
  return participants;
}

/** Returns a conversation. Throws `not_found` when the actor is not a participant. */
export async function presentConversation(ctx: Ctx, id: number): Promise<Conversation> {
  const [conversation] = await presentConversations(ctx, await conversationById(ctx.db, { id, user: ctx.actor.id }));
  if (conversation === undefined) throw noConversation(id);
  return conversation;
}
