import { isVisible } from "../../contract/common-schemas.ts";
import type { conversations as contract } from "../../contract/conversations.ts";
import { type FieldIssues, invalid, ServiceError } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import { deleteRows, findRows, insertRow, insertRows, updateRow } from "../../store/bulk.ts";
import { locking, waitForTurn } from "../../store/dialect.ts";
import { indexWords, unindexWords } from "../../store/message-words.ts";
import { prepared } from "../../store/prepared.ts";
import { fileIssues, presentMessageFiles, removeFiles } from "../files/attached-files.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { referenceIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { appendMessage, type LockedConversation } from "./append-message.ts";
import { loadVisible, requireText, visibleMessage } from "./find-message.ts";
import { lockedParticipation, type Participation, participation } from "./participation.ts";
import { type Message, type MessageRow, presentMessage, presentOneMessage } from "./present-messages.ts";
import { loadPeople } from "./present-participants.ts";
import { indexedWords } from "./query-words.ts";
import { peopleKey } from "./recipients.ts";

/** Maximum number of reactions of one participant to one message. */
const maxReactions = 10;

export const messageWriteHandlers = {
  async create(ctx, { recipients, message, files }) {
    requireNoIssues({
      ...(await newConversationIssues(ctx, { recipients, message, files })),
      ...(await fileIssues(ctx, files ?? [])),
    });
    const people = new Set([ctx.actor.id, ...recipients]);
    const conversation = await findOrCreateConversation(ctx, people);
    const row = await appendMessage(ctx, conversation, { message: message ?? "", files });
    return presentOneMessage(ctx, conversation, row);
  },

  async send(ctx, { id, message, parent_id, files }) {
    const mine = await lockedParticipation(ctx, id);
    const issues = { ...textIssues({ message, files }), ...(await parentIssues(ctx, mine, parent_id)) };
    requireNoIssues({ ...issues, ...(await fileIssues(ctx, files ?? [])) });
    const row = await appendMessage(ctx, mine, { message: message ?? "", parent: parent_id, files });
    if (row.parent_id !== null || files?.length) return presentOneMessage(ctx, mine, row);
    return presentPlain(ctx, mine, row);
  },

  async messageUpdate(ctx, { id, messageId, message }) {
    const mine = await lockedParticipation(ctx, id);
    const before = await visibleMessage(ctx, mine, messageId);
    requireText(before);
    if (before.author_id !== ctx.actor.id) {
      throw new ServiceError("forbidden", "Only the author can change a message.");
    }
    if (before.message === message) return presentOneMessage(ctx, mine, before);
    if (!isVisible(message)) {
      const files = await presentMessageFiles(ctx, [messageId]);
      if (!files.has(messageId)) throw invalid({ message: ["must not be blank in a message without files"] });
    }
    const row = { ...before, message, edited_at: ctx.now };
    await updateRow(ctx.db, "messages", messageId, { message, edited_at: ctx.now });
    await unindexWords(ctx.db, messageId);
    await indexWords(ctx.db, row, indexedWords(message));
    return presentOneMessage(ctx, mine, row);
  },

  async messageDelete(ctx, { id, messageId }) {
    const mine = await lockedParticipation(ctx, id);
    const before = await visibleMessage(ctx, mine, messageId);
    requireText(before);
    if (before.author_id !== ctx.actor.id && mine.role !== "administrator") {
      throw new ServiceError("forbidden", "Only the author or an administrator of the group can delete a message.");
    }
    await updateRow(ctx.db, "messages", messageId, { message: "", deleted_at: ctx.now });
    await subtractUnread(ctx.db, { conversation: id, author: before.author_id, position: before.position });
    await deleteRows(ctx.db, "message_reactions", { message_id: messageId });
    await unindexWords(ctx.db, messageId);
    await removeFiles(ctx, "message", [messageId]);
  },

  async react(ctx, { id, messageId, emoji }) {
    const mine = await lockedParticipation(ctx, id);
    const row = await visibleMessage(ctx, mine, messageId);
    requireText(row);
    const byMe = { message_id: messageId, user_id: ctx.actor.id };
    const own = await findRows(ctx.db, "message_reactions", byMe, ["emoji"]);
    if (!own.some((reaction) => reaction.emoji === emoji)) {
      if (own.length >= maxReactions) {
        throw new ServiceError("conflict", `You have ${maxReactions} reactions to this message; remove one first.`);
      }
      await insertRows(ctx.db, "message_reactions", [{ ...byMe, emoji, created_at: ctx.now }]);
    }
    return presentOneMessage(ctx, mine, row);
  },

  async unreact(ctx, { id, messageId, emoji }) {
    const mine = await lockedParticipation(ctx, id);
    await visibleMessage(ctx, mine, messageId);
    const own = { message_id: messageId, user_id: ctx.actor.id, emoji };
    const [gone] = await deleteRows(ctx.db, "message_reactions", own, ["message_id"]);
    if (gone === undefined) {
      throw new ServiceError("not_found", `You have not reacted to message ${messageId} with ${emoji}.`);
    }
  },
} satisfies Partial<Handlers<typeof contract>>;

