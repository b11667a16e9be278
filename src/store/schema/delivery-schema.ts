import type { Generated } from "kysely";
import type { BooleanColumn, Timestamps } from "./column-types.ts";

/** Columns of a queue whose rows are claimed by leases. */
interface QueueTable {
  id: Generated<number>;
  /** Waits for an attempt, or ended with a success, or with a failure that is not tried again. */
  state: Generated<"waiting" | "done" | "failed">;
  attempt: Generated<number>;
  /** Unix milliseconds of the next attempt; while a worker has a lease, the end of the lease; at last, of the latest result. */
  due_at: number;
  /** Token of the worker that has the lease; a result only counts with the current token. */
  lease_token: string | null;
  created_at: number;
}

/** A change of how a person signs in. */
export type AccountChange =
  | "email"
  | "password"
  | "provider"
  | "two_factor_on"
  | "two_factor_off"
  | "recovery_codes"
  | "recovery_code_used";

export interface AccountNotice {
  readonly change: AccountChange;
  /** True when the limit of notices leaves out the next ones of this kind. */
  readonly isLast: boolean;
}

/** Reasons: disabled by hand, a receiver answered 410, or only failures for days. */
export type DisabledReason = "manual" | "gone" | "failing";

export interface DeliverySchema {
  mails: QueueTable & {
    kind: "welcome" | "password_reset" | "webhook_disabled" | "account_change";
    user_id: number;
    recipient: string;
    /** JSON of the values that the text of the mail needs beside the user; holds no secret. */
    payload: string;
    last_error: string | null;
  };

  webhooks: Timestamps & {
    id: Generated<number>;
    name: string;
    uri: string;
    /** `whsec_` and 32 random bytes in base64. */
    secret: string;
    /** The secret before the latest rotation, which also signs for a while. */
    previous_secret: string | null;
    previous_secret_until: number | null;
    /** JSON array of the names of triggers. */
    triggers: string;
    active: Generated<BooleanColumn>;
    disabled_at: number | null;
    disabled_reason: DisabledReason | null;
    author_id: number;
    /** Time of the first failure since the last success. */
    failing_since: number | null;
    /** Deleted webhooks wait for the removal of their rows. */
    deleted_at: number | null;
  };

  /** Time of the latest poll for events. While it is recent, events are stored for polling clients too. */
  event_listening: { id: number; polled_at: number };

  webhook_events: {
    id: Generated<number>;
    /** `msg_...`, the same in every attempt to deliver the event. */
    message_id: string;
    type: string;
    /** Body of the callback, byte for byte. */
    payload: string;
    created_at: number;
    /** The user that the payload describes; null for a unit or a test. */
    user_id: number | null;
  };

  deliveries: QueueTable & {
    event_id: number;
    webhook_id: number;
    /** Marks a test: one attempt, which does not change the health of the webhook. */
    single: Generated<BooleanColumn>;
  };

  webhook_logs: {
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
    /** JSON object of headers by name. */
    request_headers: string;
    /** JSON of the headers, the beginning of the body, and `cut` for a shortened body; null without a response. */
    response: string | null;
    /** The user that the callback described; null for a unit or a test. */
    user_id: number | null;
  };
}
