import { roles } from "../../contract/conversation-forms.ts";
import { conversations as ops } from "../../contract/conversations.ts";
import type { Group, OwnArgument, OwnFlag } from "../tree.ts";

const id = { field: "id", completes: "conversations" } as const;
const message = { field: "messageId", label: "message", completes: "messages" } as const;
const conversationForm = async () => (await import("../conversations/conversation-form.ts")).conversationForm;
const messageForm = async () => (await import("../conversations/message-form.ts")).messageForm();

const conversationArgument: OwnArgument = { name: "id", completes: "conversations" };
const textArgument: OwnArgument = {
  name: "text",
  optional: true,
  many: true,
  description: "The message; - or a pipe: from stdin; nothing: written in $VISUAL or $EDITOR",
};
const dryRun: OwnFlag = { flags: "-n, --dry-run", description: "Check everything, change nothing" };
const extent: readonly OwnFlag[] = [
  { flags: "--limit <n>", description: "At most so many items in all" },
  { flags: "--all", description: "All items, page by page" },
];
const naming = "Users are named by ID, me, full name or, where you may see it, e-mail address.";

const participants: Group = {
  summary: "Who is in a conversation",
  commands: {
    list: {
      op: { ...ops.get, list: { items: "participants" } },
      summary: "Participants of a conversation, in the order in which they joined",
      args: [id],
      columns: ["id", "name", "role", "title", "unit.name", "active"],
      examples: ["wcs conversations participants list 5"],
    },
    add: {
      op: ops.participantAdd,
      args: [id, { field: "users", label: "user", many: true, completes: "users" }],
      people: ["users"],
      form: conversationForm,
      examples: ["wcs conversations participants add 5 12 13", "wcs conversations participants add 5 ann@example.com"],
    },
    remove: {
      op: ops.participantRemove,
      args: [id, { field: "user", completes: "users" }],
      people: ["user"],
      confirm: { ask: "Remove user {user} from conversation {id}?" },
      done: "Removed user {user} from conversation {id}.",
      examples: ["wcs conversations participants remove 5 12", "wcs conversations participants remove 5 me --yes"],
    },
    role: {
      op: ops.participantUpdate,
      args: [id, { field: "user", completes: "users" }, { field: "role", completes: roles }],
      people: ["user"],
      examples: ["wcs conversations participants role 5 12 administrator"],
    },
  },
};

const oneMessage: Group = {
  summary: "One message",
  commands: {
    get: { op: ops.message, args: [id, message], form: messageForm, examples: ["wcs conversations message get 5 124"] },
    edit: {
      summary: ops.messageUpdate.summary,
      description: "The editor begins with the present text.",
      args: [conversationArgument, { name: "message", completes: "messages" }, textArgument],
      flags: [dryRun],
      examples: ["wcs conversations message edit 5 124 We meet at ten", "wcs conversations message edit 5 124"],
      prints: true,
      run: async (context) => (await import("../conversations/send.ts")).editMessage(context),
    },
    delete: {
      op: ops.messageDelete,
      args: [id, message],
      confirm: { ask: "Delete message {messageId} for everybody?" },
      done: "Deleted message {messageId}.",
      examples: ["wcs conversations message delete 5 124"],
    },
  },
};

