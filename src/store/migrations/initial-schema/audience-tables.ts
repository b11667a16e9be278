import type { ColumnTypes } from "../../dialect.ts";

/** Groups, audiences and files, which posts and events share. */
export const audienceTables = ({ id, key, number, bytes, clustered }: ColumnTypes): string[] => [
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
  )${clustered}`,
  "create index group_members_user on group_members (user_id, group_id)",
  "create index group_members_role on group_members (group_id, role, created_at, user_id)",

  // Deleting a unit deletes its row, which only leaves fewer readers. Without its last user type a post would get more.
  `create table audiences (
    id ${id},
    author_id ${number} not null,
    owner_unit_id ${number} references units (id),
    everywhere integer not null default 0,
    personal integer not null default 0,
    group_id ${number} references groups (id)
  )`,
  "create index audiences_author on audiences (author_id)",
  "create index audiences_owner on audiences (owner_unit_id)",
  "create index audiences_group on audiences (group_id) where group_id is not null",
  `create table audience_units (
    audience_id ${number} not null references audiences (id) on delete cascade,
    unit_id ${number} not null references units (id) on delete cascade,
    falldown integer not null default 0,
    primary key (audience_id, unit_id)
  )${clustered}`,
  "create index audience_units_unit on audience_units (unit_id)",
  `create table audience_user_types (
    audience_id ${number} not null references audiences (id) on delete cascade,
    user_type_id ${number} not null references user_types (id),
    primary key (audience_id, user_type_id)
  )${clustered}`,
  "create index audience_user_types_type on audience_user_types (user_type_id)",
  `create table audience_shares (
    audience_id ${number} not null references audiences (id) on delete cascade,
    user_id ${number} not null references users (id) on delete cascade,
    primary key (audience_id, user_id)
  )${clustered}`,
  "create index audience_shares_user on audience_shares (user_id)",
  `create table counter_marks (
    user_id ${number} not null references users (id) on delete cascade,
    counter ${key} not null,
    since ${number} not null,
    last_post ${number} not null,
    last_event ${number} not null,
    last_message ${number} not null,
    primary key (user_id, counter)
  )${clustered}`,

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
];
