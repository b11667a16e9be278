import { roles } from "../../../contract/conversation-schemas.ts";
import { conversations as ops } from "../../../contract/conversations.ts";
import type { ItemOf } from "../../../contract/operation.ts";
import { idempotencyFlag, selectingFlags } from "../../kit/build-command.ts";
import {
  askAbout,
  type CommandArgument,
  type CommandFlag,
  type CommandGroup,
  type Commands,
  command,
  dryRunFlag,
  listOf,
} from "../../kit/command-spec.ts";
import { muteRuleFlag, muting } from "../mute-flag.ts";

const id = { field: "id" } as const;
const message = { field: "messageId", label: "message", completes: "messages" } as const;
const conversationForm = async () => (await import("./render-conversation.ts")).conversationForm;
const messageForm = async () => (await import("./render-message.ts")).messageForm();

const conversationArgument: CommandArgument = {
  name: "id",
  optional: true,
  description: "Conversation, by title or ID; asked for on a terminal",
  completes: "conversations",
};
const textArgument: CommandArgument = {
  name: "text",
  optional: true,
  many: true,
  description: "Text of the message; - or a pipe reads stdin; without it, $VISUAL or $EDITOR opens",
};
const extent: readonly CommandFlag[] = [
  { flags: "--limit <n>", description: "Maximum number of items (default 25)" },
  { flags: "--all", description: "Fetch all pages" },
];
const naming = "Users are given by ID, me, reference, full name or, where you can see it, e-mail address.";

function titleOf({ title, participants }: ItemOf<typeof ops.get>): string {
  const names = participants.slice(0, 3).map(({ name }) => name);
  return title || `of ${names.join(", ")}`;
}

const participants: CommandGroup = {
  summary: "Manage the participants of a conversation",
  commands: {
    list: command(listOf(ops.get, "participants"), {
      items: "participants",
      summary: "List the participants of a conversation in the order in which they joined",
      description: "You must be a participant.",
      columns: ["id", "name", "role", "title", "unit.name", "active"],
      examples: ["wcs conversations participants list 5"],
    }),
    add: command(ops.participantAdd, {
      args: [id, { field: "users", label: "user", many: true }],
      renderer: conversationForm,
      examples: ["wcs conversations participants add 5 12 13", "wcs conversations participants add 5 ann@example.com"],
    }),
    remove: command(ops.participantRemove, {
      confirm: askAbout(ops.get, (conversation, { user }) => {
        const { name } = conversation.participants.find(({ id }) => id === user) ?? { name: `user ${user}` };
        return `Remove ${name} from conversation ${titleOf(conversation)}?`;
      }),
      reversible: true,
      done: ({ user, id }) => `Removed user ${user} from conversation ${id}.`,
      examples: ["wcs conversations participants remove 5 12", "wcs conversations participants remove 5 me --yes"],
    }),
    role: command(ops.participantUpdate, {
      args: [id, { field: "user" }, { field: "role", completes: roles }],
      examples: ["wcs conversations participants role 5 12 administrator"],
    }),
  },
};

const oneMessage: CommandGroup = {
  summary: "Show, edit or delete a message",
  commands: {
    get: command(ops.message, {
      args: [id, message],
      renderer: messageForm,
      examples: ["wcs conversations message get 5 124"],
    }),
    edit: {
      summary: ops.messageUpdate.summary,
      description: "The editor opens with the current text.",
      args: [
        { name: "id", description: "Conversation, by title or ID", completes: "conversations" },
        { name: "message", description: "ID of the message", completes: "messages" },
        textArgument,
      ],
      flags: [dryRunFlag],
      examples: ["wcs conversations message edit 5 124 We meet at ten", "wcs conversations message edit 5 124"],
      prints: true,
      run: async (context) => (await import("./send-command.ts")).editMessage(context),
    },
    delete: command(ops.messageDelete, {
      args: [id, message],
      confirm: ({ messageId }) => `Delete message ${messageId} for everybody?`,
      done: ({ messageId }) => `Deleted message ${messageId}.`,
      examples: ["wcs conversations message delete 5 124"],
    }),
  },
};