export const conversations: Group = {
  summary: "Direct and group conversations, and their messages",
  commands: {
    list: {
      summary: ops.list.summary,
      description: `--with finds the conversation with exactly these people, --without all others; you are in them anyway.\n${naming}`,
      flags: [
        {
          flags: "--status <status>",
          description: "normal (default), archived or unread",
          completes: ["normal", "archived", "unread"],
        },
        { flags: "--keyword <text>", description: "Only where words of the title or of a name begin so" },
        { flags: "--with <user,...>", description: "Only with exactly these users", repeat: true, completes: "users" },
        { flags: "--without <user,...>", description: "All but that one", repeat: true, completes: "users" },
        ...extent,
      ],
      examples: [
        "wcs conversations list --status unread",
        "wcs conversations list --with ann@example.com,12 --json",
        "wcs conversations list --keyword launch",
      ],
      prints: true,
      run: async (context) => (await import("../conversations/list.ts")).list(context),
    },
    get: { op: ops.get, args: [id], form: conversationForm, examples: ["wcs conversations get 5"] },
    create: {
      op: ops.create,
      people: ["recipients"],
      form: messageForm,
      examples: ["wcs conversations create --recipients 12,ann@example.com --message 'Shall we meet?'"],
    },
    rename: {
      op: ops.update,
      summary: "Give a group a name",
      args: [id, { field: "title", many: true, needed: true }],
      hidden: ["mute_rule"],
      form: conversationForm,
      examples: ["wcs conversations rename 5 Launch team", "wcs conversations rename 5 ''"],
    },
    update: {
      op: ops.update,
      args: [id],
      form: conversationForm,
      examples: ["wcs conversations update 5 --mute-rule 3", "wcs conversations update 5 --unset mute-rule"],
    },
    archive: {
      op: ops.archive,
      args: [id],
      done: "Archived conversation {id}.",
      examples: ["wcs conversations archive 5"],
    },
    unarchive: {
      op: ops.unarchive,
      args: [id],
      done: "Conversation {id} is no longer archived.",
      examples: ["wcs conversations unarchive 5"],
    },
    delete: {
      op: ops.delete,
      args: [id],
      confirm: { ask: "Delete conversation {id} for yourself, with all its messages?" },
      done: "Deleted conversation {id} for yourself.",
      examples: ["wcs conversations delete 5 --yes"],
    },
    seen: {
      op: ops.seen,
      args: [id],
      done: "All messages of conversation {id} are seen.",
      examples: ["wcs conversations seen 5"],
    },
    participants,
    messages: {
      summary: ops.messages.summary,
      description: "A reply quotes what it replies to. --all shows them as they come, without a pager.",
      args: [conversationArgument],
      flags: [
        { flags: "--around <message>", description: "Messages before and after this one", completes: "messages" },
        { flags: "--cursor <text>", description: "Goes on where meta.next_cursor or prev_cursor of --raw says" },
        ...extent,
      ],
      examples: [
        "wcs conversations messages 5",
        "wcs conversations messages 5 --around 124 --limit 9",
        "wcs conversations messages 5 --all -o ndjson | jq -r .message",
      ],
      prints: true,
      run: async (context) => (await import("../conversations/messages.ts")).messages(context),
    },
    message: oneMessage,
    send: {
      summary: "Write a message in a conversation, or to people",
      description: `--to writes to people, in the conversation with exactly them, or in a new one.\n${naming}`,
      args: [{ name: "id", optional: true, completes: "conversations" }, textArgument],
      flags: [
        { flags: "--to <user,...>", description: "Write to these users", repeat: true, completes: "users" },
        { flags: "--reply-to <message>", description: "The message that this one replies to", completes: "messages" },
        {
          flags: "--file <path>",
          description: "Attach this file, or the video at this URL; again for more",
          repeat: true,
          completes: "file",
        },
        dryRun,
      ],
      examples: [
        "wcs conversations send 5 See you at ten",
        "wcs conversations send --to ann@example.com,12 'Shall we meet?'",
        "git log -1 | wcs conversations send 5 --file build.log",
        "wcs conversations send 5 --reply-to 124",
      ],
      prints: true,
      run: async (context) => (await import("../conversations/send.ts")).send(context),
    },
    react: {
      op: ops.react,
      args: [id, message, { field: "emoji" }],
      form: messageForm,
      examples: ["wcs conversations react 5 124 👍"],
    },
    unreact: {
      op: ops.unreact,
      args: [id, message, { field: "emoji" }],
      done: "Took back {emoji}.",
      examples: ["wcs conversations unreact 5 124 👍"],
    },
    search: {
      summary: "Find messages by their words",
      description:
        "In one conversation, or in all, the one with the latest message first. The last word may be the beginning of one.\nAccents and case do not matter.",
      args: [{ name: "words", many: true }],
      flags: [{ flags: "--conversation <id>", description: "Only in this one", completes: "conversations" }, ...extent],
      examples: ["wcs conversations search budget 2027", "wcs conversations search budget --conversation 5 --all"],
      prints: true,
      run: async (context) => (await import("../conversations/search.ts")).search(context),
    },
    follow: {
      summary: "Show the last messages, and new ones as they come",
      description: "Oldest first, until Ctrl-C. While the service is away it waits.",
      args: [conversationArgument],
      flags: [{ flags: "--last <n>", description: "How many of those that are there (default 10)" }],
      examples: ["wcs conversations follow 5", "wcs conversations follow 5 --last 0 -o ndjson | jq -r .message"],
      prints: true,
      run: async (context) => (await import("../conversations/follow.ts")).follow(context),
    },
    export: {
      summary: "Write all messages of a conversation, oldest first",
      description:
        "To a file, which is there when it is whole, or to stdout. Text has times in the zone of --tz, else of this machine.",
      args: [conversationArgument],
      flags: [
        { flags: "-o, --output <path>", description: "File to write to, - for stdout (default)", completes: "file" },
        {
          flags: "--format <format>",
          description: "ndjson or text; else what the name of the file says, else ndjson",
          completes: ["ndjson", "text"],
        },
      ],
      examples: ["wcs conversations export 5 -o launch.ndjson", "wcs conversations export 5 --format text | less"],
      run: async (context) => (await import("../conversations/export.ts")).exportMessages(context),
    },
  },
};
