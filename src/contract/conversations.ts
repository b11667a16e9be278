import { z } from "zod";
import { id, line, noContent, numberedPage } from "./common-schemas.ts";
import { conversation, largestGroup, message, others, participant, roles } from "./conversation-schemas.ts";
import { uploadLimit } from "./file-schemas.ts";
import { body, files, messageOperations, one } from "./messages.ts";
import { operation, operationGroup } from "./operation.ts";

export const conversations = operationGroup("conversations", {
  list: operation({
    method: "GET",
    path: "/conversations",
    bare: true,
    summary: "Your conversations, the one with the latest message first",
    description:
      "meta.total counts at most 1,000 beyond the page: a higher page may tell of more. Conversations that you deleted come back with the next message.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        status: z
          .enum(["normal", "archived", "unread"])
          .default("normal")
          .meta({ values: { normal: "not archived", unread: "with unread messages, archived or not" } }),
        keyword: line(200, 1)
          .optional()
          .meta({ description: "Only where each word begins one of the title or of another participant's name" }),
        participants: z
          .array(id("users"))
          .min(1)
          .max(largestGroup)
          .optional()
          .meta({ description: "Exactly these users; you may leave out yourself" }),
        participants_mode: z
          .enum(["find", "exclude"])
          .default("find")
          .meta({
            values: { find: "with exactly these participants", exclude: "all other conversations" },
          }),
        page: z.int().min(1).default(1),
        limit: z.int().min(1).max(100).default(25).meta({ description: "Items per page, 1 to 100" }),
      }),
    output: () => numberedPage(conversation()),
    status: 200,
    list: { items: "data", paging: "pages" },
  }),
  create: operation({
    method: "POST",
    path: "/conversations",
    bare: true,
    summary: "Write to people: in the conversation with exactly them, or in a new one",
    description:
      "One recipient makes a direct conversation, several make a group, whose administrator you are. With the same people the direct conversation is used again, and the newest group of exactly them.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        recipients: others().meta({ description: "Users; you are in it anyway" }),
        message: body(),
        files: files(),
      }),
    output: message,
    status: 201,
    location: "/conversations/{conversationId}/messages/{id}",
    transaction: "locking",
    private: true,
    bodyLimit: uploadLimit,
  }),
  get: operation({
    method: "GET",
    path: "/conversations/{id}",
    bare: true,
    summary: "A conversation with its participants and the latest message",
    description: "For participants only.",
    access: "signed_in",
    input: () => z.strictObject(one()),
    output: conversation,
    status: 200,
  }),
  update: operation({
    method: "PATCH",
    path: "/conversations/{id}",
    bare: true,
    summary: "Rename a group, or set your mute rule",
    description:
      "Only what is named changes. The title is changed by the group's administrators; a direct conversation has none.",
    access: "signed_in",
    input: () =>
      z.strictObject({
        ...one(),
        title: line(255).optional().meta({ description: "Of the group, for all; empty: none" }),
        mute_rule: id().nullable().optional().meta({ description: "ID of your mute rule; null: none" }),
      }),
    output: conversation,
    status: 200,
    transaction: "locking",
    private: true,
    errors: ["forbidden", "conflict"],
  }),
  delete: operation({
    method: "DELETE",
    path: "/conversations/{id}",
    bare: true,
    summary: "Delete a conversation for yourself, as it is now",
    description: "The next message brings it back, with only what came after. The others keep everything.",
    access: "signed_in",
    input: () => z.strictObject(one()),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
  }),
  seen: operation({
    method: "POST",
    path: "/conversations/{id}/seen",
    bare: true,
    summary: "Mark all messages of a conversation as seen",
    description: "For participants only.",
    access: "signed_in",
    input: () => z.strictObject(one()),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
  }),
  archive: operation({
    method: "POST",
    path: "/conversations/{id}/archive",
    bare: true,
    summary: "Archive a conversation for yourself, until the next message",
    description: "For participants only.",
    access: "signed_in",
    input: () => z.strictObject(one()),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
  }),
  unarchive: operation({
    method: "POST",
    path: "/conversations/{id}/unarchive",
    bare: true,
    summary: "Take a conversation out of your archive",
    description: "For participants only.",
    access: "signed_in",
    input: () => z.strictObject(one()),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
  }),
  participantAdd: operation({
    method: "POST",
    path: "/conversations/{id}/participants",
    bare: true,
    summary: "Add people to a group",
    description:
      "By its administrators. Whoever is in it already stays as they are. New participants can read what was written before. A group has at most 500.",
    access: "signed_in",
    input: () => z.strictObject({ ...one(), users: others() }),
    output: conversation,
    status: 200,
    transaction: "locking",
    private: true,
    errors: ["forbidden", "conflict"],
  }),
  participantUpdate: operation({
    method: "PATCH",
    path: "/conversations/{id}/participants/{user}",
    bare: true,
    summary: "Make a participant of a group its administrator, or a member",
    description: "By its administrators. The last one stays.",
    access: "signed_in",
    input: () => z.strictObject({ ...one(), user: id("users"), role: z.enum(roles) }),
    output: participant,
    status: 200,
    transaction: "locking",
    private: true,
    errors: ["forbidden", "conflict"],
  }),
  participantRemove: operation({
    method: "DELETE",
    path: "/conversations/{id}/participants/{user}",
    bare: true,
    summary: "Leave a group, or take somebody out of it",
    description:
      "Everybody may leave; others are taken out by the group's administrators. When the last of these leaves, whoever is in it longest becomes one.",
    access: "signed_in",
    input: () => z.strictObject({ ...one(), user: id("users").meta({ description: "Yourself to leave" }) }),
    output: noContent,
    status: 204,
    transaction: "locking",
    private: true,
    errors: ["forbidden", "conflict"],
  }),
  ...messageOperations,
});
