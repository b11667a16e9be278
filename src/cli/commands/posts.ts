import { posts as ops } from "../../contract/posts.ts";
import { UsageError } from "../failure.ts";
import type { Group, OperationLeaf } from "../tree.ts";
import { getFile } from "./files.ts";

const id = { field: "id", completes: "posts" } as const;
const postForm = async () => (await import("../posts/post-form.ts")).postForm;
const pollForm = async () => (await import("../posts/poll-form.ts")).pollForm;
const commentForm = async () => (await import("../posts/comment-form.ts")).commentForm;
const columns = ["id", "publish.published_at", "content_type", "title", "author.name", "seen_by_user", "important"];

/** How a post is written on a line. */
const composed: Pick<OperationLeaf, "ahead" | "people" | "fill"> = {
  ahead: { "publish.publish_on": null, "publish.unpublish_on": null, "pinned.until": null, "poll.close_at": null },
  people: ["sharing.shares", "mentions"],
  fill: async (input, flags) => (await import("../posts/planning.ts")).plan(input, flags),
};
const choice = {
  flags: "--choice <text>",
  field: "poll",
  description: "A choice of the poll; again for more",
  repeat: true,
} as const;
const repeat = {
  flags: "--repeat <words>",
  field: "event",
  description: "How its event comes again, as in 'every tuesday until 2026-12-31'; never",
} as const;

const comments: Group = {
  summary: "Comments on posts, and replies to them",
  commands: {
    list: {
      op: ops.commentList,
      args: [id],
      columns: ["id", "created_at", "author.name", "parent_id", "body"],
      form: commentForm,
      examples: ["wcs posts comments list 12 --all", "wcs posts comments list 12 --parent-id 31"],
    },
    add: {
      op: ops.commentAdd,
      args: [id],
      people: ["mentions"],
      written: { field: "body", file: "comment.md" },
      form: commentForm,
      examples: [
        "wcs posts comments add 12 --body 'Well said'",
        "wcs posts comments add 12 --parent-id 31 --body @reply.md --mentions ann@example.com",
      ],
    },
    delete: {
      op: ops.commentDelete,
      args: [id, { field: "comment" }],
      confirm: { ask: "Delete comment {comment} on post {id}?" },
      done: "Deleted comment {comment}.",
    },
  },
};

const files: Group = {
  summary: "Files of posts",
  commands: {
    list: {
      op: { ...ops.get, list: { items: "files" } },
      summary: "Files of a post",
      args: [id],
      columns: ["id", "name", "mime", "size", "created_at"],
      examples: ["wcs posts files list 12"],
    },
    add: {
      op: ops.filesAdd,
      args: [id],
      done: "Added to post {id}.",
      examples: ["wcs posts files add 12 --file menu.pdf --file https://vimeo.com/76979871"],
    },
    delete: {
      op: ops.fileDelete,
      args: [id, { field: "file" }],
      confirm: { ask: "Delete file {file} of post {id}?" },
      done: "Deleted file {file} of post {id}.",
    },
    get: { ...getFile, examples: ["wcs posts files get 7", "wcs posts files get 7 -o menu.pdf"] },
  },
};

export const posts: Group = {
  summary: "News, debates and event posts, with comments and polls",
  commands: {
    list: {
      op: ops.list,
      columns,
      form: async () => (await import("../posts/post-form.ts")).postList,
      people: ["author"],
      examples: [
        "wcs posts list --unseen",
        "wcs posts list --content-type debate --author me --since -30d",
        "wcs posts list --status scheduled",
        "wcs posts list --all -o ndjson | jq -r .title",
      ],
    },
    get: { op: ops.get, args: [id], form: postForm, examples: ["wcs posts get 12", "wcs posts get 12 --json"] },
    create: {
      op: ops.create,
      ...composed,
      flags: [choice, repeat],
      written: { field: "body", file: "post.md" },
      form: postForm,
      examples: [
        "wcs posts create --content-type news --title 'New canteen' --body @canteen.md --file menu.pdf",
        "wcs posts create --content-type news --title 'Tomorrow' --body - --publish-publish-on 'tomorrow 8:00' < news.md",
        "wcs posts create --content-type debate --title Lunch --group 4 --poll-question 'Where?' --choice Canteen --choice Park",
        "wcs posts create --content-type event --title Party --event-datetime-start 'friday 18:00' --event-participation-enabled",
      ],
    },
    update: {
      op: ops.update,
      args: [id],
      ...composed,
      flags: [choice, repeat],
      written: { field: "body", file: "post.md", from: ops.get },
      done: "Changed post {id}.",
      examples: [
        "wcs posts update 12 --title 'Old canteen' --important",
        "wcs posts update 12 --edit",
        "wcs posts update 12 --pinned-show-in-main-feed --pinned-until +7d",
        "wcs posts update 12 --unset pinned,publish.unpublish_on",
      ],
    },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete post {title}, with its comments, votes and files?", about: ops.get },
      done: "Deleted post {id}.",
    },
    seen: { op: ops.seen, args: [id], done: "Marked post {id} as seen." },
    read: { op: ops.read, args: [id], done: "Confirmed post {id}." },
    like: { op: ops.like, args: [id], done: "You like post {id}." },
    unlike: { op: ops.unlike, args: [id], done: "You like post {id} no longer." },
    bookmark: { op: ops.bookmark, args: [id], done: "Bookmarked post {id}." },
    unbookmark: { op: ops.unbookmark, args: [id], done: "Took the bookmark from post {id}." },
    republish: {
      op: ops.republish,
      args: [id],
      confirm: { ask: "Publish post {title} anew, unseen by all?", about: ops.get },
      done: "Published post {id} anew.",
    },
    vote: {
      op: ops.vote,
      args: [id, { field: "choices", label: "choice", many: true, optional: true }],
      flags: [{ flags: "--withdraw", field: "choices", description: "Take your vote back" }],
      fill: (input, { withdraw }) => {
        const { choices, title } = input;
        if (withdraw && (choices ?? title) !== undefined) throw new UsageError("--withdraw goes without choices");
        // Without a choice the service takes the vote back, which somebody who forgot it does not mean.
        if (!withdraw && (choices ?? title) === undefined) {
          throw new UsageError("missing <choice>", { hint: "the ID of a choice, --title TEXT, or --withdraw" });
        }
        return withdraw ? { ...input, choices: [] } : input;
      },
      form: pollForm,
      examples: ["wcs posts vote 12 31", "wcs posts vote 12 --title Canteen", "wcs posts vote 12 --withdraw"],
    },
    votes: {
      op: ops.votes,
      args: [id],
      columns: ["user.id", "user.name", "user.unit.name", "choices"],
      examples: ["wcs posts votes 12 --all"],
    },
    accept: {
      op: ops.participate,
      summary: "Accept the invitation of an event post",
      args: [id],
      hidden: ["answer"],
      fill: (input) => ({ ...input, answer: "accepted" }),
      done: "Accepted the invitation of post {id}.",
    },
    decline: {
      op: ops.participate,
      summary: "Decline the invitation of an event post",
      args: [id],
      hidden: ["answer"],
      fill: (input) => ({ ...input, answer: "rejected" }),
      done: "Declined the invitation of post {id}.",
    },
    withdraw: { op: ops.unparticipate, args: [id], done: "Took your answer to post {id} back." },
    comments,
    files,
  },
};
