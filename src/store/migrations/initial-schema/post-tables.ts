import { columns, table } from "../../schema/table.ts";

const { id, text, key, number, integer, flag, timestamps } = columns;

export const postTables = {
  posts: table({
    id,
    audience_id: number.references("audiences (id)"),
    content_type: key.as<"news" | "debate" | "event">(),
    title: text,
    /** The lookup form of the title; see `titleLookupKey`. */
    title_key: key.default(""),
    body: text.default(""),
    show_in_feed: flag.default(1),
    important: flag.default(0),
    comments_enabled: flag.default(1),
    confirm_enabled: flag.default(0),
    /** Not published, regardless of the publication times. */
    draft: flag.default(0),
    publish_on: number.orNull,
    unpublish_on: number.orNull,
    /** Time of the latest or the planned publication; null for a draft that was never published. */
    published_at: number.orNull,
    /** Sort key of lists: the time of publication, or of creation. */
    listed_at: number,
    /** Null when the post is not pinned. */
    pinned_main_feed: flag.orNull,
    pinned_until: number.orNull,
    /** JSON description of the event of an event post. */
    event: text.orNull,
    /** Size of the audience at the last count; null where it is not needed. */
    reader_count: number.orNull,
    /** Comments on the post itself; replies to comments are counted on the comment. */
    comment_count: number.default(0),
    reply_count: number.default(0),
    like_count: number.default(0),
    read_count: number.default(0),
    accepted_count: number.default(0),
    rejected_count: number.default(0),
    ...timestamps,
    deleted_at: number.orNull,
  })
    .index("posts_title", ["title_key", "id"], "deleted_at is null")
    .index("posts_listed", ["listed_at", "id"], "deleted_at is null")
    .index("posts_updated", ["updated_at", "id"], "deleted_at is null")
    .index("posts_drafts", ["listed_at", "id"], "draft = 1 and deleted_at is null")
    .index("posts_ending", ["listed_at", "id"], "unpublish_on is not null and deleted_at is null")
    .index("posts_important", ["listed_at", "id"], "important = 1 and deleted_at is null")
    .index("posts_pinned", ["listed_at", "id"], "pinned_main_feed is not null and deleted_at is null")
    .index("posts_audience", ["audience_id"]),

  /** Feed index of posts: one row for each kind of reader, with the sort keys of lists. */
  post_places: table({
    /** In the format of `placesOf`. */
    place: key,
    post_id: number.references("posts (id) on delete cascade"),
    listed_at: number,
    updated_at: number,
  })
    .clusteredBy("post_id", "place")
    .index("post_places_listed", ["place", "listed_at", "post_id"])
    .index("post_places_updated", ["place", "updated_at", "post_id"]),

  /** Actions of a user on a post, with their times. */
  post_marks: table({
    post_id: number.references("posts (id) on delete cascade"),
    user_id: number.references("users (id) on delete cascade"),
    seen_at: number.orNull,
    liked_at: number.orNull,
    /** Time at which the user confirmed to have read the post. */
    read_at: number.orNull,
    bookmarked_at: number.orNull,
    /** Answer to the invitation of an event post. */
    answer: text.as<"accepted" | "rejected">().orNull,
    /** ID of the mute rule, and its end; without an end, `muted_until` is null. */
    mute_rule: integer.orNull,
    muted_until: number.orNull,
  })
    .clusteredBy("post_id", "user_id")
    .index("post_marks_user", ["user_id", "post_id"])
    .index("post_marks_bookmarked", ["user_id", "post_id"], "bookmarked_at is not null"),

  comments: table({
    id,
    post_id: number.references("posts (id) on delete cascade"),
    parent_id: number.orNull.references("comments (id) on delete cascade"),
    author_id: number,
    body: text,
    reply_count: number.default(0),
    created_at: number,
    /** A deleted comment stays as long as it has replies. */
    deleted_at: number.orNull,
  })
    .index("comments_post", ["post_id", "id"])
    .index("comments_shown", ["post_id", "id"], "deleted_at is null or reply_count > 0")
    .index("comments_author", ["author_id", "id"])
    .index("comments_parent", ["parent_id", "id"], "parent_id is not null")
    .index(
      "comments_replies",
      ["parent_id", "id"],
      "parent_id is not null and (deleted_at is null or reply_count > 0)",
    ),

  /** Users mentioned in a post or a comment. */
  post_mentions: table({
    post_id: number.references("posts (id) on delete cascade"),
    comment_id: number.orNull.references("comments (id) on delete cascade"),
    user_id: number.references("users (id) on delete cascade"),
    seen: flag.default(0),
  })
    .index("post_mentions_post", ["post_id", "user_id"])
    .index("post_mentions_text", ["post_id", "user_id"], "comment_id is null")
    .index("post_mentions_comment", ["comment_id"], "comment_id is not null")
    .index("post_mentions_user", ["user_id", "seen", "post_id"]),

  polls: table({
    id,
    post_id: number.constraint("unique").references("posts (id) on delete cascade"),
    question: text,
    type: text.as<"single" | "multiple">(),
    close_at: number.orNull,
    allow_user_choices: flag.default(0),
    anonymous: flag.default(0),
    mandatory: flag.default(0),
  }),

  poll_choices: table({
    id,
    poll_id: number.references("polls (id) on delete cascade"),
    title: text,
    position: integer,
    vote_count: integer.default(0),
  }).index("poll_choices_poll", ["poll_id", "position", "id"]),

  poll_votes: table({
    poll_id: number.references("polls (id) on delete cascade"),
    user_id: number.references("users (id) on delete cascade"),
    choice_id: number.references("poll_choices (id) on delete cascade"),
  })
    .clusteredBy("poll_id", "user_id", "choice_id")
    .index("poll_votes_choice", ["choice_id"])
    .index("poll_votes_user", ["user_id", "poll_id"]),
};
