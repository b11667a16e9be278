import type { ColumnTypes } from "../../dialect.ts";

export const postTables = (types: ColumnTypes): string[] => [
  ...feedTables(types),
  ...commentTables(types),
  ...pollTables(types),
];

const feedTables = ({ id, key, number, clustered }: ColumnTypes) => [
  `create table posts (
    id ${id},
    audience_id ${number} not null references audiences (id),
    content_type ${key} not null,
    title text not null,
    title_key ${key} not null default '',
    body text not null default '',
    show_in_feed integer not null default 1,
    important integer not null default 0,
    comments_enabled integer not null default 1,
    confirm_enabled integer not null default 0,
    draft integer not null default 0,
    publish_on ${number},
    unpublish_on ${number},
    published_at ${number},
    listed_at ${number} not null,
    pinned_main_feed integer,
    pinned_until ${number},
    event text,
    reader_count ${number},
    comment_count ${number} not null default 0,
    reply_count ${number} not null default 0,
    like_count ${number} not null default 0,
    read_count ${number} not null default 0,
    accepted_count ${number} not null default 0,
    rejected_count ${number} not null default 0,
    created_at ${number} not null,
    updated_at ${number} not null,
    deleted_at ${number}
  )`,
  "create index posts_title on posts (title_key, id) where deleted_at is null",
  "create index posts_listed on posts (listed_at, id) where deleted_at is null",
  "create index posts_updated on posts (updated_at, id) where deleted_at is null",
  "create index posts_drafts on posts (listed_at, id) where draft = 1 and deleted_at is null",
  "create index posts_ending on posts (listed_at, id) where unpublish_on is not null and deleted_at is null",
  "create index posts_important on posts (listed_at, id) where important = 1 and deleted_at is null",
  "create index posts_pinned on posts (listed_at, id) where pinned_main_feed is not null and deleted_at is null",
  "create index posts_audience on posts (audience_id)",
  // Index of the feeds in which readers find posts.
  `create table post_places (
    place ${key} not null,
    post_id ${number} not null references posts (id) on delete cascade,
    listed_at ${number} not null,
    updated_at ${number} not null,
    primary key (post_id, place)
  )${clustered}`,
  "create index post_places_listed on post_places (place, listed_at, post_id)",
  "create index post_places_updated on post_places (place, updated_at, post_id)",
  `create table post_marks (
    post_id ${number} not null references posts (id) on delete cascade,
    user_id ${number} not null references users (id) on delete cascade,
    seen_at ${number},
    liked_at ${number},
    read_at ${number},
    bookmarked_at ${number},
    answer text,
    mute_rule integer,
    muted_until ${number},
    primary key (post_id, user_id)
  )${clustered}`,
  "create index post_marks_user on post_marks (user_id, post_id)",
  "create index post_marks_bookmarked on post_marks (user_id, post_id) where bookmarked_at is not null",
];

const commentTables = ({ id, number }: ColumnTypes) => [
  `create table comments (
    id ${id},
    post_id ${number} not null references posts (id) on delete cascade,
    parent_id ${number} references comments (id) on delete cascade,
    author_id ${number} not null,
    body text not null,
    reply_count ${number} not null default 0,
    created_at ${number} not null,
    deleted_at ${number}
  )`,
  "create index comments_post on comments (post_id, id)",
  "create index comments_author on comments (author_id, id)",
  "create index comments_parent on comments (parent_id, id) where parent_id is not null",
  `create table post_mentions (
    post_id ${number} not null references posts (id) on delete cascade,
    comment_id ${number} references comments (id) on delete cascade,
    user_id ${number} not null references users (id) on delete cascade,
    seen integer not null default 0
  )`,
  "create index post_mentions_post on post_mentions (post_id, user_id)",
  "create index post_mentions_comment on post_mentions (comment_id) where comment_id is not null",
  "create index post_mentions_user on post_mentions (user_id, seen, post_id)",
];

const pollTables = ({ id, number, clustered }: ColumnTypes) => [
  `create table polls (
    id ${id},
    post_id ${number} not null unique references posts (id) on delete cascade,
    question text not null,
    type text not null,
    close_at ${number},
    allow_user_choices integer not null default 0,
    anonymous integer not null default 0,
    mandatory integer not null default 0
  )`,
  `create table poll_choices (
    id ${id},
    poll_id ${number} not null references polls (id) on delete cascade,
    title text not null,
    position integer not null,
    vote_count integer not null default 0
  )`,
  "create index poll_choices_poll on poll_choices (poll_id, position, id)",
  `create table poll_votes (
    poll_id ${number} not null references polls (id) on delete cascade,
    user_id ${number} not null references users (id) on delete cascade,
    choice_id ${number} not null references poll_choices (id) on delete cascade,
    primary key (poll_id, user_id, choice_id)
  )${clustered}`,
  "create index poll_votes_choice on poll_votes (choice_id)",
  "create index poll_votes_user on poll_votes (user_id, poll_id)",
];
