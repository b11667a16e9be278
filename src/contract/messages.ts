import { z } from "zod";
import { cursorInput, cursorPage, id, line, multiline, noContent } from "./common-schemas.ts";
import { emoji, message } from "./conversation-schemas.ts";
import { fileItems, uploadLimit } from "./file-schemas.ts";
import { operation } from "./operation.ts";
import { waitSeconds } from "./waits.ts";

const longestMessage = 10_000;
/** The text of a message. */
export const body = () => multiline(longestMessage, 1).meta({ description: "The text, 1 to 10,000 characters" });
export const files = () => fileItems().optional();

/** The path field of a conversation. */
export const one = () => ({ id: id("conversations").meta({ description: "The conversation" }) });
const oneMessage = () => ({ ...one(), messageId: id().meta({ description: "The message" }) });

/** The operations on messages. */
export const messageOperations = {
  messages: operation({
    method: "GET",
    path: "/conversations/{id}/messages",
    bare: true,
    summary: "Messages of a conversation, newest first",
    description:
      "For participants only. query finds normal messages that have all its words; the last one may be the beginning of a word. Accents and case do not matter.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        ...one(),
        ...cursorInput(100, 25),
        starter_message_id: id()
          .optional()
          .meta({ description: "Messages before and after this one; counts without cursor and query only" }),
        query: line(200, 1).optional().meta({ description: "Words to find" }),
      }),
    output: () => cursorPage(message()),
    status: 200,
    list: { items: "data", paging: "cursor" },
  }),
  follow: operation({
    method: "GET",
    path: "/conversations/{id}/messages/new",
    bare: true,
    summary: "Messages as they come, oldest first",
    description:
      "Waits until there is one after the given message, or for wait seconds. Without after: where to begin. For participants only.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        ...one(),
        after: z
          .int()
          .min(0)
          .optional()
          .meta({ description: "meta.last_id of the answer before; 0: from the first message" }),
        wait: waitSeconds(0),
        limit: z.int().min(1).max(100).default(25).meta({ description: "Messages at once, 1 to 100" }),
      }),
    output: () => z.object({ data: z.array(message()), meta: z.object({ last_id: z.int() }) }),
    status: 200,
    list: { items: "data" },
    transaction: "own",
    errors: ["too_many_requests"],
  }),
  send: operation({
    method: "POST",
    path: "/conversations/{id}/messages",
    bare: true,
    summary: "Write a message in a conversation",
    description: "For participants only.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        ...one(),
        message: body(),
        parent_id: id().optional().meta({ description: "The message that this one replies to" }),
        files: files(),
      }),
    output: message,
    status: 201,
    location: "/conversations/{conversationId}/messages/{id}",
    transaction: "locking",
    private: true,
    bodyLimit: uploadLimit,
  }),
  message: operation({
    method: "GET",
    path: "/conversations/{id}/messages/{message=messageId}",
    bare: true,
    summary: "One message",
    description: "For participants only.",
    access: "signed_in",
    input: () => z.strictObject(oneMessage()),
    output: message,
    status: 200,
  }),
  messageUpdate: operation({
    method: "PATCH",
    path: "/conversations/{id}/messages/{message=messageId}",
    bare: true,
    summary: "Change the text of your message",
    access: "signed_in",
    input: () => z.strictObject({ ...oneMessage(), message: body() }),
    output: message,
    status: 200,
    transaction: "locking",
    private: true,
    errors: ["forbidden", "conflict"],
  }),
  messageDelete: operation({
    method: "DELETE",
    path: "/conversations/{id}/messages/{message=messageId}",
    bare: true,
    summary: "Delete a message for everybody",
    description: "Your own; as an administrator of the group any. It stays in its place, empty.",
    access: "signed_in",
    input: () => z.strictObject(oneMessage()),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
    errors: ["forbidden", "conflict"],
  }),
  react: operation({
    method: "POST",
    path: "/conversations/{id}/messages/{message=messageId}/reactions",
    bare: true,
    summary: "React to a message with an emoji",
    description: "Again with the same one changes nothing. At most 10 different ones by one participant.",
    access: "signed_in",
    input: () => z.strictObject({ ...oneMessage(), emoji: emoji() }),
    output: message,
    status: 200,
    transaction: "locking",
    private: true,
    errors: ["conflict"],
  }),
  unreact: operation({
    method: "DELETE",
    path: "/conversations/{id}/messages/{message=messageId}/reactions/{emoji}",
    bare: true,
    summary: "Take back a reaction",
    access: "signed_in",
    input: () => z.strictObject({ ...oneMessage(), emoji: emoji() }),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
  }),
};
