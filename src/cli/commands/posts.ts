import { posts as ops } from "../../contract/posts.ts";
import type { FieldFlag, Group, OperationLeaf } from "../tree.ts";
import { getFile } from "./files.ts";

const id = { field: "id", label: "id" } as const;
const post = { field: "id", label: "post" } as const;
const row = ["id", "title", "content_type", "author.name", "group.name", "publish.published_at", "interaction.seen"];
const postForm = async () => (await import("../posts/post-form.ts")).postForm;
const pollForm = async () => (await import("../posts/post-form.ts")).pollForm;

/** How a post is written on a line. */
const composed: Pick<OperationLeaf, "flags" | "fill" | "people"> = {
  people: ["mentions"],
  flags: [
    {
      flags: "--choice <title>",
      field: "poll.choices",
      description: "A choice of the poll; again for more",
      repeat: true,
    },
  ] satisfies readonly FieldFlag[],
  fill(input, flags) {
    const titles = flags.choice as string[] | undefined;
    if (titles === undefined) return input;
    return { ...input, poll: { ...(input.poll as object | undefined), choices: titles.map((title) => ({ title })) } };
  },
};

/** A command that says one thing of a post. */
const mark = (op: OperationLeaf["op"], done: string): OperationLeaf => ({ op, args: [id], done });

const comments: Group = {
  summary: "Comments on a post",
  commands: {
    list: {
      op: ops.commentList,
      args: [post],
      columns: ["id", "parent_id", "created_at", "author.name", "body"],
      examples: ["wcs posts comments list 12 --all"],
    },
    add: {
      op: ops.commentAdd,
      args: [post],
      people: ["mentions"],
      written: { field: "body", file: "comment.md" },
      examples: [
        "wcs posts comments add 12 --body 'Well done' --mentions ann@example.com",
        "wcs posts comments add 12 --body -",
      ],
    },
    delete: {
      op: ops.commentDelete,
      args: [post, { field: "comment" }],
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
      args: [post],
      columns: ["id", "name", "mime", "size", "created_at"],
    },
    add: {
      op: ops.filesAdd,
      args: [post],
      done: "Added to post {id}.",
      examples: ["wcs posts files add 12 --file plan.pdf"],
    },
    delete: {
      op: ops.fileDelete,
      args: [post, { field: "file" }],
      confirm: { ask: "Delete file {file} of post {id}?" },
      done: "Deleted file {file} of post {id}.",
    },
    get: { ...getFile, examples: ["wcs posts files get 7", "wcs posts files get 7 -o plan.pdf"] },
  },
};

export const posts: Group = {
  summary: "News, debates and event posts, with comments and polls",
  commands: {
    list: {
      op: ops.list,
      columns: row,
      examples: ["wcs posts list --unseen", "wcs posts list --status scheduled", "wcs posts list --all -o ndjson"],
    },
    get: {
      op: ops.get,
      args: [id],
      columns: row,
      form: postForm,
      examples: ["wcs posts get 12", "wcs posts get 12 --json"],
    },
    create: {
      op: ops.create,
      ...composed,
      form: postForm,
      written: { field: "body", file: "post.md" },
      examples: [
        "wcs posts create --content-type news --title 'New canteen' --body @canteen.md --visibility-all-units",
        "wcs posts create --content-type news --title Lunch --body - --poll-question 'What is for lunch?' --choice Fish --choice Soup",
        "wcs posts create --content-type debate --group 3 --title 'Where to sail' --file map.pdf",
      ],
    },
    update: {
      op: ops.update,
      ...composed,
      args: [id],
      written: { field: "body", file: "post.md", from: ops.get },
      done: "Changed post {id}.",
      examples: [
        "wcs posts update 12 --edit",
        "wcs posts update 12 --publish-publish-on 'tomorrow 8:00' --important",
        "wcs posts update 12 --unset pinned",
      ],
    },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete post {title}, with its comments and files?", about: ops.get },
      done: "Deleted post {id}.",
    },
    seen: mark(ops.seen, "Marked post {id} as seen."),
    read: mark(ops.read, "Confirmed that you have read post {id}."),
    like: mark(ops.like, "Liked post {id}."),
    unlike: mark(ops.unlike, "Post {id} is not liked by you."),
    bookmark: mark(ops.bookmark, "Bookmarked post {id}."),
    unbookmark: mark(ops.unbookmark, "Post {id} has no bookmark of yours."),
    republish: {
      op: ops.republish,
      args: [id],
      confirm: { ask: "Publish post {title} anew, unseen by all?", about: ops.get },
      done: "Published post {id} anew.",
    },
    vote: {
      op: ops.vote,
      args: [id, { field: "choices", label: "choice", many: true, optional: true }],
      form: pollForm,
      examples: ["wcs posts vote 12 31", "wcs posts vote 12 31 33", "wcs posts vote 12 --title 'None of these'"],
    },
    votes: { op: ops.votes, args: [id], columns: ["user.id", "user.name", "choices"] },
    accept: {
      op: ops.participate,
      summary: "Accept the invitation of an event post",
      args: [id],
      hidden: ["answer"],
      fill: (input) => ({ ...input, answer: "accepted" }),
      done: "Accepted.",
    },
    decline: {
      op: ops.participate,
      summary: "Decline the invitation of an event post",
      args: [id],
      hidden: ["answer"],
      fill: (input) => ({ ...input, answer: "rejected" }),
      done: "Declined.",
    },
    withdraw: { op: ops.unparticipate, args: [id], done: "Took your answer to post {id} back." },
    comments,
    files,
  },
};
