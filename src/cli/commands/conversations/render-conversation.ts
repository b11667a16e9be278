import type { conversations } from "../../../contract/conversations.ts";
import type { Caller, OutputOf } from "../../../contract/operation.ts";
import { users } from "../../../contract/users.ts";
import { agesIn } from "../../output/format-age.ts";
import type { Item } from "../../output/item.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { namesOf } from "../../output/text-layout.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { summarizeMessage } from "./message-lines.ts";

export type ShownConversation = OutputOf<typeof conversations.get>;

const maxNames = 3;

/** Returns the title of a conversation, else the names of the participants other than `me`. */
export function titleOf({ title, participants }: ShownConversation, me: number | undefined): string {
  if (title) return sanitizeLine(title);
  const others = participants.filter(({ id }) => id !== me);
  return others.length > 0 ? namesOf(others, maxNames) : "nobody else";
}

export async function conversationList(caller: Caller): Promise<Renderer<ShownConversation>> {
  // Titles leave the caller out.
  const { id: me } = await caller.call(users.current, {});
  return (options) => {
    const age = agesIn(options.zone);
    const table = createTableWriter({
      ...options,
      columns: ["id", "conversation", "unread", "latest message", "when"],
    });
    const rowOf = (conversation: ShownConversation): Item => {
      const { id, unread_message_count: unread, latest_message: latest } = conversation;
      return {
        id,
        conversation: titleOf(conversation, me),
        unread: unread > 0 ? unread : "",
        "latest message": latest ? summarizeMessage(latest) : "",
        when: latest ? age(latest.date) : "",
      };
    };
    return { ...table, page: (items) => table.page(items.map(rowOf)) };
  };
}

export function describeConversation(conversation: ShownConversation): string {
  const { id, title, participants } = conversation;
  const name = title ? `: ${sanitizeLine(title)}` : "";
  return `Conversation ${id}${name}\n${sanitizeLine(participants.map(participantOf).join(", "))}\n`;
}

export const conversationForm: Renderer<ShownConversation> = (options) => {
  const table = createTableWriter(options);
  const age = agesIn(options.zone);
  return {
    ...table,
    one(item) {
      const { latest_message: latest, participants, publish: _, ...rest } = item;
      return table.one({
        ...rest,
        participants: participants.map(participantOf).join(", "),
        latest_message: latest && `${summarizeMessage(latest)} (${age(latest.date)})`,
      });
    },
  };
};

function participantOf({ name, role }: ShownConversation["participants"][number]): string {
  return role === "administrator" ? `${name} (administrator)` : name;
}
