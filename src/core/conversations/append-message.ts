import { sql } from "kysely";
import type { FileItem } from "../../contract/file-schemas.ts";
import { indexWords } from "../../store/message-words.ts";
import { prepared } from "../../store/prepared.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { addFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { onlyItem } from "../pipeline/only-item.ts";
import type { MessageRow, ServiceMeta } from "./present-messages.ts";
import { indexedWords } from "./query-words.ts";

export type LockedConversation = RowOf<"conversations", "id" | "last_position">;

const setLastPosition = prepared((db, p: { id: number; position: number; now: number }) =>
  db.updateTable("conversations").set({ last_position: p.position, updated_at: p.now }).where("id", "=", p.id),
);

type NewRow = Omit<MessageRow, "id" | "edited_at" | "deleted_at">;

const insertMessage = prepared((db, p: NewRow) =>
  db
    .insertInto("messages")
    .values({
      conversation_id: p.conversation_id,
      position: p.position,
      type: p.type,
      author_id: p.author_id,
      parent_id: p.parent_id,
      message: p.message,
      meta: p.meta,
      created_at: p.created_at,
    })
    .returning("id"),
);

/** Marks the message as unread for all others and removes the conversation from everybody's archive. */
const markUnread = prepared((db, p: { conversation: number; message: number; author: number }) =>
  db
    .updateTable("conversation_participants")
    .set({
      latest_message_id: p.message,
      archived_at: null,
      unread_count: sql<number>`unread_count + case when user_id = ${p.author} then 0 else 1 end`,
    })
    .where("conversation_id", "=", p.conversation),
);

/** Shows the message as the latest one to everybody who has not deleted the conversation. */
const setLatestMessage = prepared((db, p: { conversation: number; message: number }) =>
  db
    .updateTable("conversation_participants")
    .set({ latest_message_id: p.message })
    .where("conversation_id", "=", p.conversation)
    .where("latest_message_id", "is not", null),
);

/** Inserts a message as the last one of its conversation. */
async function append(
  ctx: Ctx,
  { id, last_position }: LockedConversation,
  message: Pick<NewRow, "type" | "parent_id" | "message" | "meta">,
): Promise<MessageRow> {
  const position = last_position + 1;
  const row = { ...message, conversation_id: id, position, author_id: ctx.actor.id, created_at: ctx.now };
  await setLastPosition(ctx.db, { id, position, now: ctx.now });
  const made = onlyItem(await insertMessage(ctx.db, row));
  ctx.announce(`conversation:${id}`);
  return { ...row, id: made.id, edited_at: null, deleted_at: null };
}

export async function appendMessage(
  ctx: Ctx,
  conversation: LockedConversation,
  { message, parent = null, files = [] }: { message: string; parent?: number | null; files?: readonly FileItem[] },
): Promise<MessageRow> {
  const row = await append(ctx, conversation, { type: "normal", parent_id: parent, message, meta: null });
  await markUnread(ctx.db, { conversation: row.conversation_id, message: row.id, author: row.author_id });
  await indexWords(ctx.db, row, indexedWords(message));
  if (files.length > 0) await addFiles(ctx, "message", row.id, files);
  return row;
}

/** Appends a service message about an action of the actor. It is never unread. */
export async function appendService(
  ctx: Ctx,
  conversation: LockedConversation,
  meta: ServiceMeta,
): Promise<MessageRow> {
  const service = { type: "service", parent_id: null, message: "", meta: JSON.stringify(meta) } as const;
  const row = await append(ctx, conversation, service);
  await setLatestMessage(ctx.db, { conversation: row.conversation_id, message: row.id });
  return row;
}
