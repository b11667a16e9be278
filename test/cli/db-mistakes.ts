export interface Mistake {
  readonly check: string;
  readonly make: readonly string[];
  readonly message: RegExp;
}

/** A file of the owner that has no content of its own. */
const image = (id: number, owner: string, ownerId: number) =>
  `insert into files (id, owner, owner_id, type, name, extension, mime, size, created_at, updated_at)
    values (${id}, '${owner}', ${ownerId}, 'upload', 'n', '', '', 0, 1, 1)`;

const audience = "insert into audiences (id, author_id, owner_unit_id) values (500, 1, 1)";
const post = [
  audience,
  "insert into posts (id, audience_id, content_type, title, title_key, published_at, listed_at, created_at, updated_at) values (500, 500, 'news', 'T', 't', 1, 1, 1, 1)",
  "insert into post_places (post_id, place, listed_at, updated_at) values (500, 'a1', 1, 1), (500, 'o1', 1, 1)",
];
const event = [
  audience,
  "insert into events (id, audience_id, type, title, title_key, start_at, end_at, last_at, timezone, uid, created_at, updated_at) values (500, 500, 'chain', 'T', 't', 10, 20, 20, 'UTC', 'u', 1, 1)",
  "insert into event_dates (event_id, start_at, end_at, span) values (500, 10, 20, 0)",
  "insert into event_places (place, start_at, event_id, end_at, span, previous_at, limited) values ('a1', 10, 500, 20, 0, -9, 0), ('o1', 10, 500, 20, 0, -9, 0), ('c', 10, 500, 20, 0, -9, 0)",
];
const talk = [
  "insert into conversations (id, type, people_key, last_position, created_at, updated_at) values (500, 'direct', 'k', 1, 1, 1)",
  "insert into messages (id, conversation_id, position, type, author_id, message, created_at) values (500, 500, 1, 'normal', 1, '...', 1)",
  "insert into conversation_participants (conversation_id, user_id, joined_position, seen_position, unread_count, latest_message_id) values (500, 1, 0, 1, 0, 500), (500, 2, 0, 0, 1, 500)",
];

