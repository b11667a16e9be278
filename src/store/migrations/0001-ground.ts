import type { Kysely } from "kysely";
import { columnTypes, statements } from "../dialect.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { id, key, number, real } = columnTypes(db);
  await statements(
    db,
    `create table instance (
      id integer primary key check (id = 1),
      issuer text not null,
      token_key text not null,
      created_at ${number} not null
    )`,
    `create table settings (key ${key} primary key, value text not null)`,

    `create table units (
      id ${id},
      reference ${key} unique,
      name text not null,
      name_key ${key} not null,
      description text not null default '',
      parent_id ${number} references units (id),
      path ${key} not null unique,
      level integer not null,
      unit_type text not null default 'unit',
      addresses text not null default '{}',
      contact_name text,
      contact_phone text,
      opening_hours text not null default '{}',
      lat ${real},
      lng ${real},
      user_count integer not null default 0,
      child_count integer not null default 0,
      descendant_count integer not null default 0,
      created_at ${number} not null,
      updated_at ${number} not null
    )`,
    "create index units_parent on units (parent_id, id)",
    "create index units_name on units (name_key, id)",

    `create table departments (
      id ${id},
      unit_id ${number} not null references units (id) on delete cascade,
      name ${key} not null,
      unique (unit_id, name)
    )`,

    `create table users (
      id ${id},
      reference ${key} unique,
      email text,
      email_key ${key} unique,
      first_name text not null,
      last_name text not null,
      title text not null default '',
      phone text,
      birthday text,
      birthday_key integer,
      language text,
      timezone text,
      admin integer not null default 0,
      active integer not null default 1,
      deleted_at ${number},
      provider text not null default 'local',
      password_hash text,
      token_version integer not null default 1,
      policy_accepted_at ${number},
      show_birthdays text not null default 'all',
      birthdays_optout integer not null default 0,
      meta_field_0 text not null default '',
      meta_field_1 text not null default '',
      meta_field_2 text not null default '',
      meta_field_3 text not null default '',
      meta_field_4 text not null default '',
      unit_id ${number} references units (id),
      created_at ${number} not null,
      updated_at ${number} not null
    )`,
    "create index users_birthday on users (birthday_key, id) where birthday_key is not null",
    "create index users_unit on users (unit_id, id)",
    "create index users_admin on users (id) where admin = 1",

    `create table user_words (
      word ${key} not null,
      user_id ${number} not null references users (id) on delete cascade,
      private integer not null,
      primary key (word, user_id)
    )`,
    "create index user_words_user on user_words (user_id)",

    `create table memberships (
      id ${id},
      user_id ${number} not null references users (id) on delete cascade,
      unit_id ${number} not null references units (id),
      department_id ${number} references departments (id) on delete set null,
      unique (user_id, unit_id)
    )`,
    "create index memberships_unit on memberships (unit_id, user_id)",
    "create index memberships_department on memberships (department_id) where department_id is not null",

    `create table user_types (
      id ${id},
      name text not null,
      name_key ${key} not null unique,
      reference ${key} unique,
      abilities text not null default '[]'
    )`,
    `create table membership_user_types (
      membership_id ${number} not null references memberships (id) on delete cascade,
      user_type_id ${number} not null references user_types (id),
      primary key (membership_id, user_type_id)
    )`,
    "create index membership_user_types_type on membership_user_types (user_type_id, membership_id)",

    `create table password_tokens (
      user_id ${number} primary key,
      token_hash ${key} not null,
      expires_at ${number} not null
    )`,
    `create table sign_in_failures (id ${id}, account ${key} not null, address ${key}, at ${number} not null)`,
    "create index sign_in_failures_account on sign_in_failures (account, at)",
    "create index sign_in_failures_address on sign_in_failures (address, at)",
    "create index sign_in_failures_at on sign_in_failures (at)",

    `create table mails (
      id ${id},
      kind text not null,
      user_id ${number} not null,
      recipient text not null,
      payload text not null,
      created_at ${number} not null,
      sent_at ${number}
    )`,
    "create index mails_waiting on mails (id) where sent_at is null",

    `create table idempotency_keys (
      actor_id ${number} not null,
      key ${key} not null,
      input_hash text not null,
      response text not null,
      created_at ${number} not null,
      primary key (actor_id, key)
    )`,
    "create index idempotency_keys_created on idempotency_keys (created_at)",
  );
}
