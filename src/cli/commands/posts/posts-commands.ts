import { posts as ops } from "../../../contract/posts.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { askAbout, type CommandGroup, type Commands, type Context, command } from "../../kit/command-spec.ts";
import type { Input } from "../../kit/read-input.ts";
import { timesIn } from "../../output/format-value.ts";
import { fileCommands } from "../files/file-list-commands.ts";
import { muting } from "../mute-flag.ts";

const id = { field: "id" } as const;
const postForm = async () => (await import("./render-post.ts")).postForm;
const pollForm = async () => (await import("./render-poll.ts")).pollForm;
const commentForm = async () => (await import("./render-comments.ts")).commentForm;
const columns = [
  "id",
  "publish.published_at",
  "content_type",
  "title",
  "author.name",
  "seen_by_user",
  "important",
] as const;

function scheduleNote(time: number | null | undefined, zone: string | undefined): string {
  if (typeof time !== "number" || time * 1000 <= Date.now()) return "";
  return ` It will be published at ${timesIn(zone).short(time)}.`;
}

const composed = {
  ahead: { "publish.publish_on": null, "publish.unpublish_on": null, "pinned.until": null, "poll.close_at": null },
  flagNames: {
    "publish.publish_on": "publish-on",
    "publish.unpublish_on": "unpublish-on",
    "sharing.shares": "share-with",
  },
  complete: async (input: Input, flags: Context["flags"]) =>
    (await import("./complete-post.ts")).completePost(input, flags),
} as const;
const choice = {
  flags: "--choice <text>",
  field: "poll.choices",
  description: "Add a choice to the poll; can be repeated",
  repeat: true,
} as const;
const repeat = {
  flags: "--repeat <phrase>",
  field: "event.repeat_rules",
  description: "Repeat the event (for example 'every tuesday until 2026-12-31'), or never",
} as const;

const comments: CommandGroup = {
  summary: "Manage comments on posts and their replies",
  commands: {
    list: command(ops.commentList, {
      items: "comments",
      columns: ["id", "created_at", "author.name", "parent_id", "body"],
      renderer: commentForm,
      examples: ["wcs posts comments list 12 --all", "wcs posts comments list 12 --parent-id 31"],
    }),
    add: command(ops.commentAdd, {
      args: [id, { field: "body", label: "text", many: true, optional: true, flag: true }],
      written: { field: "body", file: "comment.md" },
      renderer: commentForm,
      examples: [
        "wcs posts comments add 12 'Well said'",
        "wcs posts comments add 12 --parent-id 31 --body @reply.md --mentions ann@example.com",
      ],
    }),
    delete: command(ops.commentDelete, {
      confirm: askAbout(ops.get, ({ title }, { comment }) => `Delete comment ${comment} on post ${title}?`),
      done: ({ comment }) => `Deleted comment ${comment}.`,
    }),
  },
};

const files = fileCommands("post", { get: ops.get, add: ops.filesAdd, delete: ops.fileDelete });

