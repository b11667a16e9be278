import type { conversations as contract } from "../../contract/conversations.ts";
import type { Admission, Checks, Handlers } from "../pipeline/context.ts";
import { participantHandlers } from "./change-participants.ts";
import { conversationMarkHandlers } from "./conversation-marks.ts";
import { conversationFilterIssues, listConversations } from "./list-conversations.ts";
import { messageReadHandlers, starterIssues } from "./list-messages.ts";
import { participation } from "./participation.ts";
import { reactions } from "./react-to-message.ts";
import { messageSendHandlers, newConversationIssues, newMessageIssues } from "./send-message.ts";

export const conversations: Handlers<typeof contract> = {
  list: listConversations,
  ...conversationMarkHandlers,
  ...participantHandlers,
  ...messageReadHandlers,
  ...messageSendHandlers,
  ...reactions,
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
