import { z } from "zod";
import { clearable, id, line, numberedList, pageInput } from "./common-schemas.ts";
import { conversation, maxParticipants, others, participant, roles } from "./conversation-schemas.ts";
import { body, conversationPath, messageFiles, messageOperations, one, privateChange, sent } from "./messages.ts";
import { muteRule } from "./muterules.ts";
import { operation, operationGroup } from "./operation.ts";

/** Declares an operation of a participant on their own view of a conversation. */
const mark = (method: "POST" | "DELETE", path: string, summary: string) =>
  operation(method, `${conversationPath}/${path}`, summary, {
    description: "You must be a participant.",
    access: "signed_in",
    input: one,
    ...privateChange,
  });

export const conversations = operationGroup("conversations", {
  list: operation("GET", "/conversations", "List your conversations, latest message first", {
    description:
      "meta.total counts at most 1,000 conversations after the page. Conversations that you deleted are listed again after the next message.",
    access: "signed_in",
    input: () => ({
      status: z
        .enum(["normal", "archived", "unread"])
        .default("normal")
        .meta({
          description: "Only conversations with this status",
          values: { normal: "not archived", unread: "with unread messages, archived or not" },
        }),
      keyword: line(200, 1)
        .optional()
        .describe("Words or beginnings of words in the title or the names of other participants"),
      participants: z
        .array(id("users"))
        .min(1)
        .max(maxParticipants)
        .optional()
        .describe("Participants, with or without yourself"),
      participants_mode: z
        .enum(["find", "exclude"])
        .default("find")
        .meta({
          description: "Use of participants",
          values: {
            find: "conversations with exactly these participants",
            exclude: "all other conversations; requires participants",
          },
        }),
      ...pageInput(100, 25),
    }),
    ...numberedList(conversation),
  }),
  create: operation("POST", "/conversations", "Send a message to users", {
    description:
      "The message goes to the direct conversation with the recipient, or to the newest group of exactly these users. If there is none, it is created; you are the administrator of a new group.",
    access: "signed_in",
    input: () => ({ recipients: others().describe("Other participants"), message: body(), files: messageFiles() }),
    ...sent,
  }),
  get: operation("GET", conversationPath, "Get a conversation", {
    description: "You must be a participant. The response includes the participants and the latest message.",
    access: "signed_in",
    input: one,
    output: conversation,
  }),
  update: operation("PATCH", conversationPath, "Rename a group, or set your mute rule", {
    description:
      "Only the given fields change. Only administrators of the group can change its title; a direct conversation has none.",
    access: "signed_in",
    input: () => ({
      ...one(),
      title: clearable(line(255)).describe("Title of the group for all participants; empty removes it"),
      mute_rule: muteRule().nullish(),
    }),
    output: conversation,
    ...privateChange,
    errors: ["conflict"],
  }),
  delete: operation("DELETE", conversationPath, "Delete a conversation for yourself", {
    description:
      "Other participants keep it. After the next message you have the conversation again, without the earlier messages.",
    access: "signed_in",
    input: one,
    ...privateChange,
  }),
  seen: mark("POST", "seen", "Mark all messages of a conversation as seen"),
  archive: mark("POST", "archive", "Archive a conversation until the next message"),
  unarchive: mark("POST", "unarchive", "Unarchive a conversation"),
  mute: operation("POST", `${conversationPath}/mute`, "Mute a conversation", {
    description: "Its messages do not count in your counters until the rule ends, counted from now.",
    access: "signed_in",
    input: () => ({ ...one(), mute_rule: muteRule() }),
    ...privateChange,
  }),
  unmute: mark("DELETE", "mute", "Unmute a conversation"),
  participantAdd: operation("POST", `${conversationPath}/participants`, "Add users to a group", {
    description:
      "Can be done by administrators of the group. Existing participants are unchanged. New participants can read earlier messages. A group has at most 500 participants.",
    access: "signed_in",
    input: () => ({ ...one(), users: others() }),
    output: conversation,
    ...privateChange,
  }),
  participantUpdate: operation("PATCH", `${conversationPath}/participants/{user}`, "Change the role of a participant", {
    description:
      "Can be done by administrators of the group. The last active administrator keeps this role; a deactivated user cannot get it.",
    access: "signed_in",
    input: () => ({ ...one(), user: id("users"), role: z.enum(roles).describe("New role of the participant") }),
    output: participant,
    ...privateChange,
    errors: ["conflict"],
  }),
  participantRemove: operation(
    "DELETE",
    `${conversationPath}/participants/{user}`,
    "Leave a group, or remove a participant",
    {
      description:
        "Everyone can leave; administrators of the group can remove others. When the last active administrator leaves, or is deactivated or deleted, the longest-standing active participant becomes administrator.",
      access: "signed_in",
      input: () => ({ ...one(), user: id("users").describe("User to remove; yourself to leave") }),
      ...privateChange,
      errors: ["conflict"],
    },
  ),
  ...messageOperations,
});