export const posts: Commands = {
  list: command(ops.list, {
    columns,
    renderer: async () => (await import("./render-post.ts")).postList,
    examples: [
      "wcs posts list --unseen",
      "wcs posts list --content-type debate --author me --since -30d",
      "wcs posts list --status scheduled",
      "wcs posts list --all -o ndjson | jq -r .title",
    ],
  }),
  get: command(ops.get, { renderer: postForm, examples: ["wcs posts get 12", "wcs posts get 12 --json"] }),
  create: command(ops.create, {
    ...composed,
    flags: [choice, repeat],
    written: { field: "body", file: "post.md" },
    wizard: { ask: async (run) => (await import("./ask-for-readers.ts")).askForReaders(run) },
    renderer: postForm,
    examples: [
      "wcs posts create --content-type news --title 'New canteen' --body @canteen.md --file menu.pdf",
      "wcs posts create --content-type news --title 'Tomorrow' --body - --publish-on 'tomorrow 8:00' < news.md",
      "wcs posts create --content-type debate --title Lunch --group 4 --poll-question 'Where?' --choice Canteen --choice Park",
      "wcs posts create --content-type event --title Party --event-datetime-start 'friday 18:00' --event-participation-enabled",
    ],
  }),
  update: command(ops.update, {
    ...composed,
    flags: [choice, repeat],
    written: { field: "body", file: "post.md", from: ops.get },
    done: ({ id, publish }, zone) => `Updated post ${id}.${scheduleNote(publish?.publish_on, zone)}`,
    examples: [
      "wcs posts update 12 --title 'Old canteen' --important",
      "wcs posts update 12 --edit",
      "wcs posts update 12 --pinned-show-in-main-feed --pinned-until +7d",
      "wcs posts update 12 --unset pinned,unpublish-on",
    ],
  }),
  delete: command(ops.delete, {
    args: [{ ...id, many: true }],
    confirm: askAbout(ops.get, ({ title }) => `Delete post ${title} with its comments, votes and files?`),
    done: ({ id }) => `Deleted post ${id}.`,
  }),
  seen: command(ops.seen, { args: [{ ...id, many: true }], done: ({ id }) => `Marked post ${id} as seen.` }),
  read: command(ops.read, { args: [{ ...id, many: true }], done: ({ id }) => `Confirmed that you read post ${id}.` }),
  like: command(ops.like, { done: ({ id }) => `Liked post ${id}.` }),
  unlike: command(ops.unlike, { done: ({ id }) => `Removed your like from post ${id}.` }),
  bookmark: command(ops.bookmark, { done: ({ id }) => `Bookmarked post ${id}.` }),
  unbookmark: command(ops.unbookmark, { done: ({ id }) => `Removed the bookmark from post ${id}.` }),
  mute: command(ops.mute, {
    ...muting,
    done: ({ id }) => `Muted post ${id}.`,
    examples: ["wcs posts mute 12", "wcs posts mute 12 --for 1w"],
  }),
  unmute: command(ops.unmute, { done: ({ id }) => `Unmuted post ${id}.` }),
  republish: command(ops.republish, {
    repeats: true,
    confirm: askAbout(ops.get, ({ title }) => `Publish post ${title} again and mark it as unseen for everybody?`),
    done: ({ id }) => `Published post ${id} again.`,
  }),
  vote: command(ops.vote, {
    description: "Replaces your earlier vote.",
    args: [id, { field: "choices", label: "choice", many: true, optional: true }],
    flags: [{ flags: "--withdraw", field: "choices", description: "Withdraw your vote" }],
    complete: (input, { withdraw, data }) => {
      const { choices, title } = input;
      if (withdraw && (choices ?? title) !== undefined)
        throw new UsageError("--withdraw and <choice> cannot be used together");
      // The service withdraws the vote when there is no choice, which is not intended when the choice was forgotten.
      // A choice that is no ID is in the input as undefined, and has an issue of its own.
      const isEmpty = data === undefined && Array.isArray(choices) && choices.length === 0;
      if (!withdraw && (isEmpty || !("choices" in input)) && title === undefined) {
        throw new UsageError("missing <choice>", { hint: "pass the text or ID of a choice, or --withdraw" });
      }
      return withdraw ? { ...input, choices: [] } : input;
    },
    renderer: pollForm,
    examples: ["wcs posts vote 12 31", "wcs posts vote 12 Canteen", "wcs posts vote 12 --withdraw"],
  }),
  votes: command(ops.votes, {
    items: "votes",
    columns: ["user.id", "user.name", "user.unit.name", "titles"],
    examples: ["wcs posts votes 12 --all"],
  }),
  readers: command(ops.readers, {
    items: "readers",
    columns: ["user.id", "user.name", "user.unit.name", "seen_at", "read_at"],
    examples: ["wcs posts readers 12 --status unconfirmed", "wcs posts readers 12 --all -o csv"],
  }),
  participants: command(ops.participants, {
    items: "participants",
    columns: ["user.id", "user.name", "user.title", "user.unit.name", "answer"],
    examples: ["wcs posts participants 12 --answer accepted --all", "wcs posts participants 12 --answer none -o csv"],
  }),
  accept: command(ops.participate, {
    summary: "Accept the invitation to the event of a post",
    hidden: ["answer"],
    complete: (input) => ({ ...input, answer: "accepted" }),
    done: ({ id }) => `Accepted the invitation to the event of post ${id}.`,
  }),
  decline: command(ops.participate, {
    summary: "Decline the invitation to the event of a post",
    hidden: ["answer"],
    complete: (input) => ({ ...input, answer: "rejected" }),
    done: ({ id }) => `Declined the invitation to the event of post ${id}.`,
  }),
  withdraw: command(ops.unparticipate, { done: ({ id }) => `Withdrew your answer to post ${id}.` }),
  comments,
  files,
};
