import type { ColumnTypes } from "../../dialect.ts";

/** End of the occurrence before the first: earlier than any time, so that one comparison covers both cases. */
const never = Number.MIN_SAFE_INTEGER;

/** Events, their occurrences, and the index of the feeds in which readers find occurrences. */
export const eventTables = ({ id, key, number, clustered }: ColumnTypes): string[] => [
  `create table events (
    id ${id},
    audience_id ${number} not null references audiences (id),
    type ${key} not null,
    title text not null,
    title_key ${key} not null default '',
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
  "create index events_title on events (title_key, id) where deleted_at is null",
  "create index events_uid on events (uid)",
  "create index events_audience on events (audience_id)",
  // Has all columns that counters read of the newest events.
  "create index events_created on events (created_at, id, audience_id) where deleted_at is null",
  `create table event_dates (
    event_id ${number} not null references events (id) on delete cascade,
    start_at ${number} not null,
    end_at ${number} not null,
    day text,
    span integer not null,
    primary key (event_id, start_at)
  )${clustered}`,
  `create table event_marks (
    event_id ${number} not null references events (id) on delete cascade,
    user_id ${number} not null references users (id) on delete cascade,
    seen_at ${number},
    answer text,
    answered_at ${number},
    primary key (event_id, user_id)
  )${clustered}`,
  "create index event_marks_user on event_marks (user_id, event_id)",
  // No foreign key: for each event that is deleted, databases would look through all entries.
  `create table event_places (
    place ${key} not null,
    start_at ${number} not null,
    event_id ${number} not null,
    end_at ${number} not null,
    span integer not null,
    previous_at ${number} not null,
    limited integer not null,
    primary key (place, start_at, event_id)
  )${clustered}`,
  `create index event_places_first on event_places (place, previous_at, start_at, event_id, limited) where previous_at = ${never}`,
  "create index event_places_long on event_places (place, span, start_at, event_id, end_at, limited) where span > 1",
];
