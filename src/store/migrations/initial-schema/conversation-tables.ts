import type { ColumnTypes } from "../../dialect.ts";

export const conversationTables = ({ id, key, number, clustered }: ColumnTypes): string[] => [
  `create table conversations (
    id ${id},
    type ${key} not null,
    title text not null default '',
    title_key ${key} not null default '',
    people_key ${key} not null,
    last_position ${number} not null default 0,
    created_at ${number} not null,
    updated_at ${number} not null
  )`,
  "create index conversations_people on conversations (people_key, type, id)",
  "create unique index conversations_direct on conversations (people_key) where type = 'direct'",

  `create table conversation_participants (
    conversation_id ${number} not null references conversations (id),
    user_id ${number} not null references users (id),
    role text not null default 'member',
    joined_position ${number} not null,
    seen_position ${number} not null,
    cleared_position ${number} not null default 0,
    unread_count integer not null default 0,
    latest_message_id ${number},
    archived_at ${number},
    mute_rule integer,
    muted_until ${number},
    primary key (conversation_id, user_id)
  )${clustered}`,
  "create index conversation_participants_user on conversation_participants (user_id, conversation_id)",
  `create index conversation_participants_normal on conversation_participants (user_id, latest_message_id)
    where archived_at is null and latest_message_id is not null`,
  `create index conversation_participants_archived on conversation_participants (user_id, latest_message_id)
    where archived_at is not null and latest_message_id is not null`,
  `create index conversation_participants_unread on conversation_participants (user_id, latest_message_id)
    where unread_count > 0`,

  `create table messages (
    id ${id},
    conversation_id ${number} not null references conversations (id),
    position ${number} not null,
    type text not null,
    author_id ${number} not null,
    parent_id ${number} references messages (id),
    message text not null,
    meta text,
    created_at ${number} not null,
    edited_at ${number},
    deleted_at ${number},
    unique (conversation_id, position)
  )`,
  "create index messages_author on messages (author_id, id)",
  `create table message_reactions (
    message_id ${number} not null references messages (id),
    user_id ${number} not null references users (id),
    emoji ${key} not null,
    created_at ${number} not null,
    primary key (message_id, user_id, emoji)
  )${clustered}`,
  "create index message_reactions_user on message_reactions (user_id, message_id)",
];

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
