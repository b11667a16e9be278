import type { Generated, Selectable } from "kysely";
import type { BooleanColumn, Timestamps } from "./column-types.ts";
import type { ContentSchema } from "./content-schema.ts";
import type { ConversationsSchema } from "./conversations-schema.ts";
import type { DeliverySchema } from "./delivery-schema.ts";

export interface Schema extends ContentSchema, ConversationsSchema, DeliverySchema {
  instance: {
    id: number;
    issuer: string;
    /** 256 random bits in base64url; the key that signs tokens. */
    token_key: string;
    /** ID of the key that encrypts the secrets; null while all of them are in plain text. */
    secret_key_id: string | null;
    created_at: number;
  };

  settings: { key: string; value: string };

  /** Versions of facts that servers keep in memory; changed by triggers. */
  fact_versions: { kind: "actors" | "settings"; version: number };

  audit_entries: {
    id: Generated<number>;
    created_at: number;
    /** Null for a change without a token. */
    actor_id: number | null;
    /** Name of the operation in the contract. */
    operation: string;
    /** Path below /api of the changed item. */
    path: string;
    /** JSON array of the names of the given fields. */
    fields: string;
    address: string | null;
    /** Failures are recorded for sign-ins only. */
    outcome: Generated<"done" | "failed">;
  };

  units: Timestamps & {
    id: Generated<number>;
    reference: string | null;
    name: string;
    /** The case-folded name, for searching by prefix. */
    name_key: string;
    description: Generated<string>;
    parent_id: number | null;
    /** IDs from the root down to the unit, as in /1/4/17/. */
    path: string;
    level: number;
    unit_type: Generated<"unit" | "department">;
    addresses: Generated<string>;
    contact_name: string | null;
    contact_phone: string | null;
    opening_hours: Generated<string>;
    lat: number | null;
    lng: number | null;
    /** Counts of members, children and all units below, updated with every change. */
    user_count: Generated<number>;
    child_count: Generated<number>;
    descendant_count: Generated<number>;
  };

  departments: { id: Generated<number>; unit_id: number; name: string };

  users: Timestamps & {
    id: Generated<number>;
    reference: string | null;
    email: string | null;
    /** The case-folded address, for comparison. Null once deleted. */
    email_key: string | null;
    first_name: string;
    last_name: string;
    /** The folded words of the name, for finding users by it. Empty once deleted. */
    name_key: Generated<string>;
    title: Generated<string>;
    phone: string | null;
    birthday: string | null;
    /** Month and day as MMDD, for the birthday calendar. */
    birthday_key: number | null;
    language: string | null;
    timezone: string | null;
    admin: Generated<BooleanColumn>;
    active: Generated<BooleanColumn>;
    deleted_at: number | null;
    provider: Generated<string>;
    password_hash: string | null;
    /** Part of each token; raising it ends all tokens of the user. */
    token_version: Generated<number>;
    /** Time since which signing in needs a second factor; null while it does not. */
    two_factor_at: number | null;
    policy_accepted_at: number | null;
    show_birthdays: Generated<"all" | "unit" | "none">;
    birthdays_optout: Generated<BooleanColumn>;
    meta_field_0: Generated<string>;
    meta_field_1: Generated<string>;
    meta_field_2: Generated<string>;
    meta_field_3: Generated<string>;
    meta_field_4: Generated<string>;
    unit_id: number | null;
  };

  /** Case-folded search words of a user, each once. */
  user_words: {
    /** 0 for a word of the name, 1 for one of the job title, 2 for one of the e-mail address. */
    kind: number;
    word: string;
    user_id: number;
  };

  memberships: { id: Generated<number>; user_id: number; unit_id: number; department_id: number | null };

  membership_user_types: { membership_id: number; user_type_id: number };

  user_types: {
    id: Generated<number>;
    name: string;
    name_key: string;
    reference: string | null;
    /** JSON array of the granted abilities. */
    abilities: Generated<string>;
  };

  password_tokens: { user_id: number; token_hash: string; expires_at: number };

  api_tokens: {
    id: Generated<number>;
    user_id: number;
    name: string;
    /** SHA-256 of the token in base64url. The token has 256 random bits, so guessing it from a fast hash is hopeless. */
    token_hash: string;
    scopes: string;
    expires_at: number | null;
    /** Written at most once per minute. */
    last_used_at: number | null;
    created_at: number;
  };

  /** Sign-ins that have not ended. */
  sessions: {
    id: Generated<number>;
    user_id: number;
    /** Random name of the session in its tokens. An ID could return when a backup is restored, and let old tokens in again. */
    key: string;
    user_agent: string | null;
    /** Null where the core is embedded. */
    address: string | null;
    created_at: number;
    /** Written at most once per minute. */
    last_used_at: number;
    /** The end of the newest token of the session. */
    expires_at: number;
  };

  /** The second factor of a user. It is being set up while `users.two_factor_at` is null. */
  two_factors: {
    user_id: number;
    /** 160 random bits in base32, which the user's authenticator app has, too. */
    secret: string;
    /** Number of the latest 30 seconds whose code was used; earlier codes are refused. */
    last_step: Generated<number>;
    begun_at: number;
  };

  recovery_codes: { user_id: number; code_hash: string };

  /** Attempts that count towards a rate limit, until they expire. */
  rate_limit_events: {
    id: Generated<number>;
    kind:
      | "sign_in"
      | "one_time_code"
      | "current_password"
      | "data_export"
      | "password_request"
      | "account_notice"
      | "welcome_mail"
      | "welcome_sender";
    /** Identifies a user by ID; an unknown user name only as a keyed hash. */
    account: string;
    /** Empty where the core is embedded. */
    network: string;
    /** Marks an attempt whose outcome is not known yet. It expires soon, because its process may end before it is settled. */
    pending: BooleanColumn;
    /** Unix seconds. */
    expires_at: number;
  };

  idempotency_keys: {
    actor_id: number;
    key: string;
    operation: string;
    /** Hash of the operation and its input. */
    input_hash: string;
    /** JSON of the stored answer. */
    response: string;
    created_at: number;
  };
}

/** A row of a table as it is read, or some of its columns. */
export type RowOf<T extends keyof Schema, C extends keyof Schema[T] = keyof Schema[T]> = Readonly<
  Selectable<Pick<Schema[T], C>>
>;
