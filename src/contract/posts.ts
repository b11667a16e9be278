import { z } from "zod";
import { comment, commentBody } from "./comment-schemas.ts";
import { clearable, created, cursorInput, cursorList, id, nullable, time } from "./common-schemas.ts";
import { answer, answers } from "./event-schemas.ts";
import { fileItems, uploadLimit } from "./file-schemas.ts";
import { muteRule } from "./muterules.ts";
import { operation, operationGroup } from "./operation.ts";
import { choiceTitle, maxChoices, poll, vote } from "./poll-schemas.ts";
import { postParticipant } from "./post-event-schemas.ts";
import { contentType, mentioned, post, postBody, postFields, postTitle, shownReader } from "./post-schemas.ts";

const postPath = "/content/{content=id}";
const one = () => ({ id: id("posts") });

const own = { access: "signed_in", input: one, private: true } as const;

const mark = (method: "POST" | "DELETE", path: string, summary: string, description?: string) =>
  operation(method, `${postPath}/${path}`, summary, { ...own, ...(description && { description }) });

const addressedUsers =
  "Lists the active users that the post is addressed to now, without service accounts, sorted by ID. Can be done by users who can edit the post; if it belongs to a private group, only by those who can see the group.";

export const posts = operationGroup("posts", {
  list: operation("GET", "/content", "List posts, newest first", {
    description:
      "Lists published posts that you can read. In the feed, posts that are pinned when the first page is read come first: in the feed of a unit or group all pinned posts of it, otherwise those that are pinned in the main feed. With another status, it lists drafts, scheduled or unpublished posts that you can edit. A page of more than 25 posts ends early when their texts are longer than 4 MiB.",
    access: "signed_in",
    input: () => ({
      content_type: contentType().optional().describe("Only posts of this kind"),
      unit: id("units").optional().describe("Only posts that this unit owns"),
      group: id("groups").optional().describe("Only posts in this group"),
      author: id("users").optional().describe("Only posts by this user"),
      status: z
        .enum(["published", "draft", "scheduled", "unpublished"])
        .default("published")
        .describe("Only posts with this status"),
      bookmarked: z.boolean().optional().describe("Only posts that you bookmarked; false: only others"),
      unseen: z.boolean().optional().describe("Only posts that you have not seen; false: only others"),
      important: z.boolean().optional().describe("Only important posts; false: only others"),
      show_in_feed: z.boolean().optional().describe("Only posts of the feed, pinned posts first; false: only others"),
      pinned: z.boolean().optional().describe("Only posts that are pinned now; false: only others"),
      since: time().optional().describe("Only posts published at or after this time"),
      sort: z.enum(["published", "updated"]).default("published").describe("Time to sort by"),
      ...cursorInput(),
    }),
    ...cursorList(post),
  }),
  get: operation("GET", postPath, "Get a post", { access: "signed_in", input: one, output: post }),
  create: operation("POST", "/content", "Create a post", {
    description:
      "News posts need the ability news and event posts the ability calendar, in the unit that owns the post and in every unit it is published to; a post to all units needs it in the root. A debate can be created by members of its group, or by any user for the user's own units. Without units, a post is published to the unit that owns it and, unless it is a debate, to everything below.",
    access: "signed_in",
    input: () => ({
      content_type: contentType(),
      title: postTitle(),
      body: clearable(postBody()),
      unit: id("units").optional().describe("Unit that owns the post (default your own)"),
      group: id("groups").optional().describe("Group of a debate, whose members can read it"),
      ...postFields(),
      files: fileItems().optional(),
    }),
    ...created(post, "/content/{id}"),
    bodyLimit: uploadLimit,
  }),
  update: operation("PATCH", postPath, "Update a post", {
    description:
      "Only the given fields change, also within objects; lists and the recurrence of an event are replaced. A unit is in only one of the lists visibility.units and visibility.units_falldown: adding it to units_falldown removes it from units, and replacing units_falldown does not put it back. The kind, unit and group of a post cannot change. A publication time in the future unpublishes the post until then. A poll choice with votes cannot be removed or get another title. Other user types, or more of them, need the ability in all units of the post.",
    access: "signed_in",
    input: () => ({ id: id("posts"), title: postTitle().optional(), body: clearable(postBody()), ...postFields() }),
    errors: ["conflict"],
  }),
  delete: operation("DELETE", postPath, "Delete a post with its comments, votes and files", {
    access: "signed_in",
    input: one,
  }),
  seen: mark("POST", "seen", "Mark a post and its mentions of you as seen"),
  read: mark(
    "POST",
    "read",
    "Confirm that you have read a post",
    "Also marks the post as seen. If the poll is mandatory, vote first.",
  ),
  like: mark("POST", "like", "Like a post"),
  unlike: mark("DELETE", "like", "Remove your like from a post"),
  bookmark: mark("POST", "bookmark", "Bookmark a post"),
  unbookmark: mark("DELETE", "bookmark", "Remove your bookmark from a post"),
  mute: operation("POST", `${postPath}/mute`, "Mute a post", {
    ...own,
    description: "It does not count in your counters until the rule ends, counted from now.",
    input: () => ({ id: id("posts"), mute_rule: muteRule() }),
  }),
  unmute: mark("DELETE", "mute", "Unmute a post"),
  republish: operation("POST", `${postPath}/republish`, "Publish a post again", {
    access: "signed_in",
    description: "It becomes the newest post, unseen by everyone else. Can be done by users who can edit it.",
    input: one,
  }),
  vote: operation("POST", `${postPath}/vote`, "Vote in the poll of a post", {
    description: "Replaces your earlier vote; without choices, your vote is withdrawn. The response is the poll.",
    access: "signed_in",
    input: () => ({
      id: id("posts"),
      choices: z.array(id("choices")).max(maxChoices).optional().describe("IDs of the choices to vote for"),
      title: nullable(choiceTitle()).describe(
        "Text of a choice to vote for; a new one is added, if the poll allows it",
      ),
    }),
    output: poll,
    private: true,
  }),
  votes: operation("GET", `${postPath}/votes`, "List the votes in the poll of a post", {
    description: "Votes are sorted by user. Those of an anonymous poll are refused.",
    access: "signed_in",
    input: () => ({ id: id("posts"), ...cursorInput() }),
    ...cursorList(vote),
    errors: ["conflict"],
  }),
  readers: operation("GET", `${postPath}/readers`, "List who has read a post, and who has not", {
    description: `${addressedUsers} confirm.total is the number of users when they were last counted; confirm.confirmed also has those who confirmed and are not listed.`,
    access: "signed_in",
    input: () => ({
      id: id("posts"),
      status: z
        .enum(["confirmed", "unconfirmed", "seen", "unseen"])
        .optional()
        .describe("Only users with this status; confirmed: who confirmed that they read the post"),
      ...cursorInput(),
    }),
    ...cursorList(shownReader),
  }),
  participants: operation("GET", `${postPath}/participation`, "List the answers to the invitation of an event post", {
    description: `${addressedUsers} Those who have not answered are listed, too. The counts in event.participation also have those who answered and are not listed.`,
    access: "signed_in",
    input: () => ({
      id: id("posts"),
      answer: z
        .enum([...answers, "none"])
        .optional()
        .describe("Only users with this answer; none: who have not answered"),
      ...cursorInput(),
    }),
    ...cursorList(postParticipant),
    errors: ["conflict"],
  }),
  participate: operation("POST", `${postPath}/participation`, "Answer the invitation of an event post", {
    ...own,
    input: () => ({ id: id("posts"), answer: answer() }),
  }),
  unparticipate: operation(
    "DELETE",
    `${postPath}/participation`,
    "Withdraw your answer to the invitation of an event post",
    { ...own, errors: ["conflict"] },
  ),
  commentList: operation("GET", `${postPath}/comments`, "List the comments on a post and their replies, oldest first", {
    access: "signed_in",
    input: () => ({
      id: id("posts"),
      parent_id: id().optional().describe("Only replies to the comment with this ID"),
      ...cursorInput(),
    }),
    ...cursorList(comment),
  }),
  commentAdd: operation("POST", `${postPath}/comments`, "Comment on a post, or reply to a comment", {
    description: "A reply to a reply belongs to the same comment.",
    access: "signed_in",
    input: () => ({
      id: id("posts"),
      body: commentBody(),
      parent_id: id().nullish().describe("ID of the comment to reply to"),
      mentions: mentioned(),
    }),
    output: comment,
    status: 201,
  }),
  commentDelete: operation("DELETE", `${postPath}/comments/{comment}`, "Delete a comment", {
    description: "Can be done by its author and by users who can edit the post. Replies stay.",
    access: "signed_in",
    input: () => ({ id: id("posts"), comment: id().describe("ID of the comment") }),
  }),
  filesAdd: operation("POST", `${postPath}/files`, "Attach files to a post", {
    access: "signed_in",
    input: () => ({ id: id("posts"), files: fileItems().min(1) }),
    bodyLimit: uploadLimit,
  }),
  fileDelete: operation("DELETE", `${postPath}/files/{file}`, "Remove a file from a post", {
    access: "signed_in",
    input: () => ({ id: id("posts"), file: id("files") }),
  }),
});
