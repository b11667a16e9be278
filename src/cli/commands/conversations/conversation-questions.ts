import type { conversations } from "../../../contract/conversations.ts";
import type { ItemOf } from "../../../contract/operation.ts";

type Conversation = ItemOf<(typeof conversations)["get"]>;

/** Returns the title of a conversation or, without one, the names of its first participants. */
function titleOf({ title, participants }: Conversation): string {
  const names = participants.slice(0, 3).map(({ name }) => name);
  return title || `of ${names.join(", ")}`;
}

export function askToRemove(conversation: Conversation, { user }: Readonly<Record<string, unknown>>): string {
  const { name } = conversation.participants.find(({ id }) => id === user) ?? { name: `user ${user}` };
  return `Remove ${name} from conversation ${titleOf(conversation)}?`;
}

export const askToDelete = (conversation: Conversation): string =>
  `Delete conversation ${titleOf(conversation)} for yourself, with all its messages?`;
