import type { Kysely } from "kysely";
import { columnTypes, statements } from "../dialect.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  await groupsAndAudiences(db);
  await files(db);
  await posts(db);
  await polls(db);
  await events(db);
}

async function groupsAndAudiences(db: Kysely<unknown>): Promise<void> {
  const { id, key, number } = columnTypes(db);
  await statements(
    db,
    `create table groups (
      id ${id},
      name text not null,
      name_key ${key} not null,
      description text not null default '',
      privacy text not null default 'public',
      author_id ${number} not null,
      member_count integer not null default 0,
      created_at ${number} not null,
      updated_at ${number} not null
    )`,
    "create index groups_name on groups (name_key, id)",
    `create table group_members (
      group_id ${number} not null references groups (id) on delete cascade,
      user_id ${number} not null references users (id) on delete cascade,
      role text not null default 'member',
      created_at ${number} not null,
      primary key (group_id, user_id)
    )`,
    "create index group_members_user on group_members (user_id, group_id)",
    "create index group_members_role on group_members (group_id, role, created_at, user_id)",

    // Deleting a unit deletes its row, which only leaves fewer readers. Without its last user type a post would get more.
    `create table audiences (
      id ${id},
      kind ${key} not null default 'post',
      author_id ${number} not null,
      owner_unit_id ${number} references units (id),
      everywhere integer not null default 0,
      personal integer not null default 0,
      group_id ${number} references groups (id)
    )`,
    "create index audiences_author on audiences (author_id, kind)",
    "create index audiences_owner on audiences (owner_unit_id, kind)",
    "create index audiences_group on audiences (group_id) where group_id is not null",
    `create table audience_units (
      audience_id ${number} not null references audiences (id) on delete cascade,
      unit_id ${number} not null references units (id) on delete cascade,
      falldown integer not null default 0,
      kind ${key} not null default 'post',
      primary key (audience_id, unit_id)
    )`,
    "create index audience_units_unit on audience_units (unit_id, kind, falldown, audience_id)",
    `create table audience_user_types (
      audience_id ${number} not null references audiences (id) on delete cascade,
      user_type_id ${number} not null references user_types (id),
      primary key (audience_id, user_type_id)
    )`,
    "create index audience_user_types_type on audience_user_types (user_type_id)",
    `create table audience_shares (
      audience_id ${number} not null references audiences (id) on delete cascade,
      user_id ${number} not null references users (id) on delete cascade,
      primary key (audience_id, user_id)
    )`,
    "create index audience_shares_user on audience_shares (user_id)",

    `create table counter_marks (
      user_id ${number} not null references users (id) on delete cascade,
      counter ${key} not null,
      since ${number} not null,
      primary key (user_id, counter)
    )`,
  );
}

async function files(db: Kysely<unknown>): Promise<void> {
  const { id, key, number, bytes } = columnTypes(db);
  await statements(
    db,
    `create table file_contents (sha256 ${key} primary key, size ${number} not null)`,
    `create table file_chunks (
      sha256 ${key} not null references file_contents (sha256) on delete cascade,
      number integer not null,
      bytes ${bytes} not null,
      primary key (sha256, number)
    )`,
    `create table files (
      id ${id},
      owner ${key} not null,
      owner_id ${number} not null,
      type text not null,
      name text not null,
      extension text not null,
      mime text not null,
      size ${number} not null,
      width integer,
      height integer,
      source text,
      sha256 ${key} references file_contents (sha256),
      created_at ${number} not null,
      updated_at ${number} not null
    )`,
    "create index files_owner on files (owner, owner_id, id)",
    "create index files_content on files (sha256) where sha256 is not null",
  );
}

async function posts(db: Kysely<unknown>): Promise<void> {
  const { id, key, number } = columnTypes(db);
  await statements(
    db,
    `create table posts (
      id ${id},
      audience_id ${number} not null references audiences (id),
      content_type ${key} not null,
      title text not null,
      body text not null default '',
      show_in_feed integer not null default 1,
      important integer not null default 0,
      actively_requires_action integer not null default 0,
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
    )`,
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
      primary key (post_id, user_id)
    )`,
    "create index post_marks_user on post_marks (user_id, post_id)",
    "create index post_marks_bookmarked on post_marks (user_id, post_id) where bookmarked_at is not null",
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
    "create index comments_parent on comments (parent_id, id) where parent_id is not null",
    `create table post_mentions (
      post_id ${number} not null references posts (id) on delete cascade,
      comment_id ${number} references comments (id) on delete cascade,
      user_id ${number} not null references users (id) on delete cascade,
      seen integer not null default 0
    )`,
    "create index post_mentions_post on post_mentions (post_id, user_id)",
    "create index post_mentions_comment on post_mentions (comment_id) where comment_id is not null",
    "create index post_mentions_user on post_mentions (user_id, post_id) where seen = 0",
  );
}

async function polls(db: Kysely<unknown>): Promise<void> {
  const { id, number } = columnTypes(db);
  await statements(
    db,
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
    )`,
    "create index poll_votes_choice on poll_votes (choice_id)",
  );
}

async function events(db: Kysely<unknown>): Promise<void> {
  const { id, key, number } = columnTypes(db);
  await statements(
    db,
    `create table events (
      id ${id},
      audience_id ${number} not null references audiences (id),
      type ${key} not null,
      title text not null,
      body text not null default '',
      location text,
      link text not null default '',
      all_day integer not null default 0,
      date text,
      start_at ${number} not null,
      end_at ${number} not null,
      last_at ${number} not null,
      recurrence text not null default '[]',
      timezone text not null,
      uid ${key} not null,
      file_count integer not null default 0,
      accepted_count integer not null default 0,
      rejected_count integer not null default 0,
      created_at ${number} not null,
      updated_at ${number} not null,
      deleted_at ${number}
    )`,
    "create index events_audience on events (audience_id, type, start_at, end_at, last_at) where deleted_at is null",
    "create index events_uid on events (uid)",
    "create index events_start on events (start_at, id) where deleted_at is null",
    "create index events_type on events (type, start_at, id) where deleted_at is null",
    `create table event_dates (
      event_id ${number} not null references events (id) on delete cascade,
      start_at ${number} not null,
      end_at ${number} not null,
      day text,
      span integer not null,
      primary key (event_id, start_at)
    )`,
    "create index event_dates_start on event_dates (start_at, event_id)",
    "create index event_dates_span on event_dates (span, start_at, end_at, event_id)",
    `create table event_marks (
      event_id ${number} not null references events (id) on delete cascade,
      user_id ${number} not null references users (id) on delete cascade,
      seen_at ${number},
      answer text,
      answered_at ${number},
      primary key (event_id, user_id)
    )`,
    "create index event_marks_user on event_marks (user_id, event_id)",
  );
}
