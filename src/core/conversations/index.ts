import type { conversations as contract } from "../../contract/conversations.ts";
import type { Handlers } from "../context.ts";
import { list } from "./listing.ts";
import { marks } from "./marks.ts";
import { members } from "./members.ts";
import { messages } from "./messages.ts";
import { reactions } from "./reactions.ts";
import { sending } from "./sending.ts";

export const conversations: Handlers<typeof contract> = {
  list,
  ...marks,
  ...members,
  ...messages,
  ...sending,
  ...reactions,
};
