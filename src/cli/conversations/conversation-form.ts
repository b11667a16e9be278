import type { conversations } from "../../contract/conversations.ts";
import type { OutputOf } from "../../contract/operation.ts";
import { agesIn } from "../output/ages.ts";
import { createTableWriter } from "../output/table.ts";
import type { Form } from "../output/writer.ts";
import type { Item } from "../paging.ts";
import { oneLine } from "../plain.ts";
import { summaryOf } from "./message-lines.ts";
import { namesOf } from "./people-names.ts";

export type Conversation = OutputOf<typeof conversations.get>;

const mostNames = 3;

/** What people call a conversation: its title, else whom `me` has it with. */
export function titleOf({ title, participants }: Conversation, me: number | undefined): string {
  if (title) return oneLine(title);
  const others = participants.filter(({ id }) => id !== me);
  return others.length > 0 ? namesOf(others, mostNames) : "nobody else";
}

/** Conversations with their titles, what is unread, and the latest message, a line for each. */
export const conversationList =
  (me: number): Form =>
  (sheet) => {
    const age = agesIn(sheet.zone);
    const table = createTableWriter({ ...sheet, columns: ["id", "conversation", "unread", "latest message", "when"] });
    const rowOf = (conversation: Conversation): Item => {
      const { id, unread_message_count: unread, latest_message: latest } = conversation;
      return {
        id,
        conversation: titleOf(conversation, me),
        unread: unread > 0 ? unread : "",
        "latest message": latest ? summaryOf(latest) : "",
        when: latest ? age(latest.date) : "",
      };
    };
    return { ...table, page: (items) => table.page((items as unknown as readonly Conversation[]).map(rowOf)) };
  };

/** What a conversation is called and who is in it, in two lines. */
export function describe(conversation: Conversation): string {
  const { id, title, participants } = conversation;
  const name = title ? `: ${oneLine(title)}` : "";
  return `Conversation ${id}${name}\n${oneLine(participants.map(participantOf).join(", "))}\n`;
}

/** One conversation, with who is in it and the latest message in a line each. */
export const conversationForm: Form = (sheet) => {
  const table = createTableWriter(sheet);
  const age = agesIn(sheet.zone);
  return {
    ...table,
    one(item) {
      const { latest_message: latest, participants, publish: _, ...rest } = item as unknown as Conversation;
      return table.one({
        ...rest,
        participants: participants.map(participantOf).join(", "),
        latest_message: latest && `${summaryOf(latest)} (${age(latest.date)})`,
      });
    },
  };
};

function participantOf({ name, role }: Conversation["participants"][number]): string {
  return role === "administrator" ? `${name} (administrator)` : name;
}