/** Changes to the tables of an organisation with users and units that make it inconsistent. */
export const mistakes: readonly (readonly [what: string, mistake: Mistake])[] = [
  [
    "a count of members",
    {
      check: "units",
      make: ["update units set user_count = user_count + 7 where id = 2"],
      message: /^unit 2: user_count is \d+, not \d+\.$/,
    },
  ],
  [
    "counts of units below",
    {
      check: "units",
      make: ["update units set child_count = 99, descendant_count = 98 where id = 1"],
      message: /unit 1: child_count is 99, not \d+; unit 1: descendant_count is 98, not \d+\./,
    },
  ],
  [
    "a path and a level",
    {
      check: "units",
      make: ["update units set path = '/77/', level = 5 where id = (select max(id) from units)"],
      message: /path is \/77\/, not \/1\/.*level is 5/,
    },
  ],
  [
    "many mistakes are counted, and some are told",
    {
      check: "units",
      make: ["update units set user_count = 1000 + id"],
      message: /^(unit \d+: user_count is \d+, not \d+; ){3}8 in total\.$/,
    },
  ],
  [
    "a second root",
    {
      check: "units",
      make: [
        "insert into units (id, name, name_key, path, level, created_at, updated_at) values (600, 'R', 'r', '/600/', 0, 1, 1)",
      ],
      message: /unit 600 has no parent/,
    },
  ],
  [
    "a second factor without a secret",
    {
      check: "users",
      make: ["update users set two_factor_at = 1 where id = 1"],
      message: /^user 1 needs a second factor to sign in but has none\.$/,
    },
  ],
  [
    "recovery codes without a second factor",
    {
      check: "users",
      make: ["insert into recovery_codes (user_id, code_hash) values (1, 'h')"],
      message: /^user 1 has recovery codes but no second factor\.$/,
    },
  ],
  [
    "a second factor of a deleted user",
    {
      check: "users",
      make: [
        "insert into two_factors (user_id, secret, begun_at) values (2, 's', 1)",
        "update users set deleted_at = 1 where id = 2",
      ],
      message: /user 2 is deleted but still has two factors/,
    },
  ],
  [
    "search words of a missing user",
    {
      check: "users",
      make: ["insert into user_words (kind, word, user_id) values (0, 'ada', 600)"],
      message: /^user 600 is deleted or missing but still has search words\.$/,
    },
  ],
  [
    "a folded name",
    {
      check: "search keys",
      make: ["update users set name_key = 'other' where id = 1"],
      message: /^user 1: name_key is other, not [a-z ]+\.$/,
    },
  ],
  [
    "search words that are missing",
    {
      check: "search keys",
      make: ["delete from user_words where user_id = 2"],
      message: /^user 2 has missing or wrong search words\.$/,
    },
  ],
  [
    "search words of another kind",
    {
      check: "search keys",
      make: ["update user_words set kind = 1 where user_id = 2 and kind = 0"],
      message: /^user 2 has missing or wrong search words\.$/,
    },
  ],
  [
    "addresses of users by which they sign in",
    {
      check: "search keys",
      make: ["update users set email_key = null where id = 1", "update users set email_key = 'other' where id = 2"],
      message: /^user 1: email_key is null, not \S+@\S+; user 2: email_key is other, not \S+@\S+\.$/,
    },
  ],
  [
    "names of user types, and titles of posts",
    {
      check: "search keys",
      make: [
        ...post,
        "update posts set title_key = 'x' where id = 500",
        "update user_types set name_key = 'x' where id = 1",
      ],
      message: /^user type 1: name_key is x, not \w+; post 500: title_key is x, not t\.$/,
    },
  ],
  [
    "a day of a birthday",
    {
      check: "users",
      make: ["update users set birthday = '1990-02-29', birthday_key = 228 where id = 2"],
      message: /^user 2: birthday_key is 228, not 229\.$/,
    },
  ],
  [
    "administrators who cannot sign in",
    {
      check: "users",
      make: ["update users set admin = 0"],
      message: /^instance 1 has no active administrator who can sign in\.$/,
    },
  ],
  [
    "a first unit",
    {
      check: "users",
      make: ["update users set unit_id = (select max(id) from units) where id = 1"],
      message: /user 1: unit_id is \d+, not 1/,
    },
  ],
  [
    "a department of another unit",
    {
      check: "users",
      make: [
        "insert into departments (id, unit_id, name) values (500, 8, 'D')",
        "update memberships set department_id = 500 where user_id = 1",
      ],
      message: /membership \d+ has a department of another unit/,
    },
  ],
  [
    "a password of a user of another provider",
    {
      check: "users",
      make: ["update users set provider = 'okta', password_hash = 'x' where id = 2"],
      message: /user 2 has a password but another provider than local/,
    },
  ],
  [
    "a deleted user with a membership",
    {
      check: "users",
      make: ["update users set deleted_at = 1 where id = 2"],
      message: /user 2 is deleted but still in a unit/,
    },
  ],
  [
    "a group",
    {
      check: "groups",
      make: [
        "insert into groups (id, name, name_key, author_id, member_count, created_at, updated_at) values (500, 'G', 'g', 1, 3, 1, 1)",
        "insert into group_members (group_id, user_id, created_at) values (500, 1, 1)",
      ],
      message: /group 500: member_count is 3, not 1; group 500 has members but no administrator/,
    },
  ],
  [
    "counts of a post",
    {
      check: "posts",
      make: [...post, "update posts set like_count = 4, comment_count = 2 where id = 500"],
      message: /post 500: comment_count is 2, not 0; post 500: like_count is 4, not 0/,
    },
  ],
  [
    "replies to a comment",
    {
      check: "posts",
      make: [
        ...post,
        "insert into comments (id, post_id, author_id, body, reply_count, created_at, deleted_at) values (500, 500, 1, 'c', 3, 1, 1)",
      ],
      message: /comment 500: reply_count is 3, not 0/,
    },
  ],
  [
    "votes",
    {
      check: "posts",
      make: [
        ...post,
        "insert into polls (id, post_id, question, type) values (500, 500, 'q', 'single')",
        "insert into poll_choices (id, poll_id, title, position, vote_count) values (500, 500, 'a', 1, 5)",
      ],
      message: /choice 500: vote_count is 5, not 0/,
    },
  ],
  [
    "a post that its author does not find",
    {
      check: "readers",
      make: [...post, "delete from post_places where post_id = 500 and place = 'a1'"],
      message: /^post 500 is missing from a feed of its readers\.$/,
    },
  ],
  [
    "a post that strangers find",
    {
      check: "readers",
      make: [...post, "insert into post_places (post_id, place, listed_at, updated_at) values (500, 'u2', 1, 1)"],
      message: /^post 500 is in a feed of other users\.$/,
    },
  ],
  [
    "an event at another time",
    {
      check: "readers",
      make: [...event, "update event_places set end_at = 30 where place = 'c'"],
      message: /event 500 is missing from a feed .*event 500 is in a feed of other users/,
    },
  ],
  [
    "answers to an event",
    {
      check: "events",
      make: [...event, "update events set accepted_count = 2 where id = 500"],
      message: /event 500: accepted_count is 2, not 0/,
    },
  ],
  [
    "messages that are counted",
    {
      check: "conversations",
      make: [...talk, "update conversations set last_position = 4 where id = 500"],
      message: /conversation 500: last_position is 4, not 1/,
    },
  ],
  [
    "what is unread",
    {
      check: "conversations",
      make: [...talk, "update conversation_participants set unread_count = 6 where user_id = 2"],
      message: /conversation 500, user 2: unread_count is 6, not 1/,
    },
  ],
  [
    "a mute rule without its end",
    {
      check: "conversations",
      make: [...talk, "update conversation_participants set mute_rule = 2 where user_id = 2"],
      message: /conversation 500 has a mute rule that does not exist, or one with a wrong end/,
    },
  ],
  [
    "an end without a mute rule",
    {
      check: "posts",
      make: [...post, "insert into post_marks (post_id, user_id, muted_until) values (500, 1, 5)"],
      message: /post 500 has a mute rule that does not exist, or one with a wrong end/,
    },
  ],
  [
    "the latest message",
    {
      check: "conversations",
      make: [...talk, "update conversation_participants set latest_message_id = 3 where user_id = 2"],
      message: /conversation 500, user 2: latest_message_id is 3, not 500/,
    },
  ],
  [
    "a direct conversation of one",
    {
      check: "conversations",
      make: [...talk, "delete from conversation_participants where user_id = 2"],
      message: /conversation 500 is direct but does not have two participants/,
    },
  ],
  [
    "a file of nothing",
    { check: "files", make: [image(500, "post", 99)], message: /file 500 belongs to a missing post/ },
  ],
  ...(["user", "unit", "group"] as const).map((owner): readonly [string, Mistake] => [
    `an image of no ${owner}`,
    { check: "files", make: [image(500, owner, 99)], message: new RegExp(`file 500 belongs to a missing ${owner}`) },
  ]),
  [
    "two images of a user",
    {
      check: "files",
      make: [image(500, "user", 1), image(501, "user", 1)],
      message: /file 501 is a second image of its owner/,
    },
  ],
  [
    "a content that is not whole, of no file",
    {
      check: "files",
      make: ["insert into file_contents (sha256, size) values ('abc', 5)"],
      message: /content abc: size is 5, not 0; content abc belongs to no file/,
    },
  ],
];
