import type { Updateable } from "kysely";
import type { conversations as contract } from "../../contract/conversations.ts";
import { updateRow, updateRows } from "../../store/bulk.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { titleWordsKey } from "../directory/text-keys.ts";
import type { Admission, Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { muteFrom } from "../pipeline/mutes.ts";
import { appendService } from "./append-message.ts";
import { participantHandlers } from "./change-participants.ts";
import { conversationFilterIssues, listConversations } from "./list-conversations.ts";
import { messageReadHandlers, starterIssues } from "./list-messages.ts";
import { lockedParticipation, participation, requireAdministrator } from "./participation.ts";
import { presentConversation } from "./present-conversations.ts";
import { messageWriteHandlers, newConversationIssues, newMessageIssues } from "./write-messages.ts";

async function setArchived(ctx: Ctx, id: number, time: number | null): Promise<undefined> {
  const { archived_at } = await lockedParticipation(ctx, id);
  if ((archived_at === null) !== (time === null)) await mark(ctx, id, { archived_at: time });
}

/** Changes the actor's own view of the conversation. */
function mark({ db, actor }: Ctx, id: number, changes: Updateable<Schema["conversation_participants"]>) {
  return updateRows(db, "conversation_participants", { conversation_id: id, user_id: actor.id }, changes);
}

export const conversations: Handlers<typeof contract> = {
  list: listConversations,

  get: (ctx, { id }) => presentConversation(ctx, id),

  async update(ctx, { id, title, mute_rule }) {
    const mine = await lockedParticipation(ctx, id);
    if (title !== undefined) requireAdministrator(mine, "rename it");
    if (mute_rule !== undefined) await mark(ctx, id, muteFrom(ctx.now, mute_rule));
    if (title !== undefined && title !== mine.title) {
      await updateRow(ctx.db, "conversations", id, { title, title_key: titleWordsKey(title) });
      await appendService(ctx, mine, { event: "renamed", users: [], title });
    }
    return presentConversation(ctx, id);
  },

  async delete(ctx, { id }) {
    const { last_position } = await lockedParticipation(ctx, id);
    await mark(ctx, id, {
      cleared_position: last_position,
      seen_position: last_position,
      unread_count: 0,
      latest_message_id: null,
      archived_at: null,
    });
  },

  async seen(ctx, { id }) {
    const { last_position, unread_count } = await lockedParticipation(ctx, id);
    if (unread_count > 0) await mark(ctx, id, { seen_position: last_position, unread_count: 0 });
  },

  archive: (ctx, { id }) => setArchived(ctx, id, ctx.now),
  unarchive: (ctx, { id }) => setArchived(ctx, id, null),

  async mute(ctx, { id, mute_rule }) {
    await lockedParticipation(ctx, id);
    await mark(ctx, id, muteFrom(ctx.now, mute_rule));
  },

  async unmute(ctx, { id }) {
    const { mute_rule } = await lockedParticipation(ctx, id);
    if (mute_rule !== null) await mark(ctx, id, muteFrom(ctx.now, null));
  },

  ...participantHandlers,
  ...messageReadHandlers,
  ...messageWriteHandlers,
};

export const checks: Checks<typeof contract> = {
  async list(ctx, filter, isWrong) {
    const { participants_mode, ...issues } = await conversationFilterIssues(ctx, filter);
    return participants_mode === undefined || isWrong("participants") ? issues : { ...issues, participants_mode };
  },
  messages: starterIssues,
  create: newConversationIssues,
  send: newMessageIssues,
};

export const admission: Admission<typeof contract> = {
  send: async (ctx, { id }) => id !== undefined && participation(ctx, id),
};
