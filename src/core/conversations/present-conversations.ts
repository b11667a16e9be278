import type { z } from "zod";
import type { conversation as contract } from "../../contract/conversation-schemas.ts";
import { isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { currentRule } from "../pipeline/mutes.ts";
import { loadMessageParts, messagesById, presentMessage } from "./present-messages.ts";
import { standingsIn } from "./present-participants.ts";

export type Conversation = z.infer<ReturnType<typeof contract>>;

const conversationsOf = prepared((db, p: { ids: number[]; user: number }) =>
  db
    .selectFrom("conversations as c")
    .innerJoin("conversation_participants as p", "p.conversation_id", "c.id")
    .select(["c.id", "c.type", "c.title", "c.created_at", "c.updated_at"])
    .select(["p.latest_message_id", "p.mute_rule", "p.muted_until", "p.unread_count", "p.archived_at"])
    .where((eb) => isAmong(db, eb.ref("c.id"), p.ids))
    .where("p.user_id", "=", p.user),
);

/**
 * Returns the API's representation of the actor's conversations, in the order of `ids`. Runs a constant number of
 * queries.
 */
export async function presentConversations(ctx: Ctx, ids: number[]): Promise<Conversation[]> {
  if (ids.length === 0) return [];
  const [own, standings] = await Promise.all([
    conversationsOf(ctx.db, { ids, user: ctx.actor.id }),
    standingsIn(ctx.db, { conversations: ids }),
  ]);
  const rows = new Map(own.map((row) => [row.id, row]));
  const participants = Map.groupBy(standings, (each) => each.conversation_id);
  const latestIds = [...rows.values()].flatMap((row) => row.latest_message_id ?? []);
  const latest = latestIds.length === 0 ? [] : await messagesById(ctx.db, { ids: latestIds });
  const users = [...participants.values()].flatMap((standings) => standings.map((standing) => standing.user_id));
  const parts = await loadMessageParts(ctx, latest, users);
  const messages = new Map(
    latest.map((message) => {
      const author = participants.get(message.conversation_id)?.find((each) => each.user_id === message.author_id);
      return [message.id, presentMessage(message, parts, author)];
    }),
  );
  return ids.flatMap((id) => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const { created_at, updated_at } = row;
    return {
      id,
      type: row.type,
      title: row.type === "direct" ? null : row.title,
      created_at,
      updated_at,
      latest_message: messages.get(row.latest_message_id ?? 0) ?? null,
      mute_rule: currentRule(row, ctx.now),
      unread_message_count: row.unread_count,
      participants: (participants.get(id) ?? []).map((standing) =>
        parts.people.participant(standing.user_id, standing),
      ),
      publish: { created_at, updated_at },
      archived_at: row.archived_at,
    };
  });
}

/** Returns a single conversation; the actor must be a participant. */
export async function presentConversation(ctx: Ctx, id: number): Promise<Conversation> {
  const [conversation] = await presentConversations(ctx, [id]);
  // The actor's conversation is in the result.
  return conversation!;
}
