import type { conversations as contract } from "../../contract/conversations.ts";
import type { Admission, Checks, Handlers } from "../pipeline/context.ts";
import { members } from "./change-participants.ts";
import { marks } from "./conversation-marks.ts";
import { list } from "./list-conversations.ts";
import { messages } from "./list-messages.ts";
import { participation } from "./participation.ts";
import { reactions } from "./react-to-message.ts";
import { creationIssues, sending, sendingIssues } from "./send-message.ts";

export const conversations: Handlers<typeof contract> = {
  list,
  ...marks,
  ...members,
  ...messages,
  ...sending,
  ...reactions,
};

export const checks: Checks<typeof contract> = { create: creationIssues, send: sendingIssues };

export const admission: Admission<typeof contract> = {
  async send(ctx, { id }) {
    if (id !== undefined) await participation(ctx, id);
  },
};
