import type { ColumnTypes } from "../../dialect.ts";

export const organisationTables = (types: ColumnTypes): string[] => [
  ...instanceTables(types),
  ...unitTables(types),
  ...userTables(types),
  ...membershipTables(types),
  ...signInTables(types),
];

const instanceTables = ({ id, key, number }: ColumnTypes) => [
  `create table instance (
    id integer primary key check (id = 1),
    issuer text not null,
    token_key text not null,
    created_at ${number} not null,
    secret_key_id ${key}
  )`,
  `create table settings (key ${key} primary key, value text not null)`,
  `create table idempotency_keys (
    actor_id ${number} not null,
    key ${key} not null,
    operation text not null,
    input_hash text not null,
    response text not null,
    created_at ${number} not null,
    primary key (actor_id, key)
  )`,
  "create index idempotency_keys_created on idempotency_keys (created_at)",

  // No foreign key, because the changed item may be deleted.
  `create table audit_entries (
    id ${id},
    created_at ${number} not null,
    actor_id ${number},
    operation ${key} not null,
    path ${key} not null,
    fields text not null,
    address text,
    outcome text not null default 'done'
  )`,
  "create index audit_entries_time on audit_entries (created_at, id)",
  "create index audit_entries_actor on audit_entries (actor_id, created_at, id)",
  "create index audit_entries_operation on audit_entries (operation, created_at, id)",
  "create index audit_entries_path on audit_entries (path, created_at, id)",
];

const unitTables = ({ id, key, number, real }: ColumnTypes) => [
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
];

const userTables = ({ id, key, number, clustered }: ColumnTypes) => [
  `create table users (
    id ${id},
    reference ${key} unique,
    email text,
    email_key ${key} unique,
    first_name text not null,
    last_name text not null,
    name_key ${key} not null default '',
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
    two_factor_at ${number},
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
  "create index users_birthday on users (birthday_key, id) where active = 1 and birthdays_optout = 0",
  "create index users_provider on users (provider, id)",
  "create index users_unit on users (unit_id, id)",
  "create index users_name on users (name_key, id)",
  "create index users_admin on users (id) where admin = 1",
  `create table user_words (
    kind integer not null,
    word ${key} not null,
    user_id ${number} not null references users (id) on delete cascade,
    primary key (kind, word, user_id)
  )${clustered}`,
  "create index user_words_user on user_words (user_id, kind, word)",
];

const membershipTables = ({ id, key, number, clustered }: ColumnTypes) => [
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
  )${clustered}`,
  "create index membership_user_types_type on membership_user_types (user_type_id, membership_id)",
];

const signInTables = ({ id, key, number }: ColumnTypes) => [
  `create table password_tokens (
    user_id ${number} primary key,
    token_hash ${key} not null,
    expires_at ${number} not null
  )`,
  `create table api_tokens (
    id ${id},
    user_id ${number} not null references users (id) on delete cascade,
    name ${key} not null,
    token_hash ${key} not null unique,
    scopes text not null,
    expires_at ${number},
    last_used_at ${number},
    created_at ${number} not null,
    unique (user_id, name)
  )`,
  "create index api_tokens_expiry on api_tokens (expires_at) where expires_at is not null",
  `create table sessions (
    id ${id},
    user_id ${number} not null references users (id) on delete cascade,
    key ${key} not null unique,
    user_agent text,
    address text,
    created_at ${number} not null,
    last_used_at ${number} not null,
    expires_at ${number} not null
  )`,
  "create index sessions_user on sessions (user_id, id)",
  "create index sessions_expiry on sessions (expires_at)",
  `create table two_factors (
    user_id ${number} primary key references users (id) on delete cascade,
    secret text not null,
    last_step ${number} not null default 0,
    begun_at ${number} not null
  )`,
  `create table recovery_codes (
    user_id ${number} not null references users (id) on delete cascade,
    code_hash ${key} not null,
    primary key (user_id, code_hash)
  )`,
  `create table rate_limit_events (
    id ${id},
    kind ${key} not null,
    account ${key} not null,
    network ${key} not null,
    pending ${number} not null,
    expires_at ${number} not null
  )`,
  "create index rate_limit_events_account on rate_limit_events (kind, account, pending, expires_at)",
  "create index rate_limit_events_network on rate_limit_events (kind, network, pending, expires_at)",
  "create index rate_limit_events_expiry on rate_limit_events (expires_at)",
];
