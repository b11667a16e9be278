import type { PasswordTokenKind } from "../../schema/column-types.ts";
import { columns, table } from "../../schema/table.ts";

const { id, text, key, number, integer, flag, real, timestamps } = columns;

export const organisationTables = {
  instance: table({
    id: integer.constraint("primary key check (id = 1)"),
    issuer: text,
    /** 256 random bits in base64url; the key that signs tokens. */
    token_key: text,
    created_at: number,
    /** ID of the key that encrypts the secrets; null while all of them are in plain text. */
    secret_key_id: key.orNull,
  }),

  settings: table({ key: key.constraint("primary key"), value: text }),

  idempotency_keys: table({
    actor_id: number,
    key,
    operation: text,
    /** Hash of the operation and its input. */
    input_hash: text,
    /** JSON of the stored answer. */
    response: text,
    created_at: number,
  })
    .primaryKey("actor_id", "key")
    .index("idempotency_keys_created", ["created_at"]),

  // No foreign key, because the changed item may be deleted.
  audit_entries: table({
    id,
    created_at: number,
    /** Null for a change without a token. */
    actor_id: number.orNull,
    /** Name of the operation in the contract. */
    operation: key,
    /** Path below /api of the changed item. */
    path: key,
    /** JSON array of the names of the given fields. */
    fields: text,
    address: text.orNull,
    /** Failures are recorded for sign-ins only. */
    outcome: text.as<"done" | "failed">().default("done"),
  })
    .index("audit_entries_time", ["created_at", "id"])
    .index("audit_entries_actor", ["actor_id", "created_at", "id"])
    .index("audit_entries_operation", ["operation", "created_at", "id"])
    .index("audit_entries_path", ["path", "created_at", "id"]),

  units: table({
    id,
    reference: key.orNull.constraint("unique"),
    name: text,
    /** The case-folded name, for searching by prefix. */
    name_key: key,
    description: text.default(""),
    parent_id: number.orNull.references("units (id)"),
    /** IDs from the root down to the unit, as in /1/4/17/. */
    path: key.constraint("unique"),
    level: integer,
    unit_type: text.as<"unit" | "department">().default("unit"),
    addresses: text.default("{}"),
    contact_name: text.orNull,
    contact_phone: text.orNull,
    opening_hours: text.default("{}"),
    lat: real.orNull,
    lng: real.orNull,
    /** Counts of members, children and all units below, updated with every change. */
    user_count: integer.default(0),
    child_count: integer.default(0),
    descendant_count: integer.default(0),
    ...timestamps,
  })
    .index("units_parent", ["parent_id", "id"])
    .index("units_name", ["name_key", "id"]),

  departments: table({ id, unit_id: number.references("units (id) on delete cascade"), name: key }).unique(
    "unit_id",
    "name",
  ),

  users: table({
    id,
    reference: key.orNull.constraint("unique"),
    email: text.orNull,
    /** The case-folded address, for comparison. Null once deleted. */
    email_key: key.orNull.constraint("unique"),
    first_name: text,
    last_name: text,
    /** The folded words of the name, for finding users by it. Empty once deleted. */
    name_key: key.default(""),
    title: text.default(""),
    phone: text.orNull,
    birthday: text.orNull,
    /** Month and day as MMDD, for the birthday calendar. */
    birthday_key: integer.orNull,
    language: text.orNull,
    timezone: text.orNull,
    admin: flag.default(0),
    active: flag.default(1),
    deleted_at: number.orNull,
    provider: text.default("local"),
    password_hash: text.orNull,
    /** Part of each token; raising it ends all tokens of the user. */
    token_version: integer.default(1),
    /** Time since which signing in needs a second factor; null while it does not. */
    two_factor_at: number.orNull,
    policy_accepted_at: number.orNull,
    show_birthdays: text.as<"all" | "unit" | "none">().default("all"),
    birthdays_optout: flag.default(0),
    meta_field_0: text.default(""),
    meta_field_1: text.default(""),
    meta_field_2: text.default(""),
    meta_field_3: text.default(""),
    meta_field_4: text.default(""),
    /** Unit of the first membership. No foreign key, as the membership has one: SQLite would journal INSERTs of several rows. */
    unit_id: number.orNull,
    ...timestamps,
  })
    .index("users_birthday", ["birthday_key", "id"], "active = 1 and birthdays_optout = 0")
    .index("users_provider", ["provider", "id"])
    .index("users_unit", ["unit_id", "id"])
    .index("users_name", ["name_key", "id"])
    .index("users_admin", ["id"], "admin = 1"),

  /** Case-folded search words of a user, each once. No foreign key: SQLite would journal INSERTs of several rows. */
  user_words: table({
    /** 0 for a word of the name, 1 for one of the job title, 2 for one of the e-mail address. */
    kind: integer,
    word: key,
    user_id: number,
  })
    .clusteredBy("kind", "word", "user_id")
    .index("user_words_user", ["user_id", "kind", "word"]),

  memberships: table({
    id,
    user_id: number.references("users (id) on delete cascade"),
    unit_id: number.references("units (id)"),
    department_id: number.orNull.references("departments (id) on delete set null"),
  })
    .unique("user_id", "unit_id")
    .index("memberships_unit", ["unit_id", "user_id"])
    .index("memberships_department", ["department_id"], "department_id is not null"),

  user_types: table({
    id,
    name: text,
    name_key: key.constraint("unique"),
    reference: key.orNull.constraint("unique"),
    /** JSON array of the granted abilities. */
    abilities: text.default("[]"),
  }),

  membership_user_types: table({
    membership_id: number.references("memberships (id) on delete cascade"),
    user_type_id: number.references("user_types (id)"),
  })
    .clusteredBy("membership_id", "user_type_id")
    .index("membership_user_types_type", ["user_type_id", "membership_id"]),

  password_tokens: table({
    user_id: number,
    kind: key.as<PasswordTokenKind>(),
    token_hash: key.constraint("unique"),
    expires_at: number,
  }).primaryKey("user_id", "kind"),

  api_tokens: table({
    id,
    user_id: number.references("users (id) on delete cascade"),
    name: key,
    /** SHA-256 of the token in base64url. The token has 256 random bits, so guessing it from a fast hash is hopeless. */
    token_hash: key.constraint("unique"),
    scopes: text,
    expires_at: number.orNull,
    /** Written at most once per minute. */
    last_used_at: number.orNull,
    created_at: number,
  })
    .unique("user_id", "name")
    .index("api_tokens_expiry", ["expires_at"], "expires_at is not null"),

  /** Sign-ins that have not ended. */
  sessions: table({
    id,
    user_id: number.references("users (id) on delete cascade"),
    /** Random name of the session in its tokens. An ID could return when a backup is restored, and let old tokens in again. */
    key: key.constraint("unique"),
    user_agent: text.orNull,
    /** Null where the core is embedded. */
    address: text.orNull,
    created_at: number,
    /** Written at most once per minute. */
    last_used_at: number,
    /** Time at which the newest token of the session expires. */
    expires_at: number,
  })
    .index("sessions_user", ["user_id", "id"])
    .index("sessions_expiry", ["expires_at"]),

  /** The second factor of a user. It is being set up while `users.two_factor_at` is null. */
  two_factors: table({
    user_id: number.constraint("primary key references users (id) on delete cascade"),
    /** 160 random bits in base32, which the user's authenticator app has, too. */
    secret: text,
    /** Number of the latest 30 seconds whose code was used; earlier codes are refused. */
    last_step: number.default(0),
    begun_at: number,
  }),

  recovery_codes: table({ user_id: number.references("users (id) on delete cascade"), code_hash: key }).primaryKey(
    "user_id",
    "code_hash",
  ),

  /** Attempts that count towards a rate limit, until they expire. */
  rate_limit_events: table({
    id,
    kind: key.as<
      | "sign_in"
      | "one_time_code"
      | "current_password"
      | "data_export"
      | "password_request"
      | "account_notice"
      | "welcome_mail"
      | "welcome_sender"
      | "upload"
    >(),
    /** Identifies a user by ID; an unknown user name only as a keyed hash. */
    account: key,
    /** Empty where the core is embedded. */
    network: key,
    /** Marks an attempt whose outcome is not known yet. It expires soon, because its process may end before it is settled. */
    pending: number.as<0 | 1>(),
    /** Unix seconds. */
    expires_at: number,
  })
    .index("rate_limit_events_account", ["kind", "account", "pending", "expires_at"])
    .index("rate_limit_events_network", ["kind", "network", "pending", "expires_at"])
    .index("rate_limit_events_expiry", ["expires_at"]),
};
