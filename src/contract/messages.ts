import { z } from "zod";
import { created, cursorInput, cursorList, id, line, multiline } from "./common-schemas.ts";
import { emoji, message } from "./conversation-schemas.ts";
import { fileItems, uploadLimit } from "./file-schemas.ts";
import { operation } from "./operation.ts";
import { waitSeconds } from "./waits.ts";

const maxMessageLength = 10_000;
/** The text of a message; a message with files needs none. */
export const body = () => multiline(maxMessageLength).nullish().describe("Text of the message, 1 to 10,000 characters");
export const messageFiles = () => fileItems().optional();

export const conversationPath = "/conversations/{conversation=id}";
export const one = () => ({ id: id("conversations") });
const messagePath = `${conversationPath}/messages/{message=messageId}`;
const oneMessage = () => ({ ...one(), messageId: id().describe("ID of the message") });

/** Common to the operations that change a conversation, which the audit log leaves out. */
export const privateChange = { transaction: "locking", private: true } as const;

export const sent = {
  ...created(message, "/conversations/{conversationId}/messages/{id}"),
  ...privateChange,
  bodyLimit: uploadLimit,
} as const;

export const messageOperations = {
  messages: operation("GET", `${conversationPath}/messages`, "List the messages of a conversation, newest first", {
    description:
      "You must be a participant. query finds normal messages with all of its words, ignoring case and accents; the last one can be the beginning of a word.",
    access: "signed_in",
    input: () => ({
      ...one(),
      ...cursorInput(100, 25),
      starter_message_id: id()
        .optional()
        .describe("ID of a message to show with those before and after it; ignored with cursor or query"),
      query: line(200, 1).optional().describe("Words to search for"),
    }),
    ...cursorList(message),
  }),
  follow: operation("GET", `${conversationPath}/messages/new`, "Wait for new messages, oldest first", {
    description:
      "Responds when there are messages after the given one, or after wait seconds. Without after, the response has no messages, and meta.last_id is the ID to start from. You must be a participant.",
    access: "signed_in",
    input: () => ({
      ...one(),
      after: z
        .int()
        .min(0)
        .optional()
        .describe("Continue after meta.last_id of the previous response; 0 starts at the first message"),
      wait: waitSeconds(0),
      limit: z.int().min(1).max(100).default(25).describe("Maximum number of messages, 1 to 100"),
    }),
    output: () => z.object({ data: z.array(message()), meta: z.object({ last_id: z.int() }) }),
    list: { items: "data" },
    transaction: "own",
    errors: ["too_many_requests"],
  }),
  send: operation("POST", `${conversationPath}/messages`, "Send a message to a conversation", {
    description: "You must be a participant.",
    access: "signed_in",
    input: () => ({
      ...one(),
      message: body(),
      parent_id: id().nullish().describe("ID of the message to reply to"),
      files: messageFiles(),
    }),
    ...sent,
  }),
  message: operation("GET", messagePath, "Get a message", {
    description: "You must be a participant.",
    access: "signed_in",
    input: oneMessage,
    output: message,
  }),
  messageUpdate: operation("PATCH", messagePath, "Edit your message", {
    access: "signed_in",
    input: () => ({
      ...oneMessage(),
      message: multiline(maxMessageLength).describe("New text of the message; empty only if it has files"),
    }),
    output: message,
    ...privateChange,
    errors: ["conflict"],
  }),
  messageDelete: operation("DELETE", messagePath, "Delete a message for everybody", {
    description:
      "You can delete your own messages, and administrators of a group those of others. The message stays in the list, empty.",
    access: "signed_in",
    input: oneMessage,
    ...privateChange,
    errors: ["conflict"],
  }),
  react: operation("POST", `${messagePath}/reactions`, "React to a message with an emoji", {
    description: "Repeating a reaction changes nothing. A participant can add at most 10 different ones to a message.",
    access: "signed_in",
    input: () => ({ ...oneMessage(), emoji: emoji() }),
    output: message,
    ...privateChange,
  }),
  unreact: operation("DELETE", `${messagePath}/reactions/{emoji}`, "Remove a reaction", {
    access: "signed_in",
    input: () => ({ ...oneMessage(), emoji: emoji() }),
    ...privateChange,
  }),
};
