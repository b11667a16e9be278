import type { Generated } from "kysely";
import type { BooleanColumn, Timestamps } from "./column-types.ts";

export type FileOwner = "event" | "post" | "message" | "user" | "unit" | "group";

export interface ContentSchema {
  groups: Timestamps & {
    id: Generated<number>;
    name: string;
    name_key: string;
    description: Generated<string>;
    privacy: Generated<"public" | "private">;
    author_id: number;
    member_count: Generated<number>;
  };

  group_members: { group_id: number; user_id: number; role: Generated<"member" | "administrator">; created_at: number };

  audiences: {
    id: Generated<number>;
    author_id: number;
    /** The owning unit; its editors may change the post or event. */
    owner_unit_id: number | null;
    everywhere: Generated<BooleanColumn>;
    /** Visible only to the author and to users and groups that it is shared with. */
    personal: Generated<BooleanColumn>;
    group_id: number | null;
  };

  audience_units: {
    audience_id: number;
    unit_id: number;
    /** True when the units below are included. */
    falldown: Generated<BooleanColumn>;
  };

  audience_user_types: { audience_id: number; user_type_id: number };

  audience_shares: { audience_id: number; user_id: number };

  /** Start of a user's counter: a time, and the newest items that were there, because others come in the same second. */
  counter_marks: {
    user_id: number;
    counter: string;
    since: number;
    last_post: number;
    last_event: number;
    last_message: number;
  };

  file_contents: {
    /** SHA-256 of the whole content, base64url. */
    sha256: string;
    size: number;
  };

  file_chunks: {
    sha256: string;
    /** Counts from 0. */
    number: number;
    bytes: Uint8Array;
  };

  files: Timestamps & {
    id: Generated<number>;
    owner: FileOwner;
    owner_id: number;
    type: "upload" | "youtube" | "vimeo";
    name: string;
    extension: string;
    mime: string;
    size: number;
    width: number | null;
    height: number | null;
    /** URL of a video hosted elsewhere. */
    source: string | null;
    sha256: string | null;
  };

  posts: Timestamps & {
    id: Generated<number>;
    audience_id: number;
    content_type: "news" | "debate" | "event";
    title: string;
    /** The title as it is looked up by; see `titleLookupKey`. */
    title_key: Generated<string>;
    body: Generated<string>;
    show_in_feed: Generated<BooleanColumn>;
    important: Generated<BooleanColumn>;
    comments_enabled: Generated<BooleanColumn>;
    confirm_enabled: Generated<BooleanColumn>;
    /** Not published, regardless of the publication times. */
    draft: Generated<BooleanColumn>;
    publish_on: number | null;
    unpublish_on: number | null;
    /** Time of the latest or the planned publication; null for a draft that was never published. */
    published_at: number | null;
    /** Sort key of lists: the time of publication, or of creation. */
    listed_at: number;
    /** Null when the post is not pinned. */
    pinned_main_feed: BooleanColumn | null;
    pinned_until: number | null;
    /** JSON description of the event of an event post. */
    event: string | null;
    /** Size of the audience at the last count; null where it is not needed. */
    reader_count: number | null;
    /** Comments on the post itself; replies to comments are counted on the comment. */
    comment_count: Generated<number>;
    reply_count: Generated<number>;
    like_count: Generated<number>;
    read_count: Generated<number>;
    accepted_count: Generated<number>;
    rejected_count: Generated<number>;
    deleted_at: number | null;
  };

  /** Feed index of posts: one row for each kind of reader, with the sort keys of lists. */
  post_places: {
    /** In the format of `placesOf`. */
    place: string;
    post_id: number;
    listed_at: number;
    updated_at: number;
  };

  /** Actions of a user on a post, with their times. */
  post_marks: {
    post_id: number;
    user_id: number;
    seen_at: number | null;
    liked_at: number | null;
    /** Time at which the user confirmed to have read the post. */
    read_at: number | null;
    bookmarked_at: number | null;
    /** Answer to the invitation of an event post. */
    answer: "accepted" | "rejected" | null;
    /** ID of the mute rule, and its end; without an end, `muted_until` is null. */
    mute_rule: number | null;
    muted_until: number | null;
  };

  /** Users mentioned in a post or a comment. */
  post_mentions: { post_id: number; comment_id: number | null; user_id: number; seen: Generated<BooleanColumn> };

  comments: {
    id: Generated<number>;
    post_id: number;
    parent_id: number | null;
    author_id: number;
    body: string;
    reply_count: Generated<number>;
    created_at: number;
    /** A deleted comment stays as long as it has replies. */
    deleted_at: number | null;
  };

  polls: {
    id: Generated<number>;
    post_id: number;
    question: string;
    type: "single" | "multiple";
    close_at: number | null;
    allow_user_choices: Generated<BooleanColumn>;
    anonymous: Generated<BooleanColumn>;
    mandatory: Generated<BooleanColumn>;
  };

  poll_choices: {
    id: Generated<number>;
    poll_id: number;
    title: string;
    position: number;
    vote_count: Generated<number>;
  };

  poll_votes: { poll_id: number; user_id: number; choice_id: number };

  events: Timestamps & {
    id: Generated<number>;
    audience_id: number;
    type: "chain" | "unit" | "user";
    title: string;
    /** The title as it is looked up by; see `titleLookupKey`. */
    title_key: Generated<string>;
    body: Generated<string>;
    location: string | null;
    link: Generated<string>;
    all_day: Generated<BooleanColumn>;
    /** `YYYY-MM-DD` for an all-day event. */
    date: string | null;
    start_at: number;
    end_at: number;
    last_at: number;
    /** JSON of the recurrence rules in their full form. */
    recurrence: Generated<string>;
    /** Time zone of the rules and days: the instance's when they were set. */
    timezone: string;
    /** UID in iCalendar files (RFC 5545). */
    uid: string;
    /** Number of announced uploads. */
    file_count: Generated<number>;
    /** Numbers of participants' answers, updated with every change. */
    accepted_count: Generated<number>;
    rejected_count: Generated<number>;
    deleted_at: number | null;
  };

  /** Occurrences of events. For an all-day event, from midnight to midnight. */
  event_dates: {
    event_id: number;
    start_at: number;
    end_at: number;
    /** `YYYY-MM-DD` for an all-day event. */
    day: string | null;
    /** Duration class: a running occurrence began at most the length of its class ago. */
    span: number;
  };

  /** Feed index of occurrences: one row for each place of the event. */
  event_places: {
    place: string;
    start_at: number;
    event_id: number;
    end_at: number;
    span: number;
    /** Start of the previous occurrence; before all times for the first. */
    previous_at: number;
    /** 1 when user types limit who may read the event by this place. */
    limited: 0 | 1;
  };

  event_marks: {
    event_id: number;
    user_id: number;
    seen_at: number | null;
    answer: "accepted" | "rejected" | null;
    answered_at: number | null;
  };
}
