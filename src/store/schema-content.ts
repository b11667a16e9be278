import type { Generated } from "kysely";
import type { Flag } from "./schema.ts";

/** Where debates are at home. */
interface GroupsTable {
  id: Generated<number>;
  name: string;
  name_key: string;
  description: Generated<string>;
  privacy: Generated<"public" | "private">;
  author_id: number;
  member_count: Generated<number>;
  created_at: number;
  updated_at: number;
}

interface GroupMembersTable {
  group_id: number;
  user_id: number;
  role: Generated<"member" | "administrator">;
  created_at: number;
}

/** Who may read a post or an event. */
interface AudiencesTable {
  id: Generated<number>;
  author_id: number;
  /** The unit whose editors may change what it belongs to. */
  owner_unit_id: number | null;
  /** All units. */
  everywhere: Generated<Flag>;
  /** Only the author and whom it is shared with; editors, units and user types mean nothing. */
  personal: Generated<Flag>;
  group_id: number | null;
}

interface AudienceUnitsTable {
  audience_id: number;
  unit_id: number;
  /** The units below, too. */
  falldown: Generated<Flag>;
}

interface AudienceUserTypesTable {
  audience_id: number;
  user_type_id: number;
}

interface AudienceSharesTable {
  audience_id: number;
  user_id: number;
}

/** Since when a user's counter counts. */
interface CounterMarksTable {
  user_id: number;
  counter: string;
  since: number;
}

interface FileContentsTable {
  /** Of the whole content, base64url. */
  sha256: string;
  size: number;
}

interface FileChunksTable {
  sha256: string;
  /** From 0. */
  number: number;
  bytes: Uint8Array;
}

interface FilesTable {
  id: Generated<number>;
  /** What kind of thing it belongs to. */
  owner: FileOwner;
  owner_id: number;
  type: "upload" | "youtube" | "vimeo";
  name: string;
  extension: string;
  mime: string;
  size: number;
  width: number | null;
  height: number | null;
  /** Of a video that is elsewhere: its URL. */
  source: string | null;
  sha256: string | null;
  created_at: number;
  updated_at: number;
}

export type FileOwner = "event" | "post" | "message";

interface PostsTable {
  id: Generated<number>;
  audience_id: number;
  content_type: "news" | "debate" | "event";
  title: string;
  body: Generated<string>;
  show_in_feed: Generated<Flag>;
  important: Generated<Flag>;
  actively_requires_action: Generated<Flag>;
  comments_enabled: Generated<Flag>;
  confirm_enabled: Generated<Flag>;
  /** Not to be published, whatever the times say. */
  draft: Generated<Flag>;
  publish_on: number | null;
  unpublish_on: number | null;
  /** When it was published last, or will be; null of a draft that never was. */
  published_at: number | null;
  /** What lists are sorted by: when it was published, else made. */
  listed_at: number;
  /** Null when it is not pinned. */
  pinned_main_feed: Flag | null;
  pinned_until: number | null;
  /** JSON: what an event post says of its event. */
  event: string | null;
  /** How many it was meant for when that was counted last; null where nobody asks. */
  reader_count: number | null;
  /** On the post itself; replies to comments are counted apart. */
  comment_count: Generated<number>;
  reply_count: Generated<number>;
  like_count: Generated<number>;
  read_count: Generated<number>;
  accepted_count: Generated<number>;
  rejected_count: Generated<number>;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

/** Where a post is found, as often as it has readers of different kinds; with what lists are sorted by. */
interface PostPlacesTable {
  /** As `placesOf` names it. */
  place: string;
  post_id: number;
  listed_at: number;
  updated_at: number;
}

/** What a user did with a post, and when. */
interface PostMarksTable {
  post_id: number;
  user_id: number;
  seen_at: number | null;
  liked_at: number | null;
  /** When the user confirmed to have read it. */
  read_at: number | null;
  bookmarked_at: number | null;
  /** To the invitation of an event post. */
  answer: "accepted" | "rejected" | null;
}

/** Whom a post, or a comment on it, speaks to. */
interface PostMentionsTable {
  post_id: number;
  comment_id: number | null;
  user_id: number;
  seen: Generated<Flag>;
}

interface CommentsTable {
  id: Generated<number>;
  post_id: number;
  parent_id: number | null;
  author_id: number;
  body: string;
  reply_count: Generated<number>;
  created_at: number;
  /** It stays as long as it has replies. */
  deleted_at: number | null;
}

interface PollsTable {
  id: Generated<number>;
  post_id: number;
  question: string;
  type: "single" | "multiple";
  close_at: number | null;
  allow_user_choices: Generated<Flag>;
  anonymous: Generated<Flag>;
  mandatory: Generated<Flag>;
}

interface PollChoicesTable {
  id: Generated<number>;
  poll_id: number;
  title: string;
  position: number;
  vote_count: Generated<number>;
}

interface PollVotesTable {
  poll_id: number;
  user_id: number;
  choice_id: number;
}

interface EventsTable {
  id: Generated<number>;
  audience_id: number;
  type: "chain" | "unit" | "user";
  title: string;
  body: Generated<string>;
  location: string | null;
  link: Generated<string>;
  all_day: Generated<Flag>;
  /** `YYYY-MM-DD` of an all-day event. */
  date: string | null;
  /** The first occurrence. */
  start_at: number;
  end_at: number;
  /** The end of the last occurrence. */
  last_at: number;
  /** JSON: its rules in their full form. */
  recurrence: Generated<string>;
  /** In which its rules and days are meant: that of the instance when they were given. */
  timezone: string;
  /** Names it in iCalendar files (RFC 5545, UID). */
  uid: string;
  /** How many uploads are announced. */
  file_count: Generated<number>;
  /** Answers of participants, kept up to date by every change. */
  accepted_count: Generated<number>;
  rejected_count: Generated<number>;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

/** Every occurrence of an event; of an all-day event the day from midnight to midnight. */
interface EventDatesTable {
  event_id: number;
  start_at: number;
  end_at: number;
  /** `YYYY-MM-DD` of an all-day event. */
  day: string | null;
  /** How long it lasts, in classes: what is running began within the length of its class. */
  span: number;
}

/** Where readers find occurrences: each in every place of its event. */
interface EventPlacesTable {
  place: string;
  start_at: number;
  event_id: number;
  end_at: number;
  span: number;
  /** When the occurrence before began; of the first one earlier than all. */
  previous_at: number;
}

interface EventMarksTable {
  event_id: number;
  user_id: number;
  seen_at: number | null;
  answer: "accepted" | "rejected" | null;
  answered_at: number | null;
}

/** Groups, posts, events, files, and who may read them. */
export interface ContentSchema {
  groups: GroupsTable;
  group_members: GroupMembersTable;
  audiences: AudiencesTable;
  audience_units: AudienceUnitsTable;
  audience_user_types: AudienceUserTypesTable;
  audience_shares: AudienceSharesTable;
  counter_marks: CounterMarksTable;
  file_contents: FileContentsTable;
  file_chunks: FileChunksTable;
  files: FilesTable;
  posts: PostsTable;
  post_places: PostPlacesTable;
  post_marks: PostMarksTable;
  post_mentions: PostMentionsTable;
  comments: CommentsTable;
  polls: PollsTable;
  poll_choices: PollChoicesTable;
  poll_votes: PollVotesTable;
  events: EventsTable;
  event_dates: EventDatesTable;
  event_places: EventPlacesTable;
  event_marks: EventMarksTable;
}
