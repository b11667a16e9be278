import type { FileOwner } from "../../schema/column-types.ts";
import { columns, table } from "../../schema/table.ts";

const { id, text, key, number, integer, flag, bytes, timestamps } = columns;

/** Groups, audiences and files, which posts and events share. */
export const audienceTables = {
  groups: table({
    id,
    name: text,
    name_key: key,
    description: text.default(""),
    privacy: text.as<"public" | "private">().default("public"),
    author_id: number,
    member_count: integer.default(0),
    ...timestamps,
  }).index("groups_name", ["name_key", "id"]),

  group_members: table({
    group_id: number.references("groups (id) on delete cascade"),
    user_id: number.references("users (id) on delete cascade"),
    role: text.as<"member" | "administrator">().default("member"),
    created_at: number,
  })
    .clusteredBy("group_id", "user_id")
    .index("group_members_user", ["user_id", "group_id"])
    .index("group_members_role", ["group_id", "role", "created_at", "user_id"]),

  // Deleting a unit deletes its row, which only leaves fewer readers. Without its last user type a post would get more.
  audiences: table({
    id,
    author_id: number,
    /** The owning unit; its editors may change the post or event. */
    owner_unit_id: number.orNull.references("units (id)"),
    everywhere: flag.default(0),
    /** Visible only to the author and to users and groups that it is shared with. */
    personal: flag.default(0),
    group_id: number.orNull.references("groups (id)"),
  })
    .index("audiences_author", ["author_id"])
    .index("audiences_owner", ["owner_unit_id"])
    .index("audiences_group", ["group_id"], "group_id is not null"),

  audience_units: table({
    audience_id: number.references("audiences (id) on delete cascade"),
    unit_id: number.references("units (id) on delete cascade"),
    /** True when the units below are included. */
    falldown: flag.default(0),
  })
    .clusteredBy("audience_id", "unit_id")
    .index("audience_units_unit", ["unit_id"]),

  audience_user_types: table({
    audience_id: number.references("audiences (id) on delete cascade"),
    user_type_id: number.references("user_types (id)"),
  })
    .clusteredBy("audience_id", "user_type_id")
    .index("audience_user_types_type", ["user_type_id"]),

  audience_shares: table({
    audience_id: number.references("audiences (id) on delete cascade"),
    user_id: number.references("users (id) on delete cascade"),
  })
    .clusteredBy("audience_id", "user_id")
    .index("audience_shares_user", ["user_id"]),

  /** Start of a user's counter: a time, and the newest items that were there, because others come in the same second. */
  counter_marks: table({
    user_id: number.references("users (id) on delete cascade"),
    counter: key,
    since: number,
    last_post: number,
    last_event: number,
    last_message: number,
  }).clusteredBy("user_id", "counter"),

  file_contents: table({
    /** SHA-256 of the whole content, base64url. */
    sha256: key.constraint("primary key"),
    size: number,
  }),

  file_chunks: table({
    sha256: key.references("file_contents (sha256) on delete cascade"),
    /** Counts from 0. */
    number: integer,
    bytes,
  }).primaryKey("sha256", "number"),

  files: table({
    id,
    owner: key.as<FileOwner>(),
    owner_id: number,
    type: text.as<"upload" | "youtube" | "vimeo">(),
    name: text,
    extension: text,
    mime: text,
    size: number,
    width: integer.orNull,
    height: integer.orNull,
    /** URL of a video hosted elsewhere. */
    source: text.orNull,
    sha256: key.orNull.references("file_contents (sha256)"),
    ...timestamps,
  })
    .index("files_owner", ["owner", "owner_id", "id"])
    .index("files_content", ["sha256"], "sha256 is not null"),
};
