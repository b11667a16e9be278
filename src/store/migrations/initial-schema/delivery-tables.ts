import type { ColumnTypes } from "../../dialect.ts";

export const deliveryTables = (types: ColumnTypes): string[] => [...webhookTables(types), ...queueTables(types)];

const webhookTables = ({ id, key, number }: ColumnTypes) => [
  `create table webhooks (
    id ${id},
    name text not null,
    uri text not null,
    secret text not null,
    previous_secret text,
    previous_secret_until ${number},
    triggers text not null,
    active integer not null default 1,
    disabled_at ${number},
    disabled_reason text,
    author_id ${number} not null,
    failing_since ${number},
    created_at ${number} not null,
    updated_at ${number} not null,
    deleted_at ${number}
  )`,
  `create table event_listening (id integer primary key check (id = 1), polled_at ${number} not null)`,
  `create table webhook_events (
    id ${id},
    message_id ${key} not null,
    type ${key} not null,
    payload text not null,
    created_at ${number} not null,
    user_id ${number}
  )`,
  "create index webhook_events_user on webhook_events (user_id) where user_id is not null",
  `create table webhook_logs (
    id ${id},
    webhook_id ${number} not null,
    event_id ${number} not null,
    message_id ${key} not null,
    event ${key} not null,
    uri text not null,
    status ${key} not null,
    attempt integer not null,
    duration_ms ${number} not null,
    created_at ${number} not null,
    error text,
    next_attempt_at ${number},
    request_headers text not null,
    response text,
    user_id ${number}
  )`,
  "create index webhook_logs_user on webhook_logs (user_id) where user_id is not null",
  "create index webhook_logs_webhook on webhook_logs (webhook_id, id)",
  "create index webhook_logs_status on webhook_logs (webhook_id, status, id)",
  "create index webhook_logs_event on webhook_logs (webhook_id, event, id)",
  "create index webhook_logs_created on webhook_logs (webhook_id, created_at)",
];

/** The columns of a queue; see `LeasedQueue`. */
const queueColumns = ({ key, number }: ColumnTypes) => `
    state ${key} not null default 'waiting',
    attempt integer not null default 0,
    due_at ${number} not null,
    lease_token ${key},
    created_at ${number} not null`;

// No foreign keys: a check of each row is expensive, and webhooks and events are only deleted after their deliveries.
const queueTables = (types: ColumnTypes) => [
  `create table deliveries (
    id ${types.id},
    event_id ${types.number} not null,
    webhook_id ${types.number} not null,
    single integer not null default 0,${queueColumns(types)},
    unique (event_id, webhook_id)
  )`,
  "create index deliveries_waiting on deliveries (webhook_id, due_at, id) where state = 'waiting'",
  "create index deliveries_failed on deliveries (webhook_id, created_at) where state = 'failed'",
  `create table mails (
    id ${types.id},
    kind text not null,
    user_id ${types.number} not null,
    recipient text not null,
    payload text not null,
    last_error text,${queueColumns(types)}
  )`,
  "create index mails_waiting on mails (due_at, id) where state = 'waiting'",
  "create index mails_ended on mails (due_at) where state <> 'waiting'",
  "create index mails_open on mails (state, created_at) where state <> 'done'",
  "create index mails_user on mails (user_id)",
  `create unique index mails_waiting_once on mails (user_id, kind)
    where state = 'waiting' and kind in ('welcome', 'password_reset')`,
];
