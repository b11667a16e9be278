import type { conversations as contract } from "../../contract/conversations.ts";
import type { Handlers } from "../pipeline/context.ts";
import { members } from "./change-participants.ts";
import { marks } from "./conversation-marks.ts";
import { list } from "./list-conversations.ts";
import { messages } from "./list-messages.ts";
import { reactions } from "./react-to-message.ts";
import { sending } from "./send-message.ts";

export const conversations: Handlers<typeof contract> = {
  list,
  ...marks,
  ...members,
  ...messages,
  ...sending,
  ...reactions,
};
