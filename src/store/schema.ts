import type { Generated } from "kysely";
import type { ContentSchema } from "./schema-content.ts";
import type { ConversationsSchema } from "./schema-conversations.ts";

/** `Generated` columns have a default. Truth values are 0 and 1, times Unix seconds, nested values JSON text: what both databases keep alike. */
export type Flag = 0 | 1;

interface InstanceTable {
  id: number;
  issuer: string;
  /** 256 random bits, base64url; signs the tokens. */
  token_key: string;
  /** Identifies the key that encrypts the secrets; null while all of them are plain. */
  secret_key_id: string | null;
  created_at: number;
}

interface SettingsTable {
  key: string;
  value: string;
}

/** Who changed what. */
interface AuditEntriesTable {
  id: Generated<number>;
  created_at: number;
  /** Null where whoever did it needed no token. */
  actor_id: number | null;
  /** As the contract calls it. */
  operation: string;
  /** Of what was changed, below /api. */
  path: string;
  /** JSON: names of the fields that were given. */
  fields: string;
  address: string | null;
  /** Only sign-ins are recorded when they fail. */
  outcome: Generated<"done" | "failed">;
}

interface UnitsTable {
  id: Generated<number>;
  reference: string | null;
  name: string;
  /** The name folded for searching by its beginning. */
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
  /** Members, children and all units below, kept up to date by every change. */
  user_count: Generated<number>;
  child_count: Generated<number>;
  descendant_count: Generated<number>;
  created_at: number;
  updated_at: number;
}

interface DepartmentsTable {
  id: Generated<number>;
  unit_id: number;
  name: string;
}

interface UsersTable {
  id: Generated<number>;
  reference: string | null;
  email: string | null;
  /** The address as it is compared: case folded. Null once deleted. */
  email_key: string | null;
  first_name: string;
  last_name: string;
  title: Generated<string>;
  phone: string | null;
  birthday: string | null;
  /** Month and day as MMDD, for the calendar of birthdays. */
  birthday_key: number | null;
  language: string | null;
  timezone: string | null;
  admin: Generated<Flag>;
  active: Generated<Flag>;
  deleted_at: number | null;
  provider: Generated<string>;
  password_hash: string | null;
  /** Tokens carry it; raising it ends them all. */
  token_version: Generated<number>;
  policy_accepted_at: number | null;
  show_birthdays: Generated<"all" | "unit" | "none">;
  birthdays_optout: Generated<Flag>;
  meta_field_0: Generated<string>;
  meta_field_1: Generated<string>;
  meta_field_2: Generated<string>;
  meta_field_3: Generated<string>;
  meta_field_4: Generated<string>;
  /** The unit of the first membership. */
  unit_id: number | null;
  created_at: number;
  updated_at: number;
}

/** Words by which a user is found, folded: those `of_name`, of the title, and `private` ones from the e-mail address. */
interface UserWordsTable {
  word: string;
  user_id: number;
  private: Flag;
  of_name: Flag;
}

interface MembershipsTable {
  id: Generated<number>;
  user_id: number;
  unit_id: number;
  department_id: number | null;
}

interface MembershipUserTypesTable {
  membership_id: number;
  user_type_id: number;
}

interface UserTypesTable {
  id: Generated<number>;
  name: string;
  name_key: string;
  reference: string | null;
  /** JSON: the abilities granted, as an array. */
  abilities: Generated<string>;
}

interface PasswordTokensTable {
  user_id: number;
  token_hash: string;
  expires_at: number;
}

/** What counts towards a rate limit, until it expires. */
interface RateLimitEventsTable {
  id: Generated<number>;
  kind: "sign_in" | "current_password" | "password_request";
  /** Names a user by ID; what was typed for an unknown one only as a keyed hash. */
  account: string;
  /** Empty where the core is embedded. */
  network: string;
  /** An attempt that is still being checked; it expires soon, because its process may end before it is settled. */
  pending: Flag;
  /** Unix seconds. */
  expires_at: number;
}

interface MailsTable {
  id: Generated<number>;
  kind: "welcome" | "password_reset" | "webhook_disabled";
  user_id: number;
  recipient: string;
  /** JSON: what the text of the mail needs beside the user; no secret. */
  payload: string;
  created_at: number;
  sent_at: number | null;
  attempts: Generated<number>;
  /** Unix milliseconds: when to try; while a worker has it, when its lease ends. */
  due_at: Generated<number>;
  lease_token: string | null;
  last_error: string | null;
  /** When it was given up. */
  failed_at: number | null;
}

interface IdempotencyKeysTable {
  actor_id: number;
  key: string;
  /** Of the operation and its input. */
  input_hash: string;
  /** JSON of the answer. */
  response: string;
  created_at: number;
}

interface WebhooksTable {
  id: Generated<number>;
  name: string;
  uri: string;
  /** `whsec_` and 32 random bytes in base64. */
  secret: string;
  /** The one before the rotation, which signs beside the new one for a while. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** JSON: names of triggers. */
  triggers: string;
  active: Generated<Flag>;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  author_id: number;
  /** Since when nothing but failures came. */
  failing_since: number | null;
  created_at: number;
  updated_at: number;
  /** What is left of it is being removed. */
  deleted_at: number | null;
}

/** By hand; a receiver said 410; days of failures only. */
export type DisabledReason = "manual" | "gone" | "failing";

/** When somebody last asked for events; while that is recent, events are written for them, too. */
interface EventListeningTable {
  id: number;
  polled_at: number;
}

interface WebhookEventsTable {
  id: Generated<number>;
  /** `msg_...`, the same in every attempt to deliver it. */
  message_id: string;
  type: string;
  /** The body of the callback, byte for byte. */
  payload: string;
  created_at: number;
}

interface DeliveriesTable {
  id: Generated<number>;
  event_id: number;
  webhook_id: number;
  state: Generated<"waiting" | "done" | "failed">;
  /** How many were made. */
  attempt: Generated<number>;
  /** A test: one attempt, which says nothing about the health of the webhook. */
  single: Generated<Flag>;
  /** Unix milliseconds: when to try; while a worker has it, when its lease ends. */
  due_at: number;
  /** Of the worker that has it: a result counts only while the token is still the same. */
  lease_token: string | null;
  created_at: number;
}

interface WebhookLogsTable {
  id: Generated<number>;
  webhook_id: number;
  event_id: number;
  message_id: string;
  event: string;
  uri: string;
  status: string;
  attempt: number;
  duration_ms: number;
  created_at: number;
  error: string | null;
  next_attempt_at: number | null;
  /** JSON: headers by name. */
  request_headers: string;
  /** JSON: headers, body (its beginning) and whether it was cut; null without a response. */
  response: string | null;
}

export interface Schema extends ContentSchema, ConversationsSchema {
  instance: InstanceTable;
  settings: SettingsTable;
  audit_entries: AuditEntriesTable;
  units: UnitsTable;
  departments: DepartmentsTable;
  users: UsersTable;
  user_words: UserWordsTable;
  memberships: MembershipsTable;
  membership_user_types: MembershipUserTypesTable;
  user_types: UserTypesTable;
  password_tokens: PasswordTokensTable;
  rate_limit_events: RateLimitEventsTable;
  mails: MailsTable;
  idempotency_keys: IdempotencyKeysTable;
  webhooks: WebhooksTable;
  event_listening: EventListeningTable;
  webhook_events: WebhookEventsTable;
  deliveries: DeliveriesTable;
  webhook_logs: WebhookLogsTable;
}
