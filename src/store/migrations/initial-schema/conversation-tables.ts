import { columns, table } from "../../schema/table.ts";

const { id, text, key, number, integer, timestamps } = columns;

export const conversationTables = {
  conversations: table({
    id,
    type: key.as<"direct" | "group">(),
    title: text.default(""),
    /** The case-folded words of the title, each after a space. */
    title_key: key.default(""),
    /** Identifies the set of participants: equal exactly when they are the same users. */
    people_key: key,
    /** Position of the latest message. A transaction that raises it holds the lock of this row. */
    last_position: number.default(0),
    ...timestamps,
  })
    .index("conversations_people", ["people_key", "type", "id"])
    .index("conversations_direct", ["people_key"], "type = 'direct'", "unique index"),

  /** Participants and their view of the conversation. Positions are positions of messages. */
  conversation_participants: table({
    conversation_id: number.references("conversations (id)"),
    user_id: number.references("users (id)"),
    role: text.as<"member" | "administrator">().default("member"),
    joined_position: number,
    /** Position up to which the participant has seen messages. */
    seen_position: number,
    /** Position up to which the participant has deleted the conversation. */
    cleared_position: number.default(0),
    /** Number of messages after `seen_position`, without the participant's own, deleted and service messages. */
    unread_count: integer.default(0),
    /** Sort key of the participant's list; null while there is nothing to show. */
    latest_message_id: number.orNull,
    archived_at: number.orNull,
    /** ID of the mute rule, and its end; without an end, `muted_until` is null. */
    mute_rule: integer.orNull,
    muted_until: number.orNull,
  })
    .clusteredBy("conversation_id", "user_id")
    .index("conversation_participants_user", ["user_id", "conversation_id"])
    .index(
      "conversation_participants_normal",
      ["user_id", "latest_message_id"],
      "archived_at is null and latest_message_id is not null",
    )
    .index(
      "conversation_participants_archived",
      ["user_id", "latest_message_id"],
      "archived_at is not null and latest_message_id is not null",
    )
    .index("conversation_participants_unread", ["user_id", "latest_message_id"], "unread_count > 0"),

  messages: table({
    id,
    conversation_id: number.references("conversations (id)"),
    /** 1, 2, 3 ... in each conversation, in the order in which the messages became visible. */
    position: number,
    type: text.as<"normal" | "service">(),
    author_id: number,
    parent_id: number.orNull.references("messages (id)"),
    message: text,
    /** JSON of a service message: event, users (IDs), title. */
    meta: text.orNull,
    created_at: number,
    edited_at: number.orNull,
    deleted_at: number.orNull,
  })
    .unique("conversation_id", "position")
    .index("messages_author", ["author_id", "id"]),

  message_reactions: table({
    message_id: number.references("messages (id)"),
    user_id: number.references("users (id)"),
    emoji: key,
    created_at: number,
  })
    .clusteredBy("message_id", "user_id", "emoji")
    .index("message_reactions_user", ["user_id", "message_id"]),
};

/** Index of the words in messages; see `message-words.ts`. FTS5 splits them at spaces only. */
export const wordIndex = (postgres: boolean): string[] =>
  postgres
    ? [
        "create table message_words (message_id bigint primary key, position bigint not null, words tsvector not null)",
        "create index message_words_words on message_words using gin (words)",
      ]
    : [
        `create virtual table message_words using fts5 (
          words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
        )`,
      ];