/** Returns the API's representation of the actor's new message, which has no parent, files or reactions. */
async function presentPlain(ctx: Ctx, { role }: Participation, row: MessageRow): Promise<Message> {
  const people = await loadPeople(ctx, [row.author_id]);
  const { author_id: user_id, conversation_id } = row;
  // A new message removes the conversation from everybody's archive.
  const author = { conversation_id, user_id, role, archived_at: null };
  return { ...presentMessage(row, { people, reactions: new Map(), files: new Map() }, author), parent: null };
}

type NewMessage = Partial<InputOf<typeof contract.create>>;

function textIssues({ message, files = [] }: NewMessage, isWrong?: (field: string) => boolean): FieldIssues {
  if ((message != null && isVisible(message)) || files.length > 0 || isWrong?.("files")) return {};
  return { message: [message == null ? "is required for a message without files" : "must not be blank"] };
}

async function parentIssues(ctx: Ctx, mine: Participation, parent_id: number | null | undefined): Promise<FieldIssues> {
  if (parent_id == null) return {};
  const parent = await loadVisible(ctx, mine, parent_id);
  if (parent === undefined) return { parent_id: [`is not a message of conversation ${mine.id}: ${parent_id}`] };
  return parent.deleted_at === null ? {} : { parent_id: [`is a deleted message: ${parent_id}`] };
}

/** Returns the issues of those fields of a new conversation that depend on each other or on data; see `Checks`. */
export async function newConversationIssues(
  ctx: Ctx,
  { recipients, ...text }: NewMessage,
  isWrong?: (field: string) => boolean,
): Promise<FieldIssues> {
  const issues = {
    ...(await referenceIssues(ctx, [["recipients", "users", recipients]])),
    ...textIssues(text, isWrong),
  };
  if (recipients?.every((id) => id === ctx.actor.id)) issues.recipients = ["must contain a user other than yourself"];
  return issues;
}

/** Returns the issues of those fields of a message that depend on each other or on data; see `Checks`. */
export const newMessageIssues: NonNullable<Checks<typeof contract>["send"]> = async (ctx, known, isWrong) => {
  const { id, parent_id, ...text } = known;
  const parent = id === undefined ? {} : await parentIssues(ctx, await participation(ctx, id), parent_id);
  return { ...textIssues(text, isWrong), ...parent };
};

/** Subtracts a deleted message from the unread counts of participants who have not seen it. */
const subtractUnread = prepared((db, p: { conversation: number; author: number; position: number }) =>
  db
    .updateTable("conversation_participants")
    .set((eb) => ({ unread_count: eb("unread_count", "-", eb.lit(1)) }))
    .where("conversation_id", "=", p.conversation)
    .where("user_id", "<>", p.author)
    .where("seen_position", "<", p.position),
);

/** Returns the locked conversation of exactly these people: the direct one, the newest group or a new one. */
async function findOrCreateConversation(
  ctx: Ctx,
  people: ReadonlySet<number>,
): Promise<LockedConversation & { cleared_position: number }> {
  const type = people.size === 2 ? "direct" : "group";
  const people_key = peopleKey(people);
  // A simultaneous request for the same people waits here and then finds the new conversation.
  await waitForTurn(ctx.db, people_key);
  const newest = ctx.db
    .selectFrom("conversations")
    .select("id")
    .where("people_key", "=", people_key)
    .where("type", "=", type)
    .orderBy("id", "desc")
    .limit(1);
  // Waits for who joins or leaves a group at this moment: then it is no longer of exactly these people, and not found.
  const known = await locking(ctx.db, newest).executeTakeFirst();
  if (known !== undefined) return lockedParticipation(ctx, known.id);
  const id = await insertRow(ctx.db, "conversations", { type, people_key, created_at: ctx.now, updated_at: ctx.now });
  const participants = [...people].map((user_id) => ({
    conversation_id: id,
    user_id,
    role: type === "group" && user_id === ctx.actor.id ? "administrator" : "member",
    joined_position: 0,
    seen_position: 0,
  }));
  await insertRows(ctx.db, "conversation_participants", participants);
  return { id, last_position: 0, cleared_position: 0 };
}
