import { emojiOf } from "../../contract/conversation-schemas.ts";
import type { conversations as contract } from "../../contract/conversations.ts";
import { ServiceError } from "../../contract/errors.ts";
import { deleteRows, findRows, insertRows } from "../../store/bulk.ts";
import type { Handlers } from "../pipeline/context.ts";
import { requireText, visibleMessage } from "./find-message.ts";
import { lockedParticipation } from "./participation.ts";
import { presentOneMessage } from "./present-messages.ts";

/** Maximum number of reactions of one participant to one message. */
const mostReactions = 10;

export const reactions = {
  async react(ctx, { id, messageId, emoji }) {
    const mine = await lockedParticipation(ctx, id);
    const row = await visibleMessage(ctx, mine, messageId);
    requireText(row);
    const byMe = { message_id: messageId, user_id: ctx.actor.id };
    const own = await findRows(ctx.db, "message_reactions", byMe, ["emoji"]);
    // The contract accepts only emoji.
    const wanted = emojiOf(emoji)!;
    if (!own.some((reaction) => reaction.emoji === wanted)) {
      if (own.length >= mostReactions) {
        throw new ServiceError("conflict", `You have ${mostReactions} reactions to this message; remove one first.`);
      }
      await insertRows(ctx.db, "message_reactions", [{ ...byMe, emoji: wanted, created_at: ctx.now }]);
    }
    return presentOneMessage(ctx, mine, row);
  },

  async unreact(ctx, { id, messageId, emoji }) {
    const mine = await lockedParticipation(ctx, id);
    await visibleMessage(ctx, mine, messageId);
    // The contract accepts only emoji.
    const mineWith = { message_id: messageId, user_id: ctx.actor.id, emoji: emojiOf(emoji)! };
    const [gone] = await deleteRows(ctx.db, "message_reactions", mineWith, ["message_id"]);
    if (gone === undefined) {
      throw new ServiceError("not_found", `You have not reacted to message ${messageId} with ${emoji}.`);
    }
  },
} satisfies Partial<Handlers<typeof contract>>;
