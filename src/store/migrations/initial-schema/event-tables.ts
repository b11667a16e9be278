import { columns, table } from "../../schema/table.ts";

const { id, text, key, number, integer, flag, timestamps } = columns;

/** End of the occurrence before the first: earlier than any time, so that one comparison covers both cases. */
const never = Number.MIN_SAFE_INTEGER;

/** Events, their occurrences, and the index of the feeds in which readers find occurrences. */
export const eventTables = {
  events: table({
    id,
    audience_id: number.references("audiences (id)"),
    type: key.as<"chain" | "unit" | "user">(),
    title: text,
    /** The lookup form of the title; see `titleLookupKey`. */
    title_key: key.default(""),
    body: text.default(""),
    location: text.orNull,
    link: text.default(""),
    all_day: flag.default(0),
    /** `YYYY-MM-DD` for an all-day event. */
    date: text.orNull,
    start_at: number,
    end_at: number,
    last_at: number,
    /** JSON of the recurrence rules in their full form. */
    recurrence: text.default("[]"),
    /** Time zone of the rules and days: the instance's when they were set. */
    timezone: text,
    /** UID in iCalendar files (RFC 5545). */
    uid: key,
    /** Number of announced uploads. */
    file_count: integer.default(0),
    /** Numbers of participants' answers, updated with every change. */
    accepted_count: integer.default(0),
    rejected_count: integer.default(0),
    ...timestamps,
    deleted_at: number.orNull,
  })
    .index("events_title", ["title_key", "id"], "deleted_at is null")
    .index("events_uid", ["uid"])
    .index("events_audience", ["audience_id"])
    // Has all columns that counters read of the newest events.
    .index("events_created", ["created_at", "id", "audience_id"], "deleted_at is null"),

  /** Occurrences of events. For an all-day event, from midnight to midnight. */
  event_dates: table({
    event_id: number.references("events (id) on delete cascade"),
    start_at: number,
    end_at: number,
    /** `YYYY-MM-DD` for an all-day event. */
    day: text.orNull,
    /** Duration class: a running occurrence began at most the length of its class ago. */
    span: integer,
  }).clusteredBy("event_id", "start_at"),

  event_marks: table({
    event_id: number.references("events (id) on delete cascade"),
    user_id: number.references("users (id) on delete cascade"),
    seen_at: number.orNull,
    answer: text.as<"accepted" | "rejected">().orNull,
    answered_at: number.orNull,
  })
    .clusteredBy("event_id", "user_id")
    .index("event_marks_user", ["user_id", "event_id"]),

  /** Feed index of occurrences: one row for each place of the event. A foreign key would make deleting an event read all entries. */
  event_places: table({
    place: key,
    start_at: number,
    event_id: number,
    end_at: number,
    span: integer,
    /** Start of the previous occurrence; before all times for the first. */
    previous_at: number,
    /** 1 when user types limit who may read the event by this place. */
    limited: flag,
  })
    .clusteredBy("place", "start_at", "event_id")
    .index("event_places_first", ["place", "previous_at", "start_at", "event_id", "limited"], `previous_at = ${never}`)
    .index("event_places_long", ["place", "span", "start_at", "event_id", "end_at", "limited"], "span > 1"),
};