export const conversations: Commands = {
  list: command(ops.list, {
    description: `--with finds the conversation with exactly these users, --without finds all other conversations. You need not name\nyourself.\n${naming}`,
    hidden: ["participants", "participants_mode"],
    flags: [
      {
        flags: "--with <user,...>",
        field: "participants",
        description: "Show only the conversation with exactly these users",
        repeat: true,
        completes: "users",
      },
      {
        flags: "--without <user,...>",
        field: "participants",
        description: "Hide the conversation with exactly these users",
        repeat: true,
        completes: "users",
      },
    ],
    examples: [
      "wcs conversations list --status unread",
      "wcs conversations list --with ann@example.com,12 --json",
      "wcs conversations list --keyword launch",
    ],
    columns: [
      "id",
      "type",
      "title",
      "participants.name",
      "unread_message_count",
      "latest_message.date",
      "latest_message.message",
    ],
    renderer: async (caller) => (await import("./render-conversation.ts")).conversationList(caller),
    perform: async (run) => (await import("./show-conversations.ts")).showConversations(run),
  }),
  get: command(ops.get, { renderer: conversationForm, examples: ["wcs conversations get 5"] }),
  create: command(ops.create, {
    needed: { field: "message", unless: "files" },
    renderer: messageForm,
    examples: ["wcs conversations create --recipients 12,ann@example.com --message 'Shall we meet?'"],
  }),
  rename: command(ops.update, {
    summary: "Rename a group conversation",
    description: "Only administrators of the group can change its title; a direct conversation has none.",
    args: [id, { field: "title", many: true, needed: true }],
    hidden: ["mute_rule"],
    renderer: conversationForm,
    examples: ["wcs conversations rename 5 Launch team", "wcs conversations rename 5 ''"],
  }),
  update: command(ops.update, {
    ...muteRuleFlag,
    renderer: conversationForm,
    examples: ["wcs conversations update 5 --mute-rule 8h", "wcs conversations update 5 --unset mute-rule"],
  }),
  archive: command(ops.archive, {
    args: [{ field: "id", many: true }],
    done: ({ id }) => `Archived conversation ${id}.`,
    examples: ["wcs conversations archive 5"],
  }),
  unarchive: command(ops.unarchive, {
    done: ({ id }) => `Unarchived conversation ${id}.`,
    examples: ["wcs conversations unarchive 5"],
  }),
  mute: command(ops.mute, {
    ...muting,
    done: ({ id }) => `Muted conversation ${id}.`,
    examples: ["wcs conversations mute 5", "wcs conversations mute 5 --for 8h"],
  }),
  unmute: command(ops.unmute, {
    done: ({ id }) => `Unmuted conversation ${id}.`,
    examples: ["wcs conversations unmute 5"],
  }),
  delete: command(ops.delete, {
    confirm: askAbout(ops.get, (item) => `Delete conversation ${titleOf(item)} for yourself, with all its messages?`),
    done: ({ id }) => `Deleted conversation ${id} for yourself.`,
    examples: ["wcs conversations delete 5 --yes"],
  }),
  seen: command(ops.seen, {
    args: [{ field: "id", many: true }],
    done: ({ id }) => `Marked all messages of conversation ${id} as seen.`,
    examples: ["wcs conversations seen 5"],
  }),
  participants,
  messages: {
    summary: ops.messages.summary,
    description:
      "A reply quotes the message that it answers. --all prints the messages as they arrive, without a pager.",
    args: [conversationArgument],
    flags: [
      { flags: "--around <id>", description: "Show the messages around this one", completes: "messages" },
      { flags: "--cursor <cursor>", description: "Continue at meta.next_cursor or meta.prev_cursor of --raw output" },
      ...extent,
    ],
    examples: [
      "wcs conversations messages 5",
      "wcs conversations messages 5 --around 124 --limit 9",
      "wcs conversations messages 5 --all -o ndjson | jq -r .message",
    ],
    prints: true,
    watchable: true,
    run: async (context) => (await import("./show-messages.ts")).showMessages(context),
  },
  message: oneMessage,
  send: {
    summary: "Send a message to a conversation or to users",
    description: `--to sends to users, in the conversation with exactly them, or in a new one.\n${naming}`,
    args: [
      {
        name: "id",
        description: "Conversation, by title or ID; omit it with --to",
        optional: true,
        completes: "conversations",
      },
      textArgument,
    ],
    flags: [
      { flags: "--to <user,...>", description: "Send to these users", repeat: true, completes: "users" },
      { flags: "--reply-to <id>", description: "Reply to this message", completes: "messages" },
      {
        flags: "--file <path>",
        description: "Attach this file, or the video at this URL; can be repeated",
        repeat: true,
      },
      idempotencyFlag,
      dryRunFlag,
    ],
    examples: [
      "wcs conversations send 5 See you at ten",
      "wcs conversations send --to ann@example.com,12 'Shall we meet?'",
      "git log -1 | wcs conversations send 5 --file build.log",
      "wcs conversations send 5 --reply-to 124",
    ],
    prints: true,
    run: async (context) => (await import("./send-command.ts")).sendMessage(context),
  },
  react: command(ops.react, {
    args: [id, message, { field: "emoji" }],
    renderer: messageForm,
    examples: ["wcs conversations react 5 124 👍"],
  }),
  unreact: command(ops.unreact, {
    args: [id, message, { field: "emoji" }],
    done: ({ emoji }) => `Removed reaction ${emoji}.`,
    examples: ["wcs conversations unreact 5 124 👍"],
  }),
  search: {
    summary: "Search messages",
    description:
      "Searches one conversation, or all, starting with the one with the latest message. The last word matches words that\nbegin with it. Accents and case do not matter.",
    args: [{ name: "words", description: "Words to search for", many: true }],
    flags: [
      {
        flags: "--conversation <conversation>",
        description: "Search only this conversation",
        completes: "conversations",
      },
      ...extent,
    ],
    examples: ["wcs conversations search budget 2027", "wcs conversations search budget --conversation 5 --all"],
    prints: true,
    watchable: true,
    run: async (context) => (await import("./search-messages.ts")).searchMessages(context),
  },
  follow: {
    summary: "Show the last messages, and new ones as they arrive",
    description: "Prints the oldest message first and runs until Ctrl-C. Waits while the service is unavailable.",
    args: [conversationArgument],
    flags: [{ flags: "--last <n>", description: "Number of existing messages to show first (default 10)" }],
    examples: ["wcs conversations follow 5", "wcs conversations follow 5 --last 0 -o ndjson | jq -r .message"],
    prints: true,
    run: async (context) => (await import("./follow-messages.ts")).follow(context),
  },
  export: {
    summary: "Export all messages of a conversation, oldest first",
    description:
      "Writes to stdout or to a file, which appears when it is complete. Times in the text format are in the time zone of\n--tz, else of this machine.",
    args: [conversationArgument],
    flags: [
      { flags: "-o, --output <path>", description: "File to write, replaced if it exists; - for stdout (default -)" },
      {
        flags: "--format <format>",
        description: "Write ndjson or text (default text for files named .txt or .text, else ndjson)",
        choices: ["ndjson", "text"],
      },
    ],
    examples: ["wcs conversations export 5 -o launch.ndjson", "wcs conversations export 5 --format text | less"],
    without: selectingFlags,
    run: async (context) => (await import("./export-messages.ts")).exportMessages(context),
  },
};
