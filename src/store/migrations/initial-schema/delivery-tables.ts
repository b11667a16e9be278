import type { DisabledReason } from "../../schema/column-types.ts";
import { columns, table } from "../../schema/table.ts";

const { id, text, key, number, integer, flag, timestamps } = columns;

/** Columns of a queue whose rows are claimed by leases. */
const queue = {
  /** Waits for an attempt, or ended with a success (only mails: deliveries are deleted then), or with a failure that is not tried again. */
  state: key.as<"waiting" | "done" | "failed">().default("waiting"),
  attempt: integer.default(0),
  /** Unix milliseconds of the next attempt; while a worker has a lease, the end of the lease; at last, of the latest result. */
  due_at: number,
  /** Token of the worker that has the lease; a result only counts with the current token. */
  lease_token: key.orNull,
  created_at: number,
};

export const deliveryTables = {
  webhooks: table({
    id,
    name: text,
    uri: text,
    /** `whsec_` and 32 random bytes in base64. */
    secret: text,
    /** The secrets before rotations, which also sign for a while: a JSON array of `PreviousSecret`, newest first. */
    previous_secrets: text.orNull,
    /** JSON array of the names of triggers. */
    triggers: text,
    active: flag.default(1),
    disabled_at: number.orNull,
    disabled_reason: text.as<DisabledReason>().orNull,
    author_id: number,
    /** Time of the first failure since the last success. */
    failing_since: number.orNull,
    ...timestamps,
    /** Deleted webhooks wait for the removal of their rows. */
    deleted_at: number.orNull,
  }),

  /** Time of the latest poll for events. While it is recent, events are stored for polling clients too. */
  event_listening: table({ id: integer.constraint("primary key check (id = 1)"), polled_at: number }),

  webhook_events: table({
    id,
    /** `msg_...`, the same in every attempt to deliver the event. */
    message_id: key,
    type: key,
    /** Body of the callback, byte for byte. */
    payload: text,
    created_at: number,
    /** The user that the payload describes; null for a unit or a test. */
    user_id: number.orNull,
  }).index("webhook_events_user", ["user_id"], "user_id is not null"),

  webhook_logs: table({
    id,
    webhook_id: number,
    event_id: number,
    message_id: key,
    event: key,
    uri: text,
    status: key,
    attempt: integer,
    duration_ms: number,
    created_at: number,
    error: text.orNull,
    next_attempt_at: number.orNull,
    /** JSON object of headers by name. */
    request_headers: text,
    /** JSON of the headers, the beginning of the body, and `cut` for a shortened body; null without a response. */
    response: text.orNull,
    /** The user that the callback described; null for a unit or a test. */
    user_id: number.orNull,
  })
    .index("webhook_logs_user", ["user_id"], "user_id is not null")
    .index("webhook_logs_webhook", ["webhook_id", "id"])
    .index("webhook_logs_status", ["webhook_id", "status", "id"])
    .index("webhook_logs_event", ["webhook_id", "event", "id"])
    .index("webhook_logs_created", ["webhook_id", "created_at"]),

  // No foreign keys: a check of each row is expensive, and webhooks and events are only deleted after their deliveries.
  deliveries: table({
    id,
    ...queue,
    event_id: number,
    webhook_id: number,
    /** Marks a test: one attempt, which does not change the health of the webhook. */
    single: flag.default(0),
  })
    .unique("event_id", "webhook_id")
    .index("deliveries_waiting", ["webhook_id", "due_at", "id"], "state = 'waiting'")
    .index("deliveries_failed", ["webhook_id", "created_at"], "state = 'failed'"),

  mails: table({
    id,
    ...queue,
    kind: text.as<"welcome" | "password_reset" | "webhook_disabled" | "account_change">(),
    user_id: number,
    recipient: text,
    /** JSON of the values that the text of the mail needs beside the user; holds no secret. */
    payload: text,
    last_error: text.orNull,
  })
    .index("mails_waiting", ["due_at", "id"], "state = 'waiting'")
    .index("mails_ended", ["due_at"], "state <> 'waiting'")
    .index("mails_open", ["state", "created_at"], "state <> 'done'")
    .index("mails_user", ["user_id"])
    .index(
      "mails_waiting_once",
      ["user_id", "kind"],
      "state = 'waiting' and kind in ('welcome', 'password_reset')",
      "unique index",
    ),
};
